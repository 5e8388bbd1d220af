"""`cpplan check-api`: an emitted program against the vendor's headers, with errors where the program has them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpplan.cli import main
from cpplan.typecheck.wheel import WHEEL_VARIABLE, cached_headers

KERNELS = Path(__file__).with_name("kernels.py")
SMALL = ("--device", "wormhole", "--cores", "2x2@1,1")


def cpplan(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    result = cpplan("emit", KERNELS, *SMALL, "--out", folder)
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def headers() -> None:
    pytest.importorskip("clang.cindex", reason="libclang is not installed: pip install 'cpplan[emit]'")
    if cached_headers() is None:
        pytest.skip("the vendor's headers are not in the cache: python -m cpplan.typecheck fetches them")


@pytest.mark.vendor
@pytest.mark.usefixtures("headers")
def test_an_emitted_program_passes_for_both_chips(emitted: Path) -> None:
    result = cpplan("check-api", emitted, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["errors"] == {"wormhole": [], "blackhole": []}
    assert record["files"] == ["move_noc0", "move_noc1", "compute"]


@pytest.mark.vendor
@pytest.mark.usefixtures("headers")
def test_kernels_are_checked_as_the_folder_has_them(emitted: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(emitted, tmp_path / "edited")
    kernel = folder / "kernels" / "move_noc1.cpp"
    lines = kernel.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("void kernel_main()"))
    kernel.write_text("\n".join([*lines[: at + 1], "    noc_async_teleport(0);", *lines[at + 1 :]]))
    result = cpplan("check-api", folder)
    assert result.exit_code == 1
    assert f"move_noc1:{at + 2}: use of undeclared identifier 'noc_async_teleport'" in result.output


@pytest.mark.vendor
@pytest.mark.usefixtures("headers")
def test_a_plan_file_is_emitted_first(tmp_path: Path) -> None:
    solved = cpplan("solve", KERNELS, *SMALL, "--out", tmp_path)
    assert solved.exit_code == 0, solved.output
    result = cpplan("check-api", next(tmp_path.glob("*/plan-1.json")))
    assert result.exit_code == 0, result.output
    assert "wormhole: no errors" in result.output and "blackhole: no errors" in result.output


def test_a_folder_without_a_program_is_refused(tmp_path: Path, emitted: Path) -> None:
    assert "schedule.mlir: No such file" in cpplan("check-api", tmp_path).output
    folder = shutil.copytree(emitted, tmp_path / "broken")
    (folder / "kernels" / "compute.cpp").unlink()
    result = cpplan("check-api", folder)
    assert result.exit_code == 2 and "compute.cpp: No such file" in result.output
    (folder / "schedule.mlir").write_text("module {}")
    result = cpplan("check-api", folder)
    assert result.exit_code == 2 and "names no device" in result.output


def test_a_kernel_file_is_refused_with_what_to_do_first() -> None:
    result = cpplan("check-api", KERNELS)
    assert result.exit_code == 2 and f"`cpplan emit {KERNELS} --device" in " ".join(result.output.split())


def test_without_headers_and_network_it_says_what_to_do(
    emitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(WHEEL_VARIABLE, "/no/such/wheel")
    result = cpplan("check-api", emitted)
    assert result.exit_code == 2
    assert f"{WHEEL_VARIABLE} names /no/such/wheel, which is not a file" in result.output
