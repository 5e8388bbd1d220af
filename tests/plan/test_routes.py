"""Routes of packets as sets of directed links, on networks small enough to draw."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from instances import random_device

from cpplan.device.device import Forward, Noc
from cpplan.plan.plan import Split
from cpplan.plan.routes import crossings, link_count, load_weights, route
from cpplan.plan.space import deliveries
from cpplan.tile.program import Access, Affine

ROUTERS = list(itertools.product(range(3), range(4)))


def network(wraps: bool, steps: tuple[int, int] = (1, 1)) -> Noc:
    return Noc("n", ((0, steps[0]), (1, steps[1])), (3, 4), wraps, Fraction(32))


@pytest.mark.parametrize("steps", [(1, 1), (-1, 1), (-1, -1)])
def test_packets_of_a_mesh_take_the_shortest_way_and_opposite_ones_never_meet(steps: tuple[int, int]) -> None:
    mesh = network(False, steps)
    for a, b in itertools.product(ROUTERS, ROUTERS):
        there, back = route(mesh, a, b), route(mesh, b, a)
        assert len(there) == len(set(there)) == abs(a[0] - b[0]) + abs(a[1] - b[1])
        assert not set(there) & set(back)
        assert all(0 <= link < link_count(mesh) for link in there)


def test_a_mesh_has_one_link_per_neighbour_and_direction() -> None:
    mesh = network(False)
    used = {link for a, b in itertools.product(ROUTERS, ROUTERS) for link in route(mesh, a, b)}
    assert len(used) == 2 * (2 * 4 + 3 * 3)


def test_packets_of_a_torus_go_one_way_round() -> None:
    torus = network(True, (1, -1))
    for a, b in itertools.product(ROUTERS, ROUTERS):
        assert len(route(torus, a, b)) == (b[0] - a[0]) % 3 + (a[1] - b[1]) % 4
    used = {link for a, b in itertools.product(ROUTERS, ROUTERS) for link in route(torus, a, b)}
    assert used == set(range(link_count(torus))) == set(range(2 * 12))


@pytest.mark.parametrize("wraps", [False, True], ids=["mesh", "torus"])
@pytest.mark.parametrize("steps", [(1, 1), (-1, 1), (1, -1)])
def test_many_routes_at_once_cross_the_links_of_each_alone(wraps: bool, steps: tuple[int, int]) -> None:
    noc, pairs = network(wraps, steps), list(itertools.product(ROUTERS, ROUTERS))
    links, number = crossings(noc, np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]))
    for n, (a, b) in enumerate(pairs):
        assert sorted(links[number == n].tolist()) == sorted(route(noc, a, b))


@pytest.mark.parametrize("wraps", [False, True], ids=["mesh", "torus"])
@pytest.mark.parametrize("seed", range(8))
def test_a_multicast_crosses_every_link_of_its_routes_once(wraps: bool, seed: int) -> None:
    r, noc = Random(seed), network(wraps, (1, -1))
    trees = [(r.choice(ROUTERS), r.sample(ROUTERS, r.randint(1, 7))) for _ in range(5)]
    sources = np.array([source for source, targets in trees for _ in targets])
    tree = np.array([n for n, (_, targets) in enumerate(trees) for _ in targets])
    links, number = crossings(noc, sources, np.array([t for _, targets in trees for t in targets]), tree)
    for n, (source, targets) in enumerate(trees):
        assert sorted(links[tree[number] == n].tolist()) == sorted({x for t in targets for x in route(noc, source, t)})


def test_a_line_along_an_axis_that_a_network_does_not_travel_uses_none_of_its_links() -> None:
    device = random_device(Random(1), (3, 2))
    only_y = Noc("y", ((1, 1),), device.nocs[0].torus, True, Fraction(32))
    dram = replace(device.dram, banks=1, endpoints=(((1, 1),),))
    device = replace(
        device, name="y", nocs=(only_y,), dram=dram, multicast=None, forward=Forward(("x", "y"), dram.read)
    )
    spatial = ((Split("p", 3),), ())
    access = Access("a", "t", "load", (32, 32), (Affine(), Affine()))
    (line,) = [way for way in deliveries(device, spatial, access, shareable=True) if way.pattern == "forward"]
    alone = load_weights(device, (1, 1), (1, 1), "private", 0, "first")
    assert (load_weights(device, (3, 1), line.groups, line.pattern, line.noc, line.reader) == alone).all()
