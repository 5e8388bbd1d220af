"""Streams: what each access moves, who reads for whom, and which core works on which blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cpplan.cost.model import tiles_per_transfer
from cpplan.device.device import Device
from cpplan.device.free_boxes import seen_from
from cpplan.errors import ScheduleError
from cpplan.plan.nest import Nest, cores_per_dim
from cpplan.plan.plan import Placement, Plan
from cpplan.plan.routes import active_cores, group_members, line_of, readers
from cpplan.schedule.schedule import Coordinate, Endpoint, Stream
from cpplan.tile.program import Access, Bounds, TileProgram

MAX_SEMAPHORES = 16
"""Semaphores of a core (source: NUM_SEMAPHORES in the vendor's semaphore.hpp)."""


def digits_of_cores(plan: Plan) -> dict[Coordinate, tuple[tuple[str, int], ...]]:
    """Per core in use, its number among the cores of every parallel dim, or shared loop, that is spread over several.

    Digits count in the order of spatial dims, most significant first.
    """
    spread = cores_per_dim(plan.spatial)
    active = tuple(plan.cores_along(i) for i in range(len(plan.spatial)))
    return {plan.core_at(core): tuple(_digits(plan, core, spread)) for core in active_cores(active)}


def _digits(plan: Plan, core: Coordinate, spread: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    numbers = dict.fromkeys(spread, 0)
    for position, splits in zip(core, plan.spatial, strict=True):
        below = 1
        for split in splits:
            below *= split.factor
        for split in splits:
            below //= split.factor
            numbers[split.dim] = numbers[split.dim] * split.factor + position // below % split.factor
    yield from numbers.items()


def streams_of(
    program: TileProgram, device: Device, plan: Plan, nest: Nest, layouts: Mapping[str, str], rename: Mapping[str, str]
) -> tuple[tuple[Stream, ...], int]:
    """The stream of every access, and how many semaphores they take.

    ``layouts`` and ``rename`` give the layout and the buffer of every access. Every shared stream has a semaphore
    ``ready`` of its own; one ``valid`` per network serves all of its streams, since a core waits for one at a time.
    """
    shared = [p for p in plan.placements if p.pattern != "private" and any(g > 1 for g in p.groups)]
    networks = sorted({p.noc for p in shared})
    ready = {p.access: len(networks) + number for number, p in enumerate(shared)}
    total = len(networks) + len(shared)
    out = []
    for access, place in zip(program.accesses, plan.placements, strict=True):
        is_shared = access.name in ready
        out.append(
            Stream(
                access=access.name,
                kind="load" if access.kind == "load" else "store",
                buffer=rename[access.name],
                layout=layouts[access.name],
                tile=access.tile,
                starts=access.starts,
                inner=inner_of(nest, access, place),
                bounds=access.bounds or tuple(Bounds() for _ in access.tile),
                fill=access.fill,
                noc=place.noc,
                pattern=place.pattern if is_shared else "private",
                endpoints=_endpoints(device, plan, place) if is_shared else {},
                ready=ready.get(access.name),
                valid=networks.index(place.noc) if is_shared else None,
            )
        )
    return tuple(out), total


def check_semaphores(program: TileProgram, total: int) -> None:
    """Raises :class:`~cpplan.errors.ScheduleError` when a core has not that many semaphores."""
    if total > MAX_SEMAPHORES:
        raise ScheduleError(
            f"{program.source or program.name}: the plan needs {total} semaphores, one per shared load, network "
            f"and atomic and those of a combine, and a core has {MAX_SEMAPHORES}: make some load private with "
            "--pin ACCESS.broadcast=private"
        )


def inner_of(nest: Nest, access: Access, place: Placement) -> tuple[tuple[str, int], ...]:
    """(dim or loop, span) over which one transfer moves all tiles: those of levels below that the address has."""
    path = nest.path(nest.home[access.loop or ""])
    below = path[[nest.names[level] for level in path].index(place.level) + 1 :]
    inner = tuple(
        (name, span) for level in below for name, span in nest.indices[level] if name in access.indices and span > 1
    )
    total = 1
    for _, span in inner:
        total *= span
    assert total == tiles_per_transfer(nest, access, place)
    return inner


def _endpoints(device: Device, plan: Plan, place: Placement) -> dict[Coordinate, Endpoint]:
    """The part of every core in use. The rectangle leaves the reader out where it sits at the end of a line."""
    seen = seen_from(device, plan.origin)
    active = tuple(plan.cores_along(i) for i in range(len(plan.spatial)))
    out: dict[Coordinate, Endpoint] = {}
    for origin, reader in readers(seen, active, place.groups, place.pattern, place.noc, place.reader):
        members = group_members(origin, place.groups)
        if place.pattern == "forward":
            line = line_of(seen, place.noc, members)
            for number, core in enumerate(line):
                before, after = line[number - 1] if number else None, line[number + 1] if core != line[-1] else None
                out[plan.core_at(core)] = Endpoint(
                    plan.core_at(reader),
                    plan.core_at(members[0]),
                    plan.core_at(members[-1]),
                    len(members) - 1,
                    None if before is None else plan.core_at(before),
                    None if after is None else plan.core_at(after),
                )
            continue
        low, high = _rectangle(members, reader)
        for core in members:
            out[plan.core_at(core)] = Endpoint(
                plan.core_at(reader), plan.core_at(low), plan.core_at(high), len(members) - 1
            )
    return out


def _rectangle(members: list[Coordinate], reader: Coordinate) -> tuple[Coordinate, Coordinate]:
    """Corners of the receiving rectangle: the others of a line whose end reads, else the whole group."""
    others = [core for core in members if core != reader]
    along = {axis for core in members for axis in range(len(core)) if core[axis] != members[0][axis]}
    if others and len(along) == 1 and reader in (members[0], members[-1]):
        return others[0], others[-1]
    return members[0], members[-1]
