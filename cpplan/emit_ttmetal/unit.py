"""What the compute unit is set up for, so that every change of operation or format gets its calls, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cpplan.emit_ttmetal.nodes import Dot, Read
from cpplan.emit_ttmetal.ops import Row
from cpplan.emit_ttmetal.text import Text, plus, scaled, written
from cpplan.tile.program import Affine

HEADERS = ("common.h", "compute_kernel_hw_startup.h", "cb_api.h", "pack.h", "reg_api.h", "reconfig_data_format.h")
"""Headers that every compute kernel includes."""


@dataclass
class Unit:
    """``names`` gives the C++ name of every circular buffer, ``formats`` its format; ``real`` is the DataFormat of
    floating-point slots. ``gone`` says how many pages of a buffer were popped since its pages were counted.

    At the head of a loop nothing is known of the set-up, since it may have come from the loop's own end.
    """

    names: Mapping[str, str]
    formats: Mapping[str, str]
    real: str
    headers: set[str] = field(default_factory=lambda: set(HEADERS))
    multiplied: set[str] = field(default_factory=set)
    copied: set[str] = field(default_factory=set)
    first: tuple[str, ...] = ()  # operands of the first product, else the first page that is read
    gone: dict[str, Affine] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    _sources: tuple[str, str] | None = None
    _packer: str | None = None
    _moving: str = ""
    _vector: str = ""

    def forget(self) -> None:
        """A loop begins or has ended."""
        self._sources = self._packer = None
        self._moving = self._vector = ""

    def take(self, other: Unit) -> None:
        """Go on from the set-up of ``other``, a copy that something was emitted with."""
        self._sources, self._packer = other._sources, other._packer
        self._moving, self._vector, self.first = other._moving, other._vector, other.first

    # -- operations ----------------------------------------------------------------------------------------------------

    def read(self, text: Text, node: Read, slot: int) -> None:
        """A page to a slot."""
        gone = self.gone.get(node.buffer)
        page = written(plus(node.page, scaled(gone, -1)) if gone else node.page)
        cb = self.names[node.buffer]
        self.used.add(node.buffer)
        self.first = self.first or (node.buffer,)
        self.copied.add(node.buffer)
        if node.mode in ("copy", "transpose"):
            name, header = ("copy", "tile_move_copy.h") if node.mode == "copy" else ("transpose", "transpose.h")
            self.headers.add(header)
            self._source(text, node.buffer)
            self._start(text, f"{name}_init({cb})")
            text.call(f"{name}_tile({cb}, {page}, {slot});")
            return
        self.headers.add("bcast.h")
        self._both(text, node.buffer, node.buffer)
        kind = f"<BroadcastType::{node.mode}>"
        self._start(text, f"unary_bcast_init{kind}({cb})")
        text.call(f"unary_bcast{kind}({cb}, {page}, {slot});")
        text.line(f"unary_bcast_uninit{kind}({cb});")
        self._moving = ""

    def apply(self, text: Text, row: Row, slots: tuple[int, ...], out: int, number: str, axis: str = "") -> None:
        """A row of the table; ``number`` is written already."""
        self.headers.add(row.header)
        nearest = "" if self.real == "Float32" else "<DstRoundingMode::NearestEven>"
        words = {"out": out, "bits": number, "float": self.real, "axis": axis, "nearest": nearest}
        init = row.init.format(*slots, **words)
        if init != self._vector:
            text.line(f"{init};")
            self._vector = init
        text.call(row.call.format(*slots, **words) + ";")
        if axis:  # a reduction changes address modifiers that products use (ADDR_MOD_5 in ckernel_sfpu_reduce.h)
            self._moving = ""

    def scan(self, text: Text, row: Row, first: str, condition: str) -> None:
        """Running sums in slot 0; the totals begin anew where ``first`` holds, and there alone the unit is set up."""
        self.headers.add(row.header)
        text.line(f"if ({condition}) {row.init};" if condition else f"{row.init};")
        text.line(row.call.format(0, first=first) + ";")
        self._vector = ""

    def multiply(self, text: Text, dot: Dot, slot: int, height: int, width: int) -> None:
        """``height`` x ``width`` tiles of a product, added to the slots from ``slot`` on."""
        left, right = dot.left.buffer, dot.right.buffer
        a, b = self.names[left], self.names[right]
        self.headers.add("matmul.h")
        self.multiplied |= {left, right}
        self.used |= {left, right}
        self.first = self.first if len(self.first) == 2 else (left, right)
        self._both(text, left, right, "<SrcOrder::Reverse>")
        turned = int(dot.transposed)
        self._start(text, f"matmul_block_init({a}, {b}, {turned}, {width}, {height}, {dot.left_stride})")
        call = (
            f"matmul_block({a}, {b}, {written(dot.left.page)}, {written(dot.right.page)}, {slot}, {turned}, {width}, "
            f"{height}, {dot.left_stride});"
        )
        if dot.depth == 1:
            text.line(call)
            return
        with text.block(f"for (uint32_t {dot.step} = 0; {dot.step} < {dot.depth}; ++{dot.step})"):
            text.line(call)

    def pack(self, text: Text, slot: int, buffer: str, page: Affine | None = None) -> None:
        """A slot to the next page that is reserved, or to page number ``page`` of those."""
        cb = self.names[buffer]
        if self._packer != self.formats[buffer]:
            if len(set(self.formats.values())) > 1:
                text.line(f"pack_reconfig_data_format({cb});")
            self._packer = self.formats[buffer]
        if page is None:
            text.line(f"pack_tile({slot}, {cb});")
        else:
            text.line(f"pack_tile<true>({slot}, {cb}, {written(page)});")

    # -- set-up --------------------------------------------------------------------------------------------------------

    def _start(self, text: Text, init: str) -> None:
        if init != self._moving:
            text.line(f"{init};")
            self._moving, self._vector = init, ""

    def _source(self, text: Text, buffer: str) -> None:
        wanted = self.formats[buffer]
        if self._sources is None or self._sources[0] != wanted:
            if len(set(self.formats.values())) > 1:
                text.line(f"reconfig_data_format_srca({self.names[buffer]});")
            self._sources = (wanted, self._sources[1] if self._sources else "")
            self._moving = ""

    def _both(self, text: Text, first: str, second: str, order: str = "") -> None:
        wanted = (self.formats[first], self.formats[second])
        if order:
            wanted = (wanted[1], wanted[0])
        if self._sources != wanted:
            if len(set(self.formats.values())) > 1:
                text.line(f"reconfig_data_format{order}({self.names[first]}, {self.names[second]});")
            self._sources = wanted
            self._moving = ""
