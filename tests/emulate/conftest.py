"""Tests marked ``vendor`` need the vendor's headers in the cache; ``python -m cpplan.typecheck`` puts them there."""

from __future__ import annotations

import pytest

from cpplan.typecheck.wheel import cached_headers


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("vendor") is not None:
        pytest.importorskip("clang.cindex", reason="libclang is not installed: pip install 'cpplan[emit]'")
        if cached_headers() is None:
            pytest.skip("the vendor's headers are not in the cache: python -m cpplan.typecheck fetches them")
