"""Short words for decisions, the same in every table: who shares a read, where a load sits, how cores are used."""

from __future__ import annotations

from collections.abc import Sequence

from cpplan.plan.plan import Order, Pattern, Split
from cpplan.plan.schema import AccessRecord, CombineRecord, Decisions, PlanFile, SplitRecord
from cpplan.tile.layout import Layout

LEGEND = """\
mapping x=m/2.n/6: the 12 cores along x are 2 for dim m times 6 for dim n; waves: wave loops, outermost first
k/4 tree noc0, k a loop: 4 cores run its trips for one block, then combine over noc0 in a tree
x*12: one core reads, 12 along x get it; x>12: passed on core to core; @k: moved in loop k; 2buf: double buffered"""


def sharing(pattern: Pattern, groups: tuple[int, ...], dims: tuple[str, ...]) -> str:
    """Who gets one read: ``private``, ``x*12`` (multicast to 12 cores along x), ``x>12`` (a chain)."""
    if pattern == "private":
        return "private"
    mark = ">" if pattern == "forward" else "*"
    return " ".join(f"{dim}{mark}{size}" for dim, size in zip(dims, groups, strict=True) if size > 1)


def level(name: str) -> str:
    """The loop in whose body a transfer sits."""
    return name or "launch"


def movement(access: AccessRecord, dims: tuple[str, ...]) -> str:
    """One access in a few words: ``x*12 @k 2buf noc0 diagonal``."""
    words = [
        sharing(access.pattern, access.groups, dims),
        f"@{level(access.level)}",
        f"{access.depth}buf",
        f"noc{access.noc}",
    ]
    if access.pattern == "multicast":
        words.append(access.reader)
    return " ".join(words)


def mapping(decisions: Decisions) -> str:
    """What each spatial dim is used for: ``x=n/12 y=m/10``; a dim without splits is left out."""
    used = " ".join(f"{dim.dim}={digits(dim.splits)}" for dim in decisions.spatial if dim.splits) or "one core"
    return used if decisions.combine is None else f"{used} {combine(decisions.combine)}"


def combine(way: CombineRecord) -> str:
    """How partial states are combined: ``tree noc0``."""
    return f"{way.method} noc{way.noc}"


def digits(splits: Sequence[Split | SplitRecord]) -> str:
    """What one spatial dim is used for, most significant first: ``m/2.n/6``."""
    return ".".join(f"{split.dim}/{split.factor}" for split in splits)


def first_core(origin: tuple[int, ...]) -> str:
    """The first core in use: ``6,0``."""
    return ",".join(map(str, origin)) or "the corner"


def cores(file: PlanFile) -> str:
    """Cores in use: ``12x10``, or ``6x10@6,0`` for a box that starts at core 6,0."""
    plan = file.plan()
    first = f"@{','.join(map(str, plan.origin))}" if plan.origin else ""
    return "x".join(str(plan.cores_along(i)) for i in range(len(plan.spatial))) + first


def block(decisions: Decisions) -> str:
    """Block shape: ``BLOCK_M=128 BLOCK_N=256``."""
    return " ".join(f"{name}={value}" for name, value in decisions.block.items()) or "as launched"


def layout(name: Layout) -> str:
    """How tiles lie in memory: ``32x32 tiles``, or ``runs of 1,024 elements``."""
    return "32x32 tiles" if name == "tiles" else "runs of 1,024 elements"


def layouts(files: Sequence[PlanFile]) -> str:
    """The layout of several plans; where they differ, each with the plans that assume it."""
    ranks: dict[Layout, list[str]] = {}
    for file in files:
        ranks.setdefault(file.kernel.layout, []).append(str(file.rank))
    if len(ranks) == 1:
        return layout(files[0].kernel.layout)
    return "; ".join(f"{layout(name)} in plan {', '.join(which)}" for name, which in ranks.items())


def order(decisions: Decisions) -> str:
    """Wave loops outermost first (``m.n``: one fused loop over both), or ``-`` when everything is one wave."""
    return loops(decisions.order)


def loops(order: Order) -> str:
    """Wave loops outermost first."""
    return " ".join(".".join(group) for group in order) or "-"


def dims(file: PlanFile) -> tuple[str, ...]:
    """Names of the spatial dims."""
    return tuple(dim.name for dim in file.device.array)


def microseconds(cycles: int, clock_mhz: int) -> str:
    """Cycles as microseconds at a clock."""
    return f"{cycles / clock_mhz:,.1f}"


def kib(amount: int) -> str:
    """Bytes as KiB."""
    return f"{amount / 1024:,.0f}"


def megabytes(amount: int) -> str:
    """Bytes as MB (10^6)."""
    return f"{amount / 1e6:,.1f}"
