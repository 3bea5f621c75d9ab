"""Input values and the instruction forms that are tried for every vector opcode."""

from __future__ import annotations

import random
from collections.abc import Iterator

from vector_machine import MASK_REGISTERS, State, new_state
from vector_model import (
    DST,
    IMPLICIT_MASK,
    SCALAR_SOURCE,
    SOURCES,
    WHOLE_RESULT,
    Case,
    DppFields,
    SdwaFields,
)
from vector_reference import FLOATS, REFERENCE, WIDTH
from vector_softfloat import F16, F32, F64, Format

EXEC_PATTERNS = (2**64 - 1, 0x0F0F_3C5A_8001_FFFE, 0x1, 0)
PACKED = ("pk", "pkh", "pkf", "mix")


def special_floats(f: Format) -> list[int]:
    one = f.bias << f.mantissa_bits
    positive = [0, 1, f.quiet - 1, (1 << f.mantissa_bits) - 1, 1 << f.mantissa_bits, one, one + 1]
    positive += [
        one - 1,
        one + f.quiet,
        f.largest,
        f.infinity,
        f.infinity | 1,
        f.infinity | f.quiet | 5,
    ]
    return positive + [p | f.sign for p in positive]


def special_integers(width: int) -> list[int]:
    top = 1 << (width - 1)
    return [0, 1, 2, 15, 31, top - 1, top, top + 1, 2 * top - 2, 2 * top - 1]


def moderate_float(f: Format, rng: random.Random) -> int:
    """A number of ordinary size, so that results are neither zero nor infinite."""
    exponent = f.bias + rng.randint(-12, 12)
    return (
        rng.getrandbits(1) * f.sign | exponent << f.mantissa_bits | rng.getrandbits(f.mantissa_bits)
    )


def random_value(type_name: str, rng: random.Random) -> int:
    if type_name in ("pk", "pkh"):
        half = "f16" if type_name == "pkh" else "u16"
        return random_value(half, rng) | random_value(half, rng) << 16
    if type_name == "pkf":
        return random_value("f32", rng) | random_value("f32", rng) << 32
    if type_name == "mix":
        return random_value(rng.choice(("f32", "pkh")), rng)
    width = WIDTH.get(type_name, 32)
    kind = rng.random()
    f = FLOATS.get(type_name)
    if kind < 0.3:
        return rng.choice(special_floats(f) if f else special_integers(width))
    if kind < 0.75 and f:
        return moderate_float(f, rng)
    if kind < 0.5:
        return rng.getrandbits(rng.randint(1, width))
    return rng.getrandbits(width)


def fill(state: State, reg: int, type_name: str, rng: random.Random) -> None:
    for lane in range(64):
        x = random_value(type_name, rng)
        if WIDTH.get(type_name) == 16:
            x |= random_value(type_name, rng) << 16
        for d in range(max(1, WIDTH.get(type_name, 32) // 32)):
            state.vgpr[reg + d, lane] = x >> (32 * d) & 0xFFFFFFFF


def random_state(
    case: Case, rng: random.Random, mode: int = 0x3F0, exec_mask: int = 2**64 - 1
) -> State:
    """Registers with values that suit the case's operand types."""
    state = new_state()
    sem = case.semantics
    for row in range(DST, DST + 4):
        state.vgpr[row] = [rng.getrandbits(32) for _ in range(64)]
    for k, type_name in enumerate(sem.sources):
        accumulator = sem.accumulates and k == len(sem.sources) - 1
        fill(state, DST if accumulator else SOURCES[k], type_name, rng)
    state.agpr[:] = state.vgpr
    scalar_type = sem.sources[case.scalar] if case.scalar is not None else "u32"
    state.set_pair(SCALAR_SOURCE, random_value(scalar_type, rng) & (2**64 - 1))
    for reg in MASK_REGISTERS:
        state.set_pair(reg, rng.getrandbits(64))
    state.set_pair(126, exec_mask)
    state.mode = mode
    equal_operands(case, state, rng)
    return state


def equal_operands(case: Case, state: State, rng: random.Random) -> None:
    """v_div_scale scales an operand that equals one of the others; comparisons like ties too."""
    types = case.semantics.sources
    if len(types) < 2 or types[0] != types[1] or rng.random() < 0.4:
        return
    other = rng.choice([k for k in range(1, len(types)) if types[k] == types[0]])
    rows = max(1, WIDTH.get(types[0], 32) // 32)
    for lane in range(0, 64, 2):
        state.vgpr[SOURCES[0] : SOURCES[0] + rows, lane] = state.vgpr[
            SOURCES[other] : SOURCES[other] + rows, lane
        ]


def is_packed(name: str) -> bool:
    sem = REFERENCE[name]
    vop2 = sem.accumulates and name not in ("v_accvgpr_read_b32",)
    return (any(t in PACKED for t in sem.sources) and not vop2) or (
        name.startswith("v_dot") and not vop2
    )


def source_count(name: str) -> int:
    sem = REFERENCE[name]
    return len(sem.sources) - int(sem.accumulates)


def plain_case(name: str) -> Case:
    if name in ("v_fmamk_f32", "v_madmk_f16"):
        return Case(name, "e32", constant=(1, "0x3f9d", 0x3F9D))
    if name in ("v_fmaak_f32", "v_madak_f16"):
        return Case(name, "e32", constant=(2, "0x3f9d", 0x3F9D))
    return Case(name, "vop3p" if is_packed(name) else "e32")


INLINE_FLOATS: dict[str, dict[str, int]] = {
    "f16": {"0.5": 0x3800, "-4.0": 0xC400},
    "f32": {"0.5": 0x3F000000, "-4.0": 0xC0800000},
    "f64": {"0.5": 0x3FE0 << 48, "-4.0": 0xC010 << 48},
}


def constant_cases(name: str) -> Iterator[Case]:
    """A scalar register and inline constants for the first source."""
    sem = REFERENCE[name]
    if is_packed(name) or name in ("v_fmamk_f32", "v_fmaak_f32", "v_madmk_f16", "v_madak_f16"):
        return
    yield Case(name, "e32", scalar=0)
    type_name = sem.sources[0]
    if type_name in INLINE_FLOATS:
        for text, bits in INLINE_FLOATS[type_name].items():
            yield Case(name, "e32", constant=(0, text, bits))
    elif type_name in ("u32", "i32", "u16", "i16", "u64", "i64"):
        yield Case(name, "e32", constant=(0, "-7", -7 % (1 << WIDTH[type_name])))


def modifier_cases(name: str, rng: random.Random) -> Iterator[Case]:
    """VOP3 and VOP3P modifiers, drawn at random; the assembler rejects what does not exist."""
    n = source_count(name)
    bits = 1 << n
    if is_packed(name):
        for _ in range(3):
            yield Case(
                name,
                "vop3p",
                op_sel=rng.randrange(bits),
                op_sel_hi=rng.randrange(8),
                neg=rng.randrange(bits),
                neg_hi=rng.randrange(bits),
            )
            yield Case(name, "vop3p", op_sel=rng.randrange(bits), op_sel_hi=rng.randrange(8))
        yield Case(name, "vop3p", clamp=True)
        return
    sem = REFERENCE[name]
    masks = (sem.reads_mask and name not in IMPLICIT_MASK) or sem.writes_mask
    if masks:
        yield Case(name, "e64", explicit_masks=True)
        yield Case(name, "e64", explicit_masks=True, neg=rng.randrange(1, bits))
        yield Case(name, "e64", explicit_masks=True, clamp=True)
    yield Case(name, "e64", neg=rng.randrange(1, bits))
    yield Case(name, "e64", neg=rng.randrange(bits), abs=rng.randrange(1, bits))
    yield Case(name, "e64", clamp=True)
    yield Case(name, "e64", omod=rng.randrange(1, 4))
    yield Case(name, "e64", abs=rng.randrange(bits), clamp=True, omod=rng.randrange(1, 4))
    for op_sel in (8, rng.randrange(bits), rng.randrange(bits) | 8):
        yield Case(name, "e64", op_sel=op_sel)
        yield Case(name, "e64", op_sel=op_sel, neg=rng.randrange(bits), abs=rng.randrange(bits))
    if name.startswith("v_cvt_sr"):
        yield from (Case(name, "e64", op_sel=byte << 2) for byte in range(4))


def sdwa_cases(name: str, rng: random.Random) -> Iterator[Case]:
    bits = 1 << source_count(name)
    if name in WHOLE_RESULT:
        yield from (Case(name, "sdwa", sdwa=SdwaFields(src_sel=(part, 6))) for part in range(7))
        return
    for _ in range(5):
        fields = SdwaFields(
            rng.randrange(7), rng.randrange(3), (rng.randrange(7), rng.randrange(7))
        )
        sext = SdwaFields(
            fields.dst_sel,
            fields.dst_unused,
            fields.src_sel,
            (bool(rng.getrandbits(1)), bool(rng.getrandbits(1))),
        )
        yield Case(name, "sdwa", sdwa=fields)
        yield Case(name, "sdwa", sdwa=sext)
        yield Case(name, "sdwa", sdwa=fields, neg=rng.randrange(bits), abs=rng.randrange(bits))
    yield Case(name, "sdwa", sdwa=SdwaFields(src_sel=(1, 6)))
    yield Case(name, "sdwa", sdwa=SdwaFields(src_sel=(6, 6)), neg=1)
    yield Case(name, "sdwa", sdwa=SdwaFields(src_sel=(6, 6)), abs=bits - 1)
    yield Case(name, "sdwa", clamp=True)


DPP_CONTROLS = (
    "quad_perm:[3,0,2,1]",
    "row_shl:1",
    "row_shl:15",
    "row_shr:3",
    "row_ror:5",
    "wave_shl:1",
    "wave_rol:1",
    "wave_shr:1",
    "wave_ror:1",
    "row_mirror",
    "row_half_mirror",
    "row_bcast:15",
    "row_bcast:31",
    "row_newbcast:0",
    "row_newbcast:9",
)


def dpp_cases(name: str, rng: random.Random, controls: list[str]) -> Iterator[Case]:
    bits = 1 << source_count(name)
    for control in controls:
        fields = DppFields(
            control, rng.choice((0xF, 0xA, 0x5)), rng.choice((0xF, 0x3)), bool(rng.getrandbits(1))
        )
        yield Case(name, "dpp", dpp=fields)
        yield Case(name, "dpp", dpp=fields, neg=rng.randrange(bits), abs=rng.randrange(bits))


def float_formats(name: str) -> list[Format]:
    sem = REFERENCE[name]
    known = {"f16": F16, "pkh": F16, "f32": F32, "pkf": F32, "mix": F32, "f64": F64}
    return [known[t] for t in (sem.dst, *sem.sources) if t in known]
