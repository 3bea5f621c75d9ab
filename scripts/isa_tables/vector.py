"""Rows of VOP1, VOP2, VOPC with their SDWA and DPP forms, VOP3 and VOP3P."""

from __future__ import annotations

from dataclasses import dataclass

from isa_tables.oracle import DST, SRC0, SRC1, SRC2, VGPR, Answer, Words, ask, bare, register_width
from isa_tables.probe import (
    Field,
    Found,
    Rows,
    first_accepted,
    first_true,
    masks,
    patterns,
    probe_sources,
    row,
    source_type,
)

VSRC0 = Field(SRC0, 0, 0)
E64_FIELDS = [Field(SRC0, 1, 0), Field(SRC1, 1, 9), Field(SRC2, 1, 18)]


@dataclass(frozen=True)
class Form:
    """An encoding that replaces src0 by a marker and brings a second dword of modifiers."""

    marker: int
    words: tuple[int, ...]  # second dwords to try
    bits: range  # those of its bits that some opcodes use and others forbid


SDWA = Form(0xF9, (0, 0x600), range(8, 32))  # fp8 conversions demand dst_sel DWORD
# quad_perm, or row_newbcast for the 64-bit operations that know nothing else
DPP = Form(0xFA, (0xFF00E400, 0xFF015000), range(20, 24))


def form_column(found: Found, form: Form) -> dict[int, str]:
    """FORM(used bits, bits that must be zero, bits that must be one) of opcodes with this form."""
    bits = [(1, bit) for bit in form.bits]
    candidates = {
        op: [((words[0] & ~0x1FF) | form.marker, second) for second in form.words]
        for op, (words, _) in found.items()
    }
    chosen = first_accepted(candidates)
    flips = iter(ask([w for base, _ in chosen.values() for w in patterns(base, bits)]))
    column = dict.fromkeys(found, "NO_FORM")
    for op, (words, answer) in chosen.items():
        used, fixed = (mask << bits[0][1] for mask in masks(answer, [next(flips) for _ in bits]))
        zero, one = fixed & ~words[1], fixed & words[1]
        column[op] = f"FORM(0x{used:08x}, 0x{zero:08x}, 0x{one:03x})"
    return column


def vector_register(answer: Answer, number: int) -> str:
    for file in "vas":
        width = register_width(answer, number, file)
        if width:
            return f"{file.upper()}{32 * width}"
    return "NONE"


def vop1_rows() -> Rows:
    word = 0x7E000000 | DST << 17 | VGPR + SRC0
    found = first_accepted({op: [(word | op << 9,), (0x7E000000 | op << 9,)] for op in range(256)})
    probes = probe_sources(found, [VSRC0])
    sdwa, dpp = form_column(found, SDWA), form_column(found, DPP)
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        src0 = source_type(name, SRC0, probes[op][0])
        if "a4" in answer.operands:
            src0 = "A32"
        forms = ("NO_FORM", "NO_FORM") if src0 == "NONE" else (sdwa[op], dpp[op])
        rows.append(row("VOP1", op, name, vector_register(answer, DST), src0, *forms))
    return rows


def vop2_rows() -> Rows:
    word = DST << 17 | SRC1 << 9 | VGPR + SRC0
    found = first_accepted({op: [(word | op << 25, 0x12345678)] for op in range(62)})
    probes = probe_sources(found, [VSRC0])
    sdwa, dpp = form_column(found, SDWA), form_column(found, DPP)
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        src0 = source_type(
            name, SRC0, probes[op][0], packed=name.startswith(("v_pk", "v_dot2c_f32"))
        )
        src1 = vector_register(answer, SRC1)
        vcc = {0: "NONE", 1: "VCC_OUT", 2: "VCC_INOUT"}[answer.operands.count("vcc")]
        if name == "v_cndmask_b32":
            vcc = "VCC_IN"
        if "0x12345678" in answer.operands:
            vcc = "LITERAL_SRC1" if answer.operands[2].startswith("0x") else "LITERAL_SRC2"
        columns = (vector_register(answer, DST), src0, src1, vcc, sdwa[op], dpp[op])
        rows.append(row("VOP2", op, name, *columns))
    return rows


def vopc_rows() -> Rows:
    word = 0x7C000000 | SRC1 << 9 | VGPR + SRC0
    found = first_accepted({op: [(word | op << 17,)] for op in range(256)})
    probes = probe_sources(found, [VSRC0])
    sdwa = form_column(found, SDWA)
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        src0 = source_type(name, SRC0, probes[op][0])
        rows.append(row("VOPC", op, name, src0, vector_register(answer, SRC1), sdwa[op]))
    return rows


def e64_sources(*numbers: int) -> int:
    return sum(number << shift for number, shift in zip(numbers, (0, 9, 18)))


def e64_candidates(word: int) -> list[Words]:
    """Source combinations for VOP3: three, two, one or none, vector before scalar."""
    v0, v1, v2 = VGPR + SRC0, VGPR + SRC1, VGPR + SRC2
    groups = [(v0, v1, v2), (v0, v1, SRC2), (v0, v1), (v0, SRC1), (SRC0, SRC1), (v0,), ()]
    return [*((word, e64_sources(*group)) for group in groups), (word & ~0xFF, 0)]


# abs, op_sel, clamp in the first dword; omod, neg in the second: bits 0..12 of a MODS column
VOP3_BITS = [(0, bit) for bit in range(8, 16)] + [(1, bit) for bit in range(27, 32)]
VOP3_SDST_BITS = 0x7F  # VOP3b puts a scalar destination where abs and op_sel are


def vop3_rows() -> Rows:
    found = first_accepted({op: e64_candidates(0xD0000000 | op << 16 | DST) for op in range(0x380)})
    probes = probe_sources(found, E64_FIELDS)
    flips = iter(ask([w for base, _ in found.values() for w in patterns(base, VOP3_BITS)]))
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        used, zero = masks(answer, [next(flips) for _ in VOP3_BITS])
        sdst = "S64" if "s[0:1]" in answer.operands else "NONE"
        if sdst != "NONE":
            used, zero = used & ~VOP3_SDST_BITS, zero & ~VOP3_SDST_BITS
        sources = [
            source_type(name, field.number, probe, packed=name == "v_dot2c_f32_f16")
            for field, probe in zip(E64_FIELDS, probes[op])
        ]
        mods = f"MODS(0x{used:04x}, 0x{zero:04x})"
        rows.append(row("VOP3", op, name, vector_register(answer, DST), sdst, *sources, mods))
    return rows


def vop3p_rows() -> Rows:
    found = first_accepted({op: e64_candidates(0xD3800000 | op << 16 | DST) for op in range(128)})
    probes = probe_sources(found, E64_FIELDS)
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        sources = [
            source_type(name, field.number, probe, packed=True)
            for field, probe in zip(E64_FIELDS, probes[op])
        ]
        kind = first_true(
            "PACKED",
            (name.startswith("v_mfma"), "MFMA"),
            (name.startswith("v_smfmac"), "SMFMAC"),
            (name.startswith("v_accvgpr"), "ACCVGPR"),
            (name.startswith("v_fma_mix"), "MIX"),
        )
        if "a4" in answer.operands:
            sources[0] = "A32"
        rows.append(row("VOP3P", op, name, kind, vector_register(answer, DST), *sources))
    return rows
