"""The plan space: which plans exist for a tile program on a device, each in one canonical form.

Two descriptions that differ only in something no transfer can notice are one plan:

* neighbouring wave loops with no transfer between them are one fused loop over their dims;
* neighbouring digits of a spatial dim may swap unless some sharing group ends between them, so they are listed in dim
  order;
* a split must earn its cores: with one core fewer per split the dim would need another wave;
* accesses that nothing tells apart (:mod:`cpplan.plan.alike`) have their placements in the fixed order;
* a buffer outside all loops, or a reader that equals an earlier choice, has no second form.

The cores in use are a box. Without disabled cores it lies at the first core of the array; with disabled cores it may
lie at the lower corner of every largest box of enabled cores that holds it (:mod:`cpplan.device.free_boxes`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache

from cpplan.device.device import Device
from cpplan.device.free_boxes import Coordinate, origins, seen_from
from cpplan.plan.alike import alike
from cpplan.plan.nest import Nest, build_nest, cores_per_dim, wave_trips
from cpplan.plan.plan import Combine, Delivery, Method, Order, Placement, Plan, Reader, Split
from cpplan.plan.routes import readers, sharers
from cpplan.tile.arith import ceil_div
from cpplan.tile.program import Access, TileProgram

Spatial = tuple[tuple[Split, ...], ...]
READERS: tuple[Reader, ...] = ("first", "diagonal", "nearest")
METHODS: tuple[Method, ...] = ("tree", "ring")


def axes(program: TileProgram, device: Device) -> dict[str, int]:
    """What the cores may divide among themselves, with its extent: parallel dims, and the trips of a reduction.

    Cores that share a reduction must be able to send each other what they have.
    """
    out = {d.name: d.extent for d in program.dims}
    if program.reduction is not None and device.core_transfer is not None:
        loop = program.reduction.loop
        out[loop] = next(item.trips for item in program.loops if item.name == loop)
    return out


def shared_loop(program: TileProgram, spatial: Spatial) -> tuple[str, int] | None:
    """The loop whose trips several cores share, and how many cores; None when there is none."""
    dims = {d.name for d in program.dims}
    return next((item for item in cores_per_dim(spatial).items() if item[0] not in dims), None)


def writers(program: TileProgram, spatial: Spatial) -> tuple[tuple[int, ...], ...] | None:
    """The cores that store: the first of those that share a loop for one block; None when all do."""
    shared = shared_loop(program, spatial)
    return None if shared is None else tuple(team[0] for team in sharers(spatial, shared[0]))


def combines(program: TileProgram, device: Device, spatial: Spatial) -> list[Combine]:
    """The ways to combine a shared loop, in the fixed order; none when no loop is shared.

    A ring passes parts of the state around, so every part must combine without the rest of the state.
    """
    if shared_loop(program, spatial) is None or program.reduction is None:
        return []
    apart = all(state.reference is None for state in program.reduction.state)
    return [Combine(m, noc) for m in METHODS if m == "tree" or apart for noc in range(len(device.nocs))]


@lru_cache(maxsize=256)
def digit_sequences(extent: int, dims: tuple[str, ...]) -> tuple[tuple[Split, ...], ...]:
    """All ordered splits of one spatial dim: distinct parallel dims, factors of at least 2, product at most
    ``extent``."""

    def extend(room: int, left: tuple[str, ...]) -> Iterator[tuple[Split, ...]]:
        yield ()
        for dim in left:
            rest = tuple(d for d in left if d != dim)
            for factor in range(2, room + 1):
                for tail in extend(room // factor, rest):
                    yield (Split(dim, factor), *tail)

    return tuple(extend(extent, dims))


def spatial_choices(device: Device, dims: tuple[str, ...]) -> Iterator[Spatial]:
    """Every assignment of spatial dims to ``dims``, whatever the extents."""
    return itertools.product(*(digit_sequences(d.extent, dims) for d in device.dims))


def earns_its_cores(program: TileProgram, device: Device, spatial: Spatial) -> bool:
    """No axis has more cores than blocks or trips, and every split saves a wave, or a trip."""
    cores = cores_per_dim(spatial)
    extents = axes(program, device)
    for split in itertools.chain.from_iterable(spatial):
        total = cores[split.dim]
        fewer = total // split.factor * (split.factor - 1)
        if total > extents[split.dim] or ceil_div(extents[split.dim], fewer) == ceil_div(extents[split.dim], total):
            return False
    return True


def active_extents(spatial: Spatial) -> tuple[int, ...]:
    """Cores in use along each spatial dim."""
    out = []
    for splits in spatial:
        total = 1
        for split in splits:
            total *= split.factor
        out.append(total)
    return tuple(out)


def cut_off(program: TileProgram, device: Device, spatial: Spatial) -> list[tuple[str, str]]:
    """(spatial dim, loop) where cores share a loop and cannot write to each other."""
    dims = {d.name for d in program.dims}
    silent = [
        (d.name, splits) for d, splits in zip(device.dims, spatial, strict=True) if not device.sends_along(d.name)
    ]
    return [(name, s.dim) for name, splits in silent for s in splits if s.dim not in dims]


def legal_spatial(program: TileProgram, device: Device) -> list[Spatial]:
    """All spatial mappings of ``program`` on ``device``; :func:`first_cores` says where each may lie."""
    dims = tuple(name for name, extent in axes(program, device).items() if extent > 1)
    choices = spatial_choices(device, dims)
    legal = (s for s in choices if earns_its_cores(program, device, s) and not cut_off(program, device, s))
    return [s for s in legal if first_cores(device, s)]


def first_cores(device: Device, spatial: Spatial) -> tuple[Coordinate, ...]:
    """Where the box of cores in use may start, in the fixed order; ``()`` is the first core of the array."""
    return origins(device, active_extents(spatial))


def orders(program: TileProgram, spatial: Spatial) -> list[Order]:
    """All wave loops over the dims with more than one wave: every sequence of fused groups, in the fixed order."""
    waves = wave_trips(program, spatial)
    names = [d.name for d in program.dims]
    active = tuple(i for i, name in enumerate(names) if waves[name] > 1)
    return [tuple(tuple(names[i] for i in group) for group in groups) for groups in ordered_partitions(active)]


@lru_cache(maxsize=256)
def ordered_partitions(items: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """All sequences of disjoint non-empty sets that cover ``items``, sorted."""
    if not items:
        return ((),)
    out = []
    for size in range(1, len(items) + 1):
        for group in itertools.combinations(items, size):
            rest = tuple(i for i in items if i not in group)
            out += [(group, *tail) for tail in ordered_partitions(rest)]
    return tuple(sorted(out))


def legal_levels(program: TileProgram, nest: Nest, access: Access) -> list[int]:
    """Levels at which the transfer of ``access`` may sit, outermost first.

    A load may sit anywhere around its use; one of a tensor that the program also writes, or at an address that is not
    affine (it may come from data loaded there), stays where it is. A store may wait for an outer level only across
    loops that its address depends on (each tile is written once).
    """
    path = nest.path(nest.home[access.loop or ""])
    if access.kind == "load":
        return [path[-1]] if program.is_written(access.tensor) or access.klass != "affine" else list(path)
    levels = [path[-1]]
    for inner, outer in zip(reversed(path), reversed(path[:-1]), strict=False):
        if access.kind == "atomic" or nest.distinct(inner, access.indices) < nest.spans[inner]:
            break
        levels.append(outer)
    return sorted(levels)


def sharing_groups(spatial: Spatial, access: Access) -> list[tuple[int, ...]]:
    """Legal groups of cores that share one read of ``access``: per spatial dim a run of neighbouring cores.

    A run is a product of least significant digits, all of dims that the address does not depend on.
    """
    return list(itertools.product(*(group_sizes(splits, access.indices) for splits in spatial)))


def group_sizes(splits: tuple[Split, ...], indices: frozenset[str]) -> list[int]:
    """Cores along one spatial dim that may share one read of an access whose address depends on ``indices``."""
    sizes = [1]
    for split in reversed(splits):
        if split.dim in indices:
            break
        sizes.append(sizes[-1] * split.factor)
    return sizes


def deliveries(device: Device, spatial: Spatial, access: Access, shareable: bool) -> tuple[Delivery, ...]:
    """All deliveries of ``access``; a store or a load of a written tensor is private."""
    groups = sharing_groups(spatial, access) if shareable else [(1,) * len(spatial)]
    return _deliveries(device, active_extents(spatial), tuple(groups))


@lru_cache(maxsize=1 << 14)
def _deliveries(device: Device, active: tuple[int, ...], sharing: tuple[tuple[int, ...], ...]) -> tuple[Delivery, ...]:
    out: list[Delivery] = []
    for groups in sharing:
        grouped = [i for i, g in enumerate(groups) if g > 1]
        for noc in range(len(device.nocs)):
            if not grouped:
                out.append(Delivery(groups, "private", noc, "first"))
                continue
            if device.multicast is not None:
                seen = set()
                for reader in READERS:
                    cores = readers(device, active, groups, "multicast", noc, reader)
                    if cores not in seen:
                        seen.add(cores)
                        out.append(Delivery(groups, "multicast", noc, reader))
            if len(grouped) == 1 and device.forward and device.dims[grouped[0]].name in device.forward.dims:
                out.append(Delivery(groups, "forward", noc, "first"))
    return tuple(out)


def is_shareable(program: TileProgram, access: Access) -> bool:
    """Whether cores may share one read of ``access``."""
    return access.kind == "load" and access.klass == "affine" and not program.is_written(access.tensor)


def placements(program: TileProgram, device: Device, spatial: Spatial, nest: Nest, access: Access) -> list[Placement]:
    """All placements of ``access`` in one nest, in the fixed order that breaks the last ties."""
    ways = deliveries(device, spatial, access, is_shareable(program, access))
    return [
        Placement(access.name, nest.names[level], depth, way.groups, way.pattern, way.noc, way.reader)
        for level in legal_levels(program, nest, access)
        for depth in ((1, 2) if level else (1,))
        for way in ways
    ]


def required_wave_boundaries(program: TileProgram, nest: Nest) -> list[str]:
    """Levels at which some transfer must sit, or the wave loops around it would be one fused loop."""
    innermost = nest.home[""]
    return [nest.names[level] for level in nest.path(innermost) if level not in (0, innermost)]


def required_group_ends(program: TileProgram, spatial: Spatial) -> list[tuple[int, int]]:
    """(spatial dim, group size) pairs that some load must share, or the digits around it are in the wrong order.

    A digit of a shared loop stays where it is: which cores combine depends on it.
    """
    position = {d.name: i for i, d in enumerate(program.dims)}
    out = []
    for number, splits in enumerate(spatial):
        size = 1
        for high, low in reversed(list(itertools.pairwise(splits))):
            size *= low.factor
            if position.get(high.dim, -1) > position.get(low.dim, len(position)):
                out.append((number, size))
    return out


def place_key(nest: Nest, place: Placement) -> tuple[int, int, tuple[int, ...], int, bool, int]:
    """Place of one placement in the order of :func:`placements`."""
    reader = READERS.index(place.reader)
    return nest.names.index(place.level), place.depth, place.groups, place.noc, place.pattern == "forward", reader


def is_canonical(program: TileProgram, spatial: Spatial, nest: Nest, chosen: Sequence[Placement]) -> bool:
    """Whether wave loops, digit order and alike accesses are the ones under which this plan is listed."""
    for members in alike(program):
        keys = [place_key(nest, chosen[i]) for i in members]
        if keys != sorted(keys):
            return False
    levels = {p.level for p in chosen}
    ends = {(s, g) for p in chosen for s, g in enumerate(p.groups)}
    return all(level in levels for level in required_wave_boundaries(program, nest)) and all(
        end in ends for end in required_group_ends(program, spatial)
    )


def _shown_core(core: Coordinate) -> str:
    return ",".join(map(str, core)) or "the first core"


def violations(program: TileProgram, device: Device, plan: Plan) -> list[str]:
    """Independent check of one plan: every rule of the space it breaks, in words (capacity is checked by cost)."""
    out = []
    sizes = active_extents(plan.spatial)
    for dim, used in zip(device.dims, sizes, strict=True):
        if used > dim.extent:
            out.append(f"{used} cores along {dim.name}, the device has {dim.extent}")
    names = set(axes(program, device))
    if any(s.dim not in names or s.factor < 2 for s in itertools.chain.from_iterable(plan.spatial)):
        out.append("a split names what is neither a dim nor a loop that may be shared, or has a factor below 2")
        return out
    if not earns_its_cores(program, device, plan.spatial):
        out.append("a split has idle cores that save neither a wave nor a trip")
    for name, loop in cut_off(program, device, plan.spatial):
        out.append(f"the cores along {name} cannot write to each other, so they may not share loop {loop}")
    allowed = first_cores(device, plan.spatial)
    if plan.origin not in allowed:
        where = ", ".join(map(_shown_core, allowed)) or "nowhere"
        out.append(f"the cores in use may not start at {_shown_core(plan.origin)}: they may at {where}")
        return out
    if plan.order not in orders(program, plan.spatial):
        out.append(f"{plan.order} is not a sequence of wave loops over the dims with more than one wave")
        return out
    nest, seen = build_nest(program, plan.spatial, plan.order), seen_from(device, plan.origin)
    for access, place in zip(program.accesses, plan.placements, strict=True):
        if place not in placements(program, seen, plan.spatial, nest, access):
            out.append(f"{access.name} may not be placed as {place}")
    ways = combines(program, device, plan.spatial)
    if (plan.combine is None) if ways else (plan.combine is not None):
        out.append("the cores of a shared loop must combine, and no others")
    elif plan.combine is not None and plan.combine not in ways:
        out.append(f"the state of the shared loop may not be combined by {plan.combine}")
    if not is_canonical(program, plan.spatial, nest, plan.placements):
        out.append("the plan is not in canonical form")
    return out
