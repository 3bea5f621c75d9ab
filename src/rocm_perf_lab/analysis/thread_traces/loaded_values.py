"""Which results of a traced wave are values of memory, but for their form, which are sums of
products of two such values, and which are steps of a polynomial.

Operands of matrices and filters are loaded, made wider and multiplied, and the products are added
up, by whatever instructions; a polynomial multiplies what the step before made, and adds a
constant.
"""

from __future__ import annotations

import re

from rocm_perf_lab.analysis.code.data_flow import Flow
from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.thread_traces.taken import Taken

REGISTER_BYTES = 4
_SUM = 4  # products at least that are added up
_POWERS = range(3, 17)  # of a polynomial of a function; longer chains are what a program iterates

_MOVED = re.compile(
    r"v_(?:cvt_|mov_|and_b32|or_b32|lshl|lshr|ashr|bfe_|perm_|align|pack_|pk_mov|accvgpr|readlane|"
    r"readfirst|add_lshl|sub_u32|subrev_u32)|s_(?:and|or|lsh|ash|bfe|mov|pack|sext)"
)
# Values of two bytes or one made wider, or cut out of a register that holds several of them.
_WIDENED = re.compile(
    r"v_cvt_f32_(?:f16|bf16|ubyte)|v_cvt_f16_|v_lshlrev_b32\w* \w+, 16,|v_and_b32\w* \w+, 0xff|"
    r"v_bfe_|.*\bsrc0_sel:(?:BYTE|WORD)"
)
_NARROW_OPERANDS = re.compile(
    r"v_(?:dot\d|fma_mix|mad_mix|pk_(?:fma|mad|mul)_[fiu]16|m\w+_[iu]32_[iu]24)"
)
_FUSED = re.compile(r"v_(?:fma|fmac|mad_|mac_|pk_fma|pk_mad|dot\d|fma_mix|mad_mix)")
_PRODUCT = re.compile(r"v_(?:pk_)?mul_(?:f|lo_|i32_i24|u32_u24|legacy)")
_SUM_OF_TWO = re.compile(r"v_(?:pk_)?(?:add|sub)\w*_(?:f|u32|i32|u16|i16)|v_add3_")


class Values:
    """Which results are values of memory, but for their form, and which are sums of products of
    two such values; each is added in the order of execution."""

    def __init__(self) -> None:
        self._loaded: dict[int, bool] = {}  # and whether they have less than a register
        self._added_up: dict[int, int] = {}  # how many of them, where the sum ends
        self._before: dict[int, list[int]] = {}  # the parts of a sum
        self._before_powers: dict[int, list[int]] = {}
        self._narrow: set[int] = set()  # products
        self._constants: set[int] = set()
        self._powers: dict[int, int] = {}  # steps of a polynomial so far, then of the whole
        self._staged_narrow = False  # what the LDS holds was made wider on the way there

    def add(self, place: int, flow: Flow, took: Taken) -> None:
        if flow.is_load:
            staged = flow.kind is InstructionClass.LDS and self._staged_narrow
            self._loaded[place] = staged or flow.lane_bytes < REGISTER_BYTES
        elif flow.kind is InstructionClass.LDS:
            stored = [part for source in took.sources for part in source]
            self._staged_narrow = any(self._loaded.get(part, False) for part in stored)
        elif flow.writes and not any(flow.sources):
            self._constants.add(place)
        elif self._is_moved(flow, took):
            moved = (part for source in took.sources for part in source)
            is_cut = bool(_WIDENED.match(flow.text))
            self._loaded[place] = is_cut or any(self._loaded.get(part, False) for part in moved)
        elif _FUSED.match(flow.opcode):
            self._add_product(place, flow, took, [p for part in took.sources[2:] for p in part])
            self._add_power(place, took)
        elif _PRODUCT.match(flow.opcode):
            self._add_product(place, flow, took, [])
        elif _SUM_OF_TWO.match(flow.opcode):
            parts = [p for source in took.sources for p in source if p in self._added_up]
            if parts:
                self._add_sum(place, parts)

    def end(self) -> None:
        for counts, before in (
            (self._added_up, self._before),
            (self._powers, self._before_powers),
        ):
            for place in sorted(before, reverse=True):
                for part in before[place]:
                    counts[part] = max(counts[part], counts[place])

    def is_loaded(self, place: int) -> bool:
        return place in self._loaded

    def is_product(self, place: int) -> bool:
        return self._added_up.get(place, 0) >= _SUM

    def is_narrow(self, place: int) -> bool:
        """Of a product: both of its factors have one or two bytes."""
        return place in self._narrow

    def is_power(self, place: int) -> bool:
        return self._powers.get(place, 0) in _POWERS

    def _is_moved(self, flow: Flow, took: Taken) -> bool:
        if not _MOVED.match(flow.opcode):
            return False
        parts = [part for source in took.sources for part in source]
        own = [part for part in parts if part not in self._constants]  # not a mask or a distance
        return bool(own) and all(part in self._loaded for part in own)

    def _add_product(self, place: int, flow: Flow, took: Taken, addends: list[int]) -> None:
        factors = took.sources[:2]
        if len(factors) < 2 or not all(f and all(p in self._loaded for p in f) for f in factors):
            return
        self._add_sum(place, [part for part in addends if part in self._added_up])
        narrow = all(any(self._loaded[part] for part in factor) for factor in factors)
        if narrow or _NARROW_OPERANDS.match(flow.opcode):
            self._narrow.add(place)

    def _add_power(self, place: int, took: Taken) -> None:
        if all(part in self._constants for source in took.sources[2:] for part in source):
            before = [p for source in took.sources[:2] for p in source if p in self._powers]
            self._before_powers[place] = before
            self._powers[place] = 1 + max((self._powers[part] for part in before), default=0)

    def _add_sum(self, place: int, parts: list[int]) -> None:
        self._before[place] = parts
        self._added_up[place] = 1 + max((self._added_up[part] for part in parts), default=0)
        if any(part in self._narrow for part in parts):
            self._narrow.add(place)
