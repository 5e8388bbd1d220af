"""Each kind of inconsistency is found, at its line, and a device that has one cannot be planned on."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpplan.device.lint import Finding, lint
from cpplan.device.spec import load_device
from cpplan.errors import SpecError

FAULTY = Path(__file__).parent / "faulty"


def brief(findings: list[Finding]) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule) for finding in findings]


def test_the_paper_channel_map_reaches_a_channel_that_does_not_exist() -> None:
    (finding,) = lint(str(FAULTY / "paper_dram_map.mlir"))
    assert brief([finding]) == [(4, "dram-map")]
    assert "reaches bank 6 for core (5, 5); banks are 0..3" in finding.message
    assert finding.hint == "did you mean floordiv?"


def test_the_paper_rings_wrap_after_8_of_32_cores() -> None:
    findings = lint(str(FAULTY / "paper_ring_wrap.mlir"))
    assert brief(findings) == [(4, "ring-wrap"), (7, "ring-wrap")]
    assert "sends (7, 0) to (0, 0), but its neighbour is (8, 0); extents are @x 32 x @y 2" in findings[0].message
    assert "sends (7,) to (0,)" in findings[1].message


@pytest.mark.parametrize("name", ["paper_dram_map", "paper_ring_wrap"])
def test_faulty_specs_do_not_load(name: str) -> None:
    with pytest.raises(SpecError, match=rf"{name}.mlir:\d+:\d+: "):
        load_device(str(FAULTY / f"{name}.mlir"))


def changed(folder: Path, body: str, base: str = "wormhole", fields: str = "") -> str:
    """A spec that overrides ``base`` with ``body`` on line 2."""
    path = folder / "changed.mlir"
    path.write_text(f'df.device @changed base "{base}" ({fields}) {{\n{body}\n}}\n')
    return str(path)


CASES = [
    ('df.memory @dram (bank_read_rate = 0 cite "x")', "bandwidth", "'bank_read_rate' must be above 0"),
    ('df.interconnects @noc1 (link_rate = -3 cite "x")', "bandwidth", "'link_rate' must be above 0"),
    (
        'df.core @tensix () { df.pack @pack () { df.cost @bytes (bytes_per_cycle = 0 cite "x") } }',
        "bandwidth",
        "above 0",
    ),
    ('df.memory @dram () { df.transfer @read (latency = -1 cite "x") }', "positive", "must not be negative"),
    ('df.memory @dram (banks = 0 cite "x")', "positive", "'banks' must be"),
    ('df.memory @dram (alignment = 48 cite "x")', "alignment", "alignment 48 is not a power of two"),
    ('df.core @tensix () { df.memory @l1 (reserved = 1499136 cite "x") }', "reserved", "takes the whole scratchpad"),
    ('df.core @tensix () { df.vec @vector (thread = "simd") }', "thread", "there is no thread 'simd'"),
    ("df.multicast @linked (handshake = 7)", "citation", "'handshake' has no source"),
    (
        'df.multicast @linked (receivers = "row" cite "x")',
        "receivers",
        "the only rule known for receivers is 'rectangle'",
    ),
    (
        'df.core @tensix () { df.mat @matrix (fidelity = {bf16 = "HiFi9"} cite "x") }',
        "fidelity",
        "bf16 uses HiFi9, without a cost @mac.HiFi9",
    ),
    (
        'df.core @tensix () { df.mat @matrix (fidelity = {bfloat = "LoFi"} cite "x") }',
        "fidelity",
        "'bfloat' is not an element type",
    ),
    (
        'df.spatial_dim @x (positions = [1, 2, 3, 4, 6, 7, 8, 8] cite "x")',
        "position",
        "two cores sit at the same router",
    ),
    (
        'df.spatial_dim @x (positions = [1, 2, 3, 4, 6, 7, 8, 10] cite "x")',
        "position",
        "position 10 is off the 10 routers of 'noc0'",
    ),
    (
        "df.mux @dram_noc1 (table = [[0, 12], [0, 1], [0, 5], [0, 7], [5, 1], [5, 11], [5, 2], [5, 9], [5, 8], [5, 3],"
        ' [5, 5], [5, 7]] cite "x")',
        "endpoint",
        "bank 0 sits at (0, 12), off the torus (10, 12)",
    ),
    (
        "df.mux @dram_noc1 (table = [[1, 1], [0, 1], [0, 5], [0, 7], [5, 1], [5, 11], [5, 2], [5, 9], [5, 8], [5, 3],"
        ' [5, 5], [5, 7]] cite "x")',
        "endpoint",
        "bank 0 sits at (1, 1), where a core is",
    ),
    ('df.interconnects @noc0 (route = ["+x"] cite "x")', "unreachable", "'noc0' does not move along y"),
    ("df.mux @dram_noc1 (destination = @noc2)", "reference", "'destination' @noc2 does not exist here"),
    (
        'df.interconnects @noc2 (route = ["+x", "+y"], torus = [10, 12], wraps = true, link_rate = 1) cite "x"',
        "unreachable",
        "memory is unreachable on network 'noc2'",
    ),
    ("df.forward @chain (dims = [@x], over = @wires)", "reference", "there is no df.interconnects @wires"),
    ('df.core @tensix () { df.vec @second (thread = "math") }', "unit", "more than one df.vec in a core"),
]


@pytest.mark.parametrize(
    ("body", "rule", "message"), CASES, ids=[f"{rule}-{i}" for i, (_, rule, _) in enumerate(CASES)]
)
def test_each_rule_finds_its_fault(tmp_path: Path, body: str, rule: str, message: str) -> None:
    path = changed(tmp_path, body)
    hits = [finding for finding in lint(path) if finding.rule == rule and message in finding.message]
    assert hits, lint(path)
    assert rule == "unreachable" or any(finding.line == 2 for finding in hits)
    if rule == "citation":
        assert load_device(path).multicast
        return
    with pytest.raises(SpecError):
        load_device(path)


def test_findings_come_in_the_order_of_the_text(tmp_path: Path) -> None:
    body = 'df.memory @dram (alignment = 3 cite "x", bank_read_rate = 0 cite "x")'
    assert [finding.rule for finding in lint(changed(tmp_path, body))] == ["alignment", "bandwidth"]


def test_an_open_chain_of_links_is_a_mesh(tmp_path: Path) -> None:
    body = 'df.interconnects @big_ring (map = affine_map<(d0) -> (d0 + 1)> cite "x")'
    path = changed(tmp_path, body, base="triple_ring")
    assert lint(path) == []
    assert not load_device(path).nocs[0].wraps


def test_a_map_that_jumps_is_no_neighbour_map(tmp_path: Path) -> None:
    body = 'df.interconnects @big_ring (map = affine_map<(d0) -> ((d0 + 2) mod 32)> cite "x")'
    assert "ring-wrap" in {finding.rule for finding in lint(changed(tmp_path, body, base="triple_ring"))}
