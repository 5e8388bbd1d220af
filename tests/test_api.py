"""`cpplan.solve` from Python: a file, or a kernel with its arguments in words or as tensors, gives the same plans."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import cpplan
from cpplan.api import describe
from cpplan.device.spec import load_device
from cpplan.errors import InputError

FILE = Path(__file__).parent / "cli" / "kernels.py"
DEVICE = load_device("wormhole", cores="2x2")


@pytest.fixture(scope="module")
def kernels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernels", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_and_its_kernel_with_arguments_have_the_same_best_plans(kernels: ModuleType) -> None:
    by_file = cpplan.solve(FILE, device=DEVICE, k=2)
    by_kernel = cpplan.solve(
        kernels.product,
        args={"a": "bf16[128,128]", "b": "bf16[128,128]", "c": "fp32[128,128]", "N": 128, "K": 128},
        constexprs={"BM": 64, "BN": [64], "BK": 32},
        grid="cdiv(N,BM),cdiv(N,BN)",
        device=DEVICE,
        k=2,
    )
    assert by_file.status == by_kernel.status == "optimal"
    assert [plan.cost.key for plan in by_file.plans] == [plan.cost.key for plan in by_kernel.plans]


def test_several_launches_need_a_choice() -> None:
    with pytest.raises(InputError, match=r"launches 2 kernels \(product, product_2\)"):
        cpplan.solve(str(FILE), entry="two_sizes", device=DEVICE)


def test_something_that_is_no_kernel_is_refused() -> None:
    with pytest.raises(InputError, match="is not a Triton kernel"):
        cpplan.solve(3, device=DEVICE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        ("bf16[2,3]", "bf16[2,3]"),
        (np.zeros((2, 3), np.float32), "fp32[2,3]"),
        (np.zeros((2, 3), np.float16).T, "fp16[3,2]:1,3"),
        (np.zeros(4, np.int32), "int32[4]"),
    ],
)
def test_arguments_become_texts(value: Any, text: str) -> None:
    assert describe(value) == text


def test_torch_tensors_become_texts() -> None:
    torch = pytest.importorskip("torch")
    assert describe(torch.empty((2, 3), dtype=torch.bfloat16, device="meta")) == "bf16[2,3]"
    assert describe(torch.empty((2, 3), dtype=torch.float32).t()) == "fp32[3,2]:1,3"


def test_an_argument_that_is_no_tensor_is_refused() -> None:
    with pytest.raises(InputError, match="pass a number, a tensor or a text"):
        describe([1, 2])
