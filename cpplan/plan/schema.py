"""The schema of plan.json: immutable records, checked by type when a file is read.

``docs/plan-schema.md`` describes the file for people. A change that an older reader would misread increases
:data:`SCHEMA`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from cpplan.plan.plan import Combine, Method, Pattern, Placement, Plan, Reader, Split
from cpplan.tile.layout import Layout
from cpplan.tile.program import AccessKind

SCHEMA: Literal[1] = 1
"""Version of the layout below."""

Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Name = Annotated[str, msgspec.Meta(min_length=1)]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all parts of the file: immutable, and a field nobody knows is an error."""


class Extent(Record, frozen=True):
    """A parallel dim or loop: ``extent`` in blocks or iterations."""

    name: Name
    extent: Positive


class TensorShape(Record, frozen=True):
    """A DRAM tensor; ``shape`` and ``strides`` in elements."""

    name: Name
    dtype: Name
    shape: tuple[Count, ...]
    strides: tuple[int, ...]


class Kernel(Record, frozen=True):
    """The launch that was planned. ``fingerprint`` covers source, arguments and candidates.

    ``layout`` is how its tiles lie in DRAM and SRAM: hardware tiles of 32x32, or of 1,024 contiguous elements ("runs").
    """

    name: Name
    source: str
    fingerprint: str
    arguments: dict[str, str]
    tensors: tuple[TensorShape, ...]
    grid: tuple[Extent, ...]
    loops: tuple[Extent, ...]
    layout: Layout


class Target(Record, frozen=True):
    """The device that was planned for; ``array`` is its core array, all cores."""

    name: Name
    fingerprint: str
    clock_mhz: Positive
    array: tuple[Extent, ...]


class SplitRecord(Record, frozen=True):
    """``factor`` cores along one spatial dim work on different blocks of parallel dim ``dim``, or on different trips of
    loop ``dim``."""

    dim: Name
    factor: Positive


class SpatialRecord(Record, frozen=True):
    """What one spatial dim of the array is used for, most significant split first."""

    dim: Name
    splits: tuple[SplitRecord, ...]


class AccessRecord(Record, frozen=True):
    """How the tiles of one access move (see :class:`cpplan.plan.plan.Placement`).

    ``kind`` and ``tensor`` repeat the program; ``readers`` lists the cores that touch DRAM for it (for a store: that
    write), as logical coordinates, derived from the decisions so that a reader of the file needs no device.
    """

    access: Name
    kind: AccessKind
    tensor: Name
    level: str
    depth: Literal[1, 2]
    groups: tuple[Positive, ...]
    pattern: Pattern
    noc: Count
    reader: Reader
    readers: tuple[tuple[Count, ...], ...]


class CombineRecord(Record, frozen=True):
    """How the cores that share the trips of a loop combine their partial states."""

    method: Method
    noc: Count


class Decisions(Record, frozen=True):
    """Everything the solver chose; ``combine`` only where cores share a loop, ``origin`` is the first core in use."""

    block: dict[str, int]
    spatial: tuple[SpatialRecord, ...]
    order: tuple[tuple[Name, ...], ...]
    accesses: tuple[AccessRecord, ...]
    combine: CombineRecord | None = None
    origin: tuple[Count, ...] = ()


class LevelRecord(Record, frozen=True, kw_only=True):
    """Timing of one level of the loop nest, in cycles per iteration; ``total`` covers all trips of one run.

    ``combine`` is absent in older files.
    """

    name: Name
    trips: Positive
    load: Count
    store: Count
    serial_load: Count
    serial_store: Count
    combine: Count = 0
    ops: Count
    serial: Count
    busiest: Count
    busiest_name: str
    period: Count
    total: Count


class Bytes(Record, frozen=True):
    """A named amount of bytes: an SRAM buffer, or the DRAM traffic of an access."""

    name: Name
    bytes: Count


class CostRecord(Record, frozen=True):
    """Predicted cost as the exact model gave it; ``utilisation`` is a share of the makespan per kind of resource."""

    makespan_cycles: Count
    bound_by: Name
    dram_bytes: Count
    noc_bytes: Count
    sram_bytes: Count
    sram_limit_bytes: Count
    cores: Positive
    utilisation: dict[str, float]
    levels: tuple[LevelRecord, ...]
    buffers: tuple[Bytes, ...]
    traffic: tuple[Bytes, ...]


class CertificateReference(Record, frozen=True):
    """Where the proof is (relative to the plan file) and what it says."""

    path: str
    status: Literal["optimal", "feasible"]
    bound_cycles: Count


class RestrictionRecord(Record, frozen=True):
    """What the user pinned and forbade, as texts that ``--pin`` and ``--forbid`` take."""

    pins: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()


class PlanFile(Record, frozen=True):
    """The whole file. A plan that nobody solved for has neither rank nor certificate."""

    schema: Literal[1]
    planner: Name
    rank: Positive | None
    kernel: Kernel
    device: Target
    decisions: Decisions
    cost: CostRecord
    certificate: CertificateReference | None
    restriction: RestrictionRecord = RestrictionRecord()

    def plan(self) -> Plan:
        """The decisions as the planner's own type."""
        chosen = self.decisions
        return Plan(
            block=tuple(chosen.block.items()),
            spatial=tuple(tuple(Split(s.dim, s.factor) for s in dim.splits) for dim in chosen.spatial),
            order=chosen.order,
            placements=tuple(
                Placement(a.access, a.level, a.depth, a.groups, a.pattern, a.noc, a.reader) for a in chosen.accesses
            ),
            combine=None if chosen.combine is None else Combine(chosen.combine.method, chosen.combine.noc),
            origin=chosen.origin,
        )
