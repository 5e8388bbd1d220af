"""Names of kernels as Python identifiers."""

from __future__ import annotations

import pytest

from cpplan.emit_ttlang.names import Names


@pytest.mark.parametrize("name", ["lambda", "x", "ttl", "float", "match", "2nd", "a.b", "blk"])
def test_no_name_hides_what_the_file_uses(name: str) -> None:
    names = Names()
    taken = set(names.taken)
    found = names.value(name)
    assert found.isidentifier()
    assert found not in taken


def test_names_of_different_things_differ_and_stay() -> None:
    """A loop, a tensor and a value of one name; names that differ in what identifiers do not have."""
    names = Names()
    found = [names.index("k"), names.tensor("k"), names.value("k"), names.value("k.2"), names.value("k_2")]
    assert len(set(found)) == len(found)
    assert [names.index("k"), names.tensor("k"), names.value("k")] == found[:3]
