"""One transfer as C++: reading or receiving a block of tiles, or writing one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cpplan.emit_ttmetal.block_formats import EXPONENT_BYTES
from cpplan.emit_ttmetal.indices import affine_text, index_text, trips_text
from cpplan.emit_ttmetal.movement.edges import Edge, edges_of
from cpplan.emit_ttmetal.movement.fills import WORDS, fill_bits
from cpplan.emit_ttmetal.movement.lines import braces, counted
from cpplan.emit_ttmetal.names import identifier
from cpplan.plan.nest import cores_per_dim
from cpplan.plan.space import shared_loop
from cpplan.schedule.schedule import Index, Schedule, Stream, TensorLayout, Term
from cpplan.tile.layout import BLOCK_FORMATS
from cpplan.tile.program import Affine


@dataclass(frozen=True)
class Mover:
    """Writes the moves of one stream."""

    schedule: Schedule
    stream: Stream

    @property
    def cb(self) -> str:
        """Constant that holds the index of the circular buffer."""
        return f"cb_{identifier(self.stream.buffer)}"

    @property
    def pages(self) -> str:
        """Constant that holds the pages of a block."""
        return f"pages_{identifier(self.stream.buffer)}"

    @property
    def page_bytes(self) -> str:
        """Constant that holds the bytes of a page."""
        return f"page_bytes_{identifier(self.stream.buffer)}"

    @property
    def dram(self) -> str:
        """Accessor of the tensor."""
        return f"dram_{identifier(self.stream.layout)}"

    @property
    def part(self) -> str:
        """What this core does for a shared stream."""
        return f"part_{identifier(self.stream.access)}"

    @property
    def valid(self) -> str:
        """Semaphore that says that a shared block is there."""
        return f"valid_{self.stream.noc}"

    @property
    def ready(self) -> str:
        """Semaphore that counts receivers with room for a shared block."""
        return f"ready_{identifier(self.stream.access)}"

    def move(self, loops: Sequence[str]) -> list[str]:
        """The whole transfer; ``loops`` are the loops of the kernel around it."""
        return self._load() if self.stream.kind == "load" else self._store(loops)

    # -- loads ---------------------------------------------------------------------------------------------------------

    def _load(self) -> list[str]:
        if self.stream.pattern == "private":
            return private_loads([self])
        reading = [*self.reads(), "noc_async_read_barrier();", *self.fills()]
        lines = [self.reserve]
        if self.stream.pattern == "multicast":
            block = f"get_write_ptr({self.cb}), {self.pages} * {self.page_bytes}"
            send = f"plan::send({self.part}, {block}, {self.ready}, {self.valid});"
            lines += braces(f"if ({self.part}.reads)", [*reading, send], "reads for its group")
            lines[-1] = "} else {"
            lines += [f"    plan::receive({self.part}, {self.ready}, {self.valid});", "}"]
        else:
            lines += self._forward(reading)
        return [*lines, self.push]

    @property
    def reserve(self) -> str:
        """Room for a block."""
        return f"cb_reserve_back({self.cb}, {self.pages});"

    @property
    def push(self) -> str:
        """The block is there."""
        return f"cb_push_back({self.cb}, {self.pages});"

    def _forward(self, reading: list[str]) -> list[str]:
        lines = braces(f"if ({self.part}.reads)", reading, "the first of the line")
        lines[-1] = "} else {"
        lines += [f"    plan::receive({self.part}, {self.ready}, {self.valid});", "}"]
        block = f"get_write_ptr({self.cb}), {self.pages} * {self.page_bytes}"
        return [*lines, f"plan::pass_on({self.part}, {block}, {self.ready}, {self.valid});"]

    def reads(self) -> list[str]:
        """Asks for all pages of a block; nothing waits for them."""
        edges = self._edges
        reads = self._page_access(edges)
        one = f"noc_async_read_page({self._page_id(edges)}, {self.dram}, at);"
        body = [one]
        if reads:
            body = braces(f"if ({' && '.join(reads)})", [one])
            body[-1] = "} else {"
            body += [f"    {self._fill_page}  // beyond the tensor", "}"]
        body += self._next_page(edges)
        return [f"uint32_t at = get_write_ptr({self.cb});", *self._tiles(self._pages(edges, body))]

    def fills(self) -> list[str]:
        """Overwrites what takes no part, once the pages are there; empty where nothing has to be."""
        edges = self._edges
        outside = self._outside(edges)
        if not outside:
            return []
        inside = self._tiles(self._pages(edges, [*outside, *self._next_page(edges)]))
        first = f"uint32_t at = get_write_ptr({self.cb});  // elements that the kernel masks get its fill"
        return braces("", [first, *inside])

    def _outside(self, edges: Sequence[Edge]) -> list[str]:
        """Overwriting of what takes no part in a page."""
        if not any(edge.in_tile and (edge.begins or edge.ends) for edge in edges):
            return []
        layout = self._layout
        if layout.in_runs:
            first, end = self._limits(edges, layout.columns, 1024)
            return [f"plan::fill_run_outside<{self._word}>(at, {first}, {end}, {self._fill});"]
        rows = ", ".join(self._limits(edges, layout.rows, 32))
        columns = ", ".join(self._limits(edges, layout.columns, 32))
        first_element = f"at + {EXPONENT_BYTES}" if layout.format in BLOCK_FORMATS else "at"
        return [f"plan::fill_outside<{self._word}>({first_element}, {rows}, {columns}, {self._fill});"]

    def _limits(self, edges: Sequence[Edge], number: int | None, page: int) -> tuple[str, str]:
        """First and end of the rows (or columns) of a page that take part."""
        if number is None:
            return "0", str(page)
        edge = edges[number]
        element = _element(edge, f"i{number}")
        first = [f"{affine_text(begin)} - ({element})" for begin in edge.begins]
        end = [f"{affine_text(limit)} - ({element})" for limit in edge.ends]
        return _nested("plan::most", ["0", *first]), _nested("plan::least", [str(page), *end])

    # -- stores --------------------------------------------------------------------------------------------------------

    def _store(self, loops: Sequence[str]) -> list[str]:
        edges = self._edges
        writes = [*self._page_access(edges), *self._page_limits(edges)]
        one = f"noc_async_write_page({self._page_id(edges)}, {self.dram}, at);"
        body = braces(f"if ({' && '.join(writes)})", [one], "inside the tensor") if writes else [one]
        inside = self._pages(edges, [*body, *self._next_page(edges)])
        exists = self._exists(loops)
        if exists:
            inside = braces(f"if ({' && '.join(exists)})", inside, "blocks that are this core's to write")
        if exists and self.stream.inner:
            skipped = math.prod(edge.count for edge in edges)
            inside[-1] = "} else {"
            inside += [f"    at += {skipped} * {self.page_bytes};", "}"]
        moving = [f"uint32_t at = get_read_ptr({self.cb});", *self._tiles(inside), self._written]
        return [
            f"cb_wait_front({self.cb}, {self.pages});",
            *braces("", moving),
            f"cb_pop_front({self.cb}, {self.pages});",
        ]

    @property
    def _written(self) -> str:
        """What a store waits for: that its pages have left, or those of an atomic have arrived."""
        if any(
            access.name == self.stream.access and access.kind == "atomic" for access in self.schedule.program.accesses
        ):
            return "noc_async_write_barrier();  // only now may the next block read the tile"
        return "noc_async_writes_flushed();"

    def _exists(self, loops: Sequence[str]) -> list[str]:
        """Conditions under which the block is there and this core writes it."""
        program, spread = self.schedule.program, cores_per_dim(self.schedule.plan.spatial)
        out = [f"{identifier(dim.name)} < {dim.extent}" for dim in program.dims if dim.extent % spread.get(dim.name, 1)]
        inner = [name for name, _ in self.stream.inner if name not in {dim.name for dim in program.dims}]
        for name in dict.fromkeys((*loops, *inner)):
            loop = program.loop(name)
            if loop.profile is not None:
                out.append(f"{identifier(name)} < {trips_text(loop.profile, identifier(loop.profile.dim))}")
            elif loop.trips % spread.get(name, 1):
                out.append(f"{identifier(name)} < {loop.trips}")
        shared = shared_loop(program, self.schedule.plan.spatial)
        if shared is not None:
            out.append(f"core_{identifier(shared[0])} == 0")
        return out

    def _page_limits(self, edges: Sequence[Edge]) -> list[str]:
        """Conditions under which a page that a store masks off is not written."""
        out = []
        for number, edge in enumerate(edges):
            element = _element(edge, f"i{number}")
            out += [f"{element} >= {affine_text(begin)}" for begin in edge.begins if edge.in_tile]
            out += [f"{element} < {affine_text(end)}" for end in edge.ends if edge.in_tile]
        return out

    # -- what both share -----------------------------------------------------------------------------------------------

    @property
    def _edges(self) -> tuple[Edge, ...]:
        return edges_of(self.schedule, self.stream)

    @property
    def _layout(self) -> TensorLayout:
        return self.schedule.layout(self.stream.layout)

    def _next_page(self, edges: Sequence[Edge]) -> list[str]:
        """On to the place of the next page; nothing where a block has one."""
        is_alone = not self.stream.inner and all(edge.count == 1 for edge in edges)
        return [] if is_alone else [f"at += {self.page_bytes};"]

    @property
    def _fill_page(self) -> str:
        """Fills a whole page; in block formats with zeros, as edges are."""
        if self._layout.format in BLOCK_FORMATS:
            return f"plan::clear(at, {self.page_bytes});"
        return f"plan::fill<{self._word}>(at, {self._fill});"

    @property
    def _word(self) -> str:
        return WORDS[self._layout.format]

    @property
    def _fill(self) -> str:
        value = 0.0 if self.stream.fill is None else self.stream.fill
        return f"0x{fill_bits(value, self._layout.format):x}"

    def _tiles(self, body: list[str]) -> list[str]:
        """``body`` for every tile of the transfer, with the indices that change from tile to tile."""
        for name, span in reversed(self.stream.inner):
            symbol = identifier(name)
            index = self.schedule.index_of(name, Index(0, (Term(f"next_{symbol}"),)))
            body = counted(
                f"next_{symbol}",
                str(span),
                [f"const int32_t {symbol} = {index_text(index)};", *body],
                "all tiles of the block",
            )
        return body

    def _pages(self, edges: Sequence[Edge], body: list[str]) -> list[str]:
        """``body`` for every page of a tile; ``i0``, ``i1``, ... number pages along the axes of the tensor."""
        for number, edge in reversed(list(enumerate(edges))):
            if edge.count == 1:
                body = [f"const int32_t i{number} = {affine_text(edge.first)};", *body]
            else:
                first = affine_text(edge.first)
                index = f"const int32_t i{number} = {first} + p{number};" if first != "0" else ""
                head = f"p{number}" if index else f"i{number}"
                body = counted(head, str(edge.count), [*([index] if index else []), *body])
        return body

    def _page_access(self, edges: Sequence[Edge]) -> list[str]:
        """Conditions under which a page is there."""
        out = []
        for number, edge in enumerate(edges):
            begins, ends = (() if edge.in_tile else edge.begins), (() if edge.in_tile else edge.ends)
            out += [f"i{number} >= 0"] if edge.below else []
            out += [f"i{number} < {edge.total}"] if edge.above else []
            out += [f"i{number} >= {affine_text(begin)}" for begin in begins]
            out += [f"i{number} < {affine_text(end)}" for end in ends if end != Affine(edge.total)]
        return out

    def _page_id(self, edges: Sequence[Edge]) -> str:
        """Number of a page, row-major over axes outside of hardware tiles, then rows, then columns."""
        layout = self._layout
        inside = [n for n in (layout.rows, layout.columns) if n is not None]
        order = [n for n in range(len(edges)) if n not in inside] + inside
        text = ""
        for number in order:
            total = edges[number].total
            if total == 1 and not edges[number].below and not edges[number].above:
                continue
            text = (
                f"i{number}"
                if not text
                else f"{text} + i{number}"
                if total == 1
                else f"({text}) * {total} + i{number}"
                if " " in text
                else (f"{text} * {total} + i{number}")
            )
        return text or "0"


def private_loads(movers: Sequence[Mover]) -> list[str]:
    """Private loads of one level that are under way at the same time."""
    return [
        *(mover.reserve for mover in movers),
        *(line for mover in movers for line in braces("", mover.reads())),
        "noc_async_read_barrier();",
        *(line for mover in movers for line in mover.fills()),
        *(mover.push for mover in movers),
    ]


def _element(edge: Edge, page: str) -> str:
    """First element of page number ``page`` along an axis."""
    axis, per_piece = edge.axis, edge.pages_per_piece
    if not edge.in_tile:
        return page
    if axis.unit == axis.padded:
        text = f"{edge.page} * {page}"
    elif per_piece == 1:
        text = f"{axis.unit} * {page}"
    else:
        text = f"{axis.unit} * ({page} / {per_piece}) + {edge.page} * ({page} % {per_piece})"
    return f"{text} - {axis.lead}" if axis.lead else text


def _nested(function: str, items: Iterable[str]) -> str:
    """``function(a, function(b, c))``."""
    first, *rest = items
    return f"{function}({first}, {_nested(function, rest)})" if rest else first
