"""What an encoded vector instruction does to the registers: operands and modifiers around
`vector_reference`, written independently of the C++ path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Optional

import vector_softfloat as sf
from vector_machine import EXEC, VCC, State
from vector_reference import FLOATS, REFERENCE, WIDTH, Context, Semantics, parts, signed
from vector_softfloat import F16, F32, Format

DST, SOURCES = 20, (4, 8, 12)  # register numbers used by every case
SCALAR_SOURCE, MASK_IN, MASK_OUT = 10, 12, 14
SHAPE_FLOAT = {**FLOATS, "pkh": F16, "pkf": F32, "mix": F32}
SELECTS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")


# SDWA forms that select parts of the source only
WHOLE_RESULT = ("v_cvt_f32_fp8", "v_cvt_f32_bf8", "v_cvt_pk_f32_fp8", "v_cvt_pk_f32_bf8")


@dataclass(frozen=True)
class SdwaFields:
    dst_sel: int = 6
    dst_unused: int = 0  # pad, sext, preserve
    src_sel: tuple[int, int] = (6, 6)
    sext: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class DppFields:
    control: str
    row_mask: int = 0xF
    bank_mask: int = 0xF
    bound_ctrl: bool = False


@dataclass(frozen=True)
class Case:
    """One instruction form. `scalar` is the source that comes from SGPRs instead of VGPRs."""

    name: str
    form: str  # "e32", "e64", "vop3p", "sdwa", "dpp"
    scalar: Optional[int] = None
    constant: Optional[tuple[int, str, int]] = None  # source, text, bits
    neg: int = 0
    abs: int = 0
    neg_hi: int = 0
    op_sel: int = 0
    op_sel_hi: int = 7
    omod: int = 0
    clamp: bool = False
    sdwa: SdwaFields = field(default_factory=SdwaFields)
    dpp: Optional[DppFields] = None
    explicit_masks: bool = False  # SGPR pairs instead of VCC

    @property
    def semantics(self) -> Semantics:
        return REFERENCE[self.name]


def sign_of(type_name: str) -> int:
    return 1 << (max(WIDTH.get(type_name, 32), 16) - 1)


def dpp_lane(control: str, lane: int) -> Optional[int]:
    """The lane that `lane` reads, by the manual's descriptions."""
    row, position = lane // 16 * 16, lane % 16
    name, _, argument = control.partition(":")
    if name == "quad_perm":
        return lane // 4 * 4 + int(argument.strip("[]").split(",")[lane % 4])
    n = int(argument) if argument else 1
    if name == "row_shl":
        return lane + n if position + n < 16 else None
    if name == "row_shr":
        return lane - n if position >= n else None
    if name == "row_ror":
        return row + (position + 16 - n) % 16
    if name == "row_newbcast":
        return row + n
    simple = {
        "wave_shl": lane + 1 if lane < 63 else None,
        "wave_rol": (lane + 1) % 64,
        "wave_shr": lane - 1 if lane > 0 else None,
        "wave_ror": (lane + 63) % 64,
        "row_mirror": row + 15 - position,
        "row_half_mirror": lane // 8 * 8 + 7 - lane % 8,
    }
    if name in simple:
        return simple[name]
    assert name == "row_bcast"
    if n == 15:
        return row - 1 if row else None
    return 31 if lane >= 32 else None


class Model:
    def __init__(self, case: Case, state: State) -> None:
        self.case, self.state, self.sem = case, state, case.semantics
        self.exec = state.pair(EXEC)
        self.mask_in = state.pair(MASK_IN if case.explicit_masks else VCC)

    def denormals(self, f: Format) -> tuple[bool, bool]:
        """Whether sources and results keep them."""
        bits = self.state.mode >> (4 if f is F32 else 6)
        return bool(bits & 1), bool(bits & 2)

    def register(self, type_name: str, reg: int, lane: int) -> int:
        count = max(1, WIDTH.get(type_name, 32) // 32)
        rows = self.state.vgpr
        return sum(int(rows[reg + d, lane]) << (32 * d) for d in range(count))

    def raw(self, k: int, lane: int) -> int:
        case, type_name = self.case, self.sem.sources[k]
        if self.sem.accumulates and k == len(self.sem.sources) - 1:
            return self.register(type_name, DST, lane)
        if case.constant is not None and case.constant[0] == k:
            return case.constant[2]
        if case.scalar == k:
            wide = WIDTH.get(type_name, 32) > 32
            return self.state.pair(SCALAR_SOURCE) if wide else int(self.state.sgpr[SCALAR_SOURCE])
        if "accvgpr" in case.name and case.name != "v_accvgpr_write_b32":
            return int(self.state.agpr[SOURCES[k], lane])
        return self.register(type_name, SOURCES[k], lane)

    def source(self, k: int, lane: int) -> int:
        case, type_name = self.case, self.sem.sources[k]
        modified = not (self.sem.accumulates and k == len(self.sem.sources) - 1)
        if case.dpp is not None and k == 0:
            source_lane = dpp_lane(case.dpp.control, lane)
            valid = source_lane is not None and self.exec >> source_lane & 1
            x = self.raw(k, source_lane) if valid and source_lane is not None else 0
        else:
            x = self.raw(k, lane)
        if modified:
            x = self.modified(k, x)
        x &= (1 << WIDTH.get(type_name, 32)) - 1
        x = self.flushed_source(type_name, x)
        return signed(x, WIDTH[type_name]) if type_name.startswith("i") else x

    def modified(self, k: int, x: int) -> int:
        case, type_name = self.case, self.sem.sources[k]
        if case.form == "sdwa" and k < 2:
            select = case.sdwa.src_sel[k]
            width = 8 if select < 4 else 16 if select < 6 else 32
            shift = 8 * select if select < 4 else 16 * (select - 4) if select < 6 else 0
            x = (x >> shift) % (1 << width)
            if case.sdwa.sext[k]:
                x = signed(x, width) & 0xFFFFFFFF
        if case.form == "vop3p" and type_name in ("pk", "pkh", "pkf", "mix"):
            return self.packed(k, type_name, x)
        if case.form == "e64" and WIDTH.get(type_name) == 16 and case.op_sel >> k & 1:
            x >>= 16
        if case.abs >> k & 1:
            x &= ~sign_of(type_name)
        if case.neg >> k & 1:
            x ^= sign_of(type_name)
        return x

    def packed(self, k: int, type_name: str, x: int) -> int:
        case = self.case
        low_select, high_select = case.op_sel >> k & 1, case.op_sel_hi >> k & 1
        negate_low, negate_high = case.neg >> k & 1, case.neg_hi >> k & 1
        if type_name == "mix":
            if high_select:
                x = sf.convert(F16, F32, parts(x, 16, 2)[low_select])
            if negate_high:
                x &= ~F32.sign
            return x ^ (F32.sign if negate_low else 0)
        width = 32 if type_name == "pkf" else 16
        halves = parts(x, width, 2)
        low, high = halves[low_select], halves[high_select]
        if type_name != "pk":
            low ^= negate_low << (width - 1)
            high ^= negate_high << (width - 1)
        return low | high << width

    def flushed_source(self, type_name: str, x: int) -> int:
        f = SHAPE_FLOAT.get(type_name)
        if f is None or "_class_" in self.case.name or self.case.name == "v_pk_mov_b32":
            return x
        return x if self.denormals(f)[0] else each(f, type_name, x, lambda v: sf.flush(f, v))

    def finish(self, x: int) -> int:
        """Denormal flushing, output modifier and clamp of a float result."""
        f = SHAPE_FLOAT.get(self.sem.dst)
        if f is None or self.case.name == "v_pk_mov_b32":
            return x
        keep = self.denormals(f)[1]
        ieee, dx10 = self.state.mode >> 9 & 1, self.state.mode >> 8 & 1

        def one(v: int) -> int:
            v = v if keep else sf.flush(f, v)
            if self.case.omod and not ieee and not keep:
                v = 0 if sf.is_zero(f, v) else sf.ldexp(f, v, {1: 1, 2: 2, 3: -1}[self.case.omod])
            if self.case.clamp:
                unit = f.bias << f.mantissa_bits
                if sf.is_nan(f, v):
                    return 0 if dx10 else v
                return 0 if sf.negative(f, v) else min(v, unit)
            return v

        return each(f, self.sem.dst, x, one)

    def wrapped(self, x: int) -> int:
        if self.sem.saturates and self.case.clamp:
            width = WIDTH[self.sem.dst]
            low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1)
            if self.sem.dst.startswith("u"):
                low, high = 0, (1 << width) - 1
            x = max(low, min(high, x))
        return x & ((1 << WIDTH.get(self.sem.dst, 32)) - 1)

    def placed(self, x: int, old: int) -> int:
        """The destination register after writing `x` where the encoding says."""
        case, name = self.case, self.case.name
        if case.form == "sdwa" and self.sem.dst != "pkf":
            return place_sdwa(case.sdwa, x, old)
        if name.startswith("v_cvt_sr_"):
            byte = case.op_sel >> 2
            return (old & ~(0xFF << 8 * byte)) | x << 8 * byte
        if WIDTH.get(self.sem.dst) == 16:
            high = name == "v_fma_mixhi_f16" or (case.form == "e64" and case.op_sel & 8)
            if high:
                return x << 16 | old & 0xFFFF
            if self.sem.keeps_half:
                return x | old & 0xFFFF0000
        return x

    def written(self, lane: int) -> bool:
        if not self.exec >> lane & 1:
            return False
        dpp = self.case.dpp
        if dpp is None:
            return True
        enabled = dpp.row_mask >> (lane // 16) & 1 and dpp.bank_mask >> (lane % 16 // 4) & 1
        source_lane = dpp_lane(dpp.control, lane)
        valid = source_lane is not None and self.exec >> source_lane & 1
        return bool(enabled and (valid or dpp.bound_ctrl))

    def run(self) -> State:
        after = self.state.copy()
        mode, mask = self.state.mode, 0
        for lane in range(64):
            if not self.written(lane):
                continue
            context = Context(
                lane,
                bool(self.mask_in >> lane & 1),
                bool(mode >> 9 & 1),
                mode & 3,
                mode >> 2 & 3,
                self.case.clamp,
            )
            values = [self.source(k, lane) for k in range(len(self.sem.sources))]
            result = self.sem.function(context, *values)
            mask |= int(bool(result.bit)) << lane
            if self.sem.dst != "mask":
                self.write(after, lane, result.value)
        if self.sem.writes_mask:
            after.set_pair(MASK_OUT if self.case.explicit_masks else VCC, mask)
            if self.case.name.startswith("v_cmpx"):
                after.set_pair(EXEC, mask)
        return after

    def write(self, after: State, lane: int, value: int) -> None:
        to_agpr = self.case.name in ("v_accvgpr_write_b32", "v_accvgpr_mov_b32")
        rows = after.agpr if to_agpr else after.vgpr
        old = self.register(self.sem.dst, DST, lane)
        x = self.placed(self.finish(self.wrapped(value)), old)
        for d in range(max(1, WIDTH.get(self.sem.dst, 32) // 32)):
            rows[DST + d, lane] = x >> (32 * d) & 0xFFFFFFFF


def each(f: Format, type_name: str, x: int, function: Callable[[int], int]) -> int:
    if type_name in ("pkh", "pkf"):
        low, high = parts(x, f.width, 2)
        return int(function(low) | function(high) << f.width)
    return int(function(x))


def place_sdwa(sdwa: SdwaFields, x: int, old: int) -> int:
    select = sdwa.dst_sel
    if select == 6:
        return x
    width = 8 if select < 4 else 16
    shift = 8 * select if select < 4 else 16 * (select - 4)
    part = x % (1 << width)
    if sdwa.dst_unused == 2:
        hole = ((1 << width) - 1) << shift
        return (old & ~hole) | part << shift
    if sdwa.dst_unused == 1:
        return (signed(part, width) << shift) & 0xFFFFFFFF
    return part << shift


def registers(first: int, type_name: str, file: str = "v") -> str:
    count = max(1, WIDTH.get(type_name, 32) // 32)
    return f"{file}{first}" if count == 1 else f"{file}[{first}:{first + count - 1}]"


def source_text(case: Case, k: int) -> str:
    type_name = case.semantics.sources[k]
    if case.constant is not None and case.constant[0] == k:
        text = case.constant[1]
    elif case.scalar == k:
        text = registers(SCALAR_SOURCE, type_name, "s")
    else:
        accumulator = case.name in ("v_accvgpr_read_b32", "v_accvgpr_mov_b32")
        text = registers(SOURCES[k], type_name, "a" if accumulator else "v")
    if case.form != "vop3p":
        text = f"|{text}|" if case.abs >> k & 1 else text
        text = f"-{text}" if case.neg >> k & 1 else text
    if case.form == "sdwa" and k < 2 and case.sdwa.sext[k]:
        text = f"sext({text})"
    return text


def bit_list(bits: int, count: int) -> str:
    return "[" + ",".join(str(bits >> k & 1) for k in range(count)) + "]"


def modifiers_text(case: Case, count: int) -> str:
    words: list[str] = []
    if case.form == "vop3p":
        both_halves = 0 if "mix" in case.semantics.sources else (1 << count) - 1
        pairs = (
            ("op_sel", case.op_sel, 0),
            ("op_sel_hi", case.op_sel_hi, both_halves),
            ("neg_lo", case.neg, 0),
            ("neg_hi", case.neg_hi, 0),
        )
        words += [
            f"{n}:{bit_list(v, count)}" for n, v, default in pairs if v % (1 << count) != default
        ]
    elif case.op_sel:
        bits = case.op_sel if case.name.startswith("v_cvt_sr") else case.op_sel % (1 << count)
        positions = [bits >> k & 1 for k in range(count)] + [case.op_sel >> 3 & 1]
        if case.name.startswith("v_cvt_sr"):
            positions = [0, 0, case.op_sel >> 2 & 1, case.op_sel >> 3 & 1]
        words.append("op_sel:[" + ",".join(map(str, positions)) + "]")
    words += ["clamp"] if case.clamp else []
    words += [("mul:2", "mul:4", "div:2")[case.omod - 1]] if case.omod else []
    if case.form == "sdwa":
        if case.semantics.dst != "mask" and case.name not in WHOLE_RESULT:
            unused = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")[case.sdwa.dst_unused]
            words += [f"dst_sel:{SELECTS[case.sdwa.dst_sel]}", f"dst_unused:{unused}"]
        words += [f"src{k}_sel:{SELECTS[case.sdwa.src_sel[k]]}" for k in range(min(2, count))]
    if case.dpp is not None:
        words.append(case.dpp.control)
        words += [f"row_mask:{case.dpp.row_mask:#x}", f"bank_mask:{case.dpp.bank_mask:#x}"]
        words += ["bound_ctrl:0"] if case.dpp.bound_ctrl else []
    return " ".join(words)


IMPLICIT_MASK = ("v_div_fmas_f32", "v_div_fmas_f64")


def assembly(case: Case) -> str:
    sem = case.semantics
    count = len(sem.sources) - int(sem.accumulates)
    to_agpr = case.name in ("v_accvgpr_write_b32", "v_accvgpr_mov_b32")
    operands = [] if sem.dst == "mask" else [registers(DST, sem.dst, "a" if to_agpr else "v")]
    if sem.writes_mask:
        operands.append(f"s[{MASK_OUT}:{MASK_OUT + 1}]" if case.explicit_masks else "vcc")
    operands += [source_text(case, k) for k in range(count)]
    if sem.reads_mask and case.name not in IMPLICIT_MASK:
        operands.append(f"s[{MASK_IN}:{MASK_IN + 1}]" if case.explicit_masks else "vcc")
    suffix = {"e32": "", "vop3p": "", "e64": "", "sdwa": "_sdwa", "dpp": "_dpp"}[case.form]
    return f"{case.name}{suffix} {', '.join(operands)} {modifiers_text(case, count)}".strip()


def expected(case: Case, state: State) -> State:
    return Model(case, state).run()
