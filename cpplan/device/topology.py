"""Networks of a spec: routed networks, neighbour links given by affine maps, and where DRAM banks sit on them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap

from cpplan.device.device import Noc, SpatialDim
from cpplan.device.df import CoreOp, ForwardOp, InterconnectsOp, MemoryOp, MuxOp
from cpplan.device.fields import Fields

Coordinate = tuple[int, ...]


class Step(NamedTuple):
    """What a neighbour map does: one step along one axis of its domain, around the end or not."""

    axis: int
    sign: int
    wraps: bool


def affine_map(fields: Fields) -> AffineMap:
    """The field ``map``."""
    value = fields.value("map")
    assert isinstance(value, AffineMapAttr)
    return value.data


def evaluate(mapping: AffineMap, extents: Coordinate) -> Iterator[tuple[Coordinate, Coordinate]]:
    """(index, image) for every index of the box ``extents``."""
    return ((point, mapping.eval(point, ())) for point in itertools.product(*(range(n) for n in extents)))


def neighbour_step(mapping: AffineMap, extents: Coordinate) -> Step | str:
    """The step of a neighbour map over the box ``extents``, or a sentence that says what is wrong with it.

    Legal maps move every index by one along one axis; at the end of that axis they wrap to the other end (a ring) or
    leave the box (an open chain).
    """
    if mapping.num_dims != len(extents) or len(mapping.results) != len(extents):
        return f"the map takes {mapping.num_dims} indices to {len(mapping.results)}, but its source has {len(extents)}"
    candidates = [Step(a, s, w) for a in range(len(extents)) for s in (1, -1) for w in (True, False)]
    worst = "the map does not move by one along an axis"
    fewest = None
    for step in candidates:
        faults = [(p, image) for p, image in evaluate(mapping, extents) if image != _moved(p, step, extents)]
        if not faults:
            return step
        if fewest is None or len(faults) < fewest:
            fewest, (point, image) = len(faults), faults[0]
            worst = f"the map sends {point} to {image}, but its neighbour is {_moved(point, step, extents)}"
    return worst


def _moved(point: Coordinate, step: Step, extents: Coordinate) -> Coordinate:
    target = list(point)
    target[step.axis] += step.sign
    if step.wraps:
        target[step.axis] %= extents[step.axis]
    return tuple(target)


def scaleout_extents(fields: Fields, dims: tuple[SpatialDim, ...]) -> dict[str, int]:
    """Spatial dim -> extent of the dims that replicate a core or a scratchpad."""
    extents = {dim.name: dim.extent for dim in dims}
    for name in fields.symbols("scaleout"):
        if name not in extents:
            fields.fail("scaleout", f"there is no df.spatial_dim @{name}")
    return {name: extents[name] for name in fields.symbols("scaleout")}


def link_source(device: Fields, link: Fields) -> Fields:
    """The core or scratchpad whose index a neighbour map takes (default: the core)."""
    core = device.child(CoreOp)
    name = link.symbol("source") if link.has("source") else core.name
    return core if name == core.name else core.child(MemoryOp, name)


def link_step(device: Fields, link: Fields, dims: tuple[SpatialDim, ...]) -> tuple[int, int, bool]:
    """(axis of the device, sign, wraps) of a neighbour link."""
    scaleout = scaleout_extents(link_source(device, link), dims)
    step = neighbour_step(affine_map(link), tuple(scaleout.values()))
    if isinstance(step, str):
        link.fail("map", f"{step}; extents are {_box(scaleout)}", "ring-wrap", "a ring wraps at its extent")
    axis = [dim.name for dim in dims].index(list(scaleout)[step.axis])
    return axis, step.sign, step.wraps


def _box(extents: dict[str, int]) -> str:
    return " x ".join(f"@{name} {extent}" for name, extent in extents.items())


def network_name(link: Fields) -> str:
    """The network a link belongs to: its own name unless it says ``network``."""
    return link.text("network") if link.has("network") else link.name


def networks(device: Fields, dims: tuple[SpatialDim, ...]) -> tuple[Noc, ...]:
    """Every network that carries DRAM traffic, in the order of the text.

    Links that only a ``df.forward`` uses join cores, not memory, and are left out.
    """
    chained = {forward.symbol("over") for forward in device.children(ForwardOp) if forward.has("over")}
    groups: dict[str, list[Fields]] = {}
    for link in device.children(InterconnectsOp):
        if link.name not in chained:
            groups.setdefault(network_name(link), []).append(link)
    if not groups:
        device.fail("", "needs a df.interconnects in its body that reaches memory")
    return tuple(_network(device, name, links, dims) for name, links in groups.items())


def _network(device: Fields, name: str, links: list[Fields], dims: tuple[SpatialDim, ...]) -> Noc:
    first = links[0]
    rate = min(link.number("link_rate") for link in links)
    if first.has("route"):
        if len(links) > 1:
            links[1].fail("network", f"network '{name}' already has a route")
        return Noc(name, _route(first, dims), _torus(first, dims), first.flag("wraps"), rate)
    return _linked_network(device, name, links, dims, rate)


def _linked_network(
    device: Fields, name: str, links: list[Fields], dims: tuple[SpatialDim, ...], rate: Fraction
) -> Noc:
    """A network made of neighbour links: routes take the links in the order in which they are written."""
    steps = [link_step(device, link, dims) for link in links]
    for link, (_, _, wraps) in zip(links, steps, strict=True):
        if wraps != steps[0][2]:
            link.fail("map", f"network '{name}' mixes rings with open chains")
    torus = tuple(max(dim.positions) + 1 for dim in dims)
    return Noc(name, tuple((axis, sign) for axis, sign, _ in steps), torus, steps[0][2], rate)


def _torus(link: Fields, dims: tuple[SpatialDim, ...]) -> Coordinate:
    torus = link.integers("torus")
    if len(torus) != len(dims):
        link.fail("torus", f"'torus' needs one extent per spatial dim ({len(dims)}), got {len(torus)}")
    return torus


def _route(link: Fields, dims: tuple[SpatialDim, ...]) -> tuple[tuple[int, int], ...]:
    """``["+x", "-y"]`` -> ((0, 1), (1, -1)); a name without a sign is for meshes, where packets go either way."""
    names = [dim.name for dim in dims]
    route = []
    for text in link.texts("route"):
        axis = text.lstrip("+-")
        if axis not in names or len(text) - len(axis) > 1:
            link.fail("route", f"'{text}' is not a signed spatial dim, such as +{names[0]}")
        if text == axis and link.flag("wraps"):
            link.fail("route", f"'{text}' needs a sign, because packets of a torus travel one way")
        route.append((names.index(axis), -1 if text.startswith("-") else 1))
    if len({axis for axis, _ in route}) != len(route):
        link.fail("route", "a route takes each spatial dim once")
    return tuple(route)


def endpoints(
    device: Fields, nocs: tuple[Noc, ...], dims: tuple[SpatialDim, ...], banks: int
) -> tuple[tuple[Coordinate, ...], ...]:
    """``[n][b]``: the router at which network ``n`` reaches bank ``b``."""
    core = device.child(CoreOp).name
    by_core = [mux for mux in device.children(MuxOp) if mux.symbol("source") == core]
    by_network = {mux.symbol("destination"): mux for mux in device.children(MuxOp) if mux.symbol("source") != core}
    result = []
    for noc in nocs:
        if noc.name in by_network:
            result.append(_bank_routers(by_network[noc.name], banks, len(dims)))
        elif by_core:
            result.append(_attached_routers(by_core[0], dims, banks))
        else:
            device.fail("", f"memory is unreachable on network '{noc.name}': no df.mux leads to it", "unreachable")
    return tuple(result)


def _bank_routers(mux: Fields, banks: int, rank: int) -> tuple[Coordinate, ...]:
    if mux.has("table"):
        rows = mux.rows("table")
        field = "table"
    else:
        rows, field = tuple(image for _, image in evaluate(affine_map(mux), (banks,))), "map"
    if len(rows) != banks:
        mux.fail(field, f"lists {len(rows)} routers for {banks} banks")
    for bank, router in enumerate(rows):
        if len(router) != rank:
            mux.fail(field, f"bank {bank} sits at {router}, which is not a coordinate of {rank} spatial dims")
    return rows


def _attached_routers(mux: Fields, dims: tuple[SpatialDim, ...], banks: int) -> tuple[Coordinate, ...]:
    """Banks sit at the first core that the map attaches to them."""
    extents = tuple(dim.extent for dim in dims)
    mapping = affine_map(mux)
    if mapping.num_dims != len(extents) or len(mapping.results) != 1:
        mux.fail("map", f"the map must take the {len(extents)} indices of a core to one bank")
    reached = [(bank, core) for core, (bank,) in evaluate(mapping, extents)]
    bank, core = max(reached, key=lambda entry: abs(entry[0] - (banks - 1) / 2))
    if not 0 <= bank < banks:
        message = f"the map reaches bank {bank} for core {core}; banks are 0..{banks - 1}"
        mux.fail("map", message, "dram-map", _floordiv_hint(mapping, extents, banks))
    missing = sorted(set(range(banks)) - {bank for bank, _ in reached})
    if missing:
        mux.fail("map", f"no core reaches bank {missing[0]}", "unreachable")
    first = {bank: core for bank, core in reversed(reached)}
    return tuple(tuple(dim.positions[i] for dim, i in zip(dims, first[b], strict=True)) for b in range(banks))


def _floordiv_hint(mapping: AffineMap, extents: Coordinate, banks: int) -> str:
    """A hint when rounding down instead of up would keep the map within the banks."""
    floored = AffineMap(mapping.num_dims, 0, tuple(map(_floored, mapping.results)))
    fits = all(0 <= bank < banks for _, (bank,) in evaluate(floored, extents))
    return "did you mean floordiv?" if floored != mapping and fits else ""


def _floored(expression: AffineExpr) -> AffineExpr:
    if not isinstance(expression, AffineBinaryOpExpr):
        return expression
    kind = expression.kind
    floor = AffineBinaryOpKind.FloorDiv if kind is AffineBinaryOpKind.CeilDiv else kind
    return AffineBinaryOpExpr(floor, _floored(expression.lhs), _floored(expression.rhs))
