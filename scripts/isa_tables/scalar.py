"""Rows of SOP1, SOP2, SOPC, SOPK, SOPP and SMEM."""

from __future__ import annotations

import re

from isa_tables.oracle import DST, SRC0, SRC1, SRC2, Answer, ask, bare, register_width
from isa_tables.probe import (
    Field,
    Probe,
    Rows,
    first_accepted,
    first_true,
    probe_sources,
    row,
    source_type,
)


def scalar_type(name: str, field: Field, probe: Probe) -> str:
    token = source_type(name, field.number, probe)
    return "S" + token[2:] if token.startswith("VS") else token


def scalar_register(answer: Answer, number: int) -> str:
    width = register_width(answer, number, "s")
    return f"S{32 * width}" if width else "NONE"


SSRC0 = Field(SRC0, 0, 0, vector=False)
SSRC1 = Field(SRC1, 0, 8, vector=False)


def sop1_rows() -> Rows:
    found = first_accepted({op: [(0xBE800000 | DST << 16 | op << 8 | SRC0,)] for op in range(256)})
    probes = probe_sources(found, [SSRC0])
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        src0 = scalar_type(name, SSRC0, probes[op][0])
        rows.append(row("SOP1", op, name, scalar_register(answer, DST), src0))
    return rows


def sop2_rows() -> Rows:
    fields = DST << 16 | SRC1 << 8 | SRC0
    found = first_accepted({op: [(0x80000000 | op << 23 | fields,)] for op in range(0x60)})
    probes = probe_sources(found, [SSRC0, SSRC1])
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        src0 = scalar_type(name, SSRC0, probes[op][0])
        src1 = scalar_type(name, SSRC1, probes[op][1])
        rows.append(row("SOP2", op, name, scalar_register(answer, DST), src0, src1))
    return rows


def sopc_rows() -> Rows:
    found = first_accepted({op: [(0xBF000000 | op << 16 | SRC1 << 8 | SRC0,)] for op in range(128)})
    probes = probe_sources(found, [SSRC0, SSRC1])
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        src0 = scalar_type(name, SSRC0, probes[op][0])
        indexed = answer.operands[-1].endswith(")")
        src1 = "GPR_IDX" if indexed else scalar_type(name, SSRC1, probes[op][1])
        rows.append(row("SOPC", op, name, src0, src1))
    return rows


def sopk_rows() -> Rows:
    found = first_accepted(
        {op: [(0xB0000000 | op << 23 | DST << 16 | 0x10, 0)] for op in range(0x1C)}
    )
    rows = []
    for op, (_, answer) in found.items():
        name = bare(answer.mnemonic)
        width = register_width(answer, DST)
        register = f"S{32 * width}" if width else "NONE"
        immediate = first_true(
            "SIMM16",
            ("hwreg" in answer.text, "HWREG"),
            (name in ("s_call_b64", "s_cbranch_i_fork"), "BRANCH"),
            (name.startswith("s_cmpk") and name.endswith("u32"), "UIMM16"),
        )
        reads = name.startswith(("s_cmpk", "s_setreg", "s_cbranch"))
        literal = "LITERAL" if name == "s_setreg_imm32_b32" else "NO_LITERAL"
        rows.append(row("SOPK", op, name, "SRC" if reads else "DST", register, immediate, literal))
    return rows


SOPP_IMMEDIATE = {
    "s_waitcnt": "WAITCNT",
    "s_sendmsg": "SENDMSG",
    "s_sendmsghalt": "SENDMSG",
    "s_set_gpr_idx_mode": "GPR_IDX",
    "s_endpgm": "ENDPGM",
}


def sopp_rows() -> Rows:
    zero = ask([(0xBF800000 | op << 16,) for op in range(128)])
    other = ask([(0xBF800000 | op << 16 | 0x1234,) for op in range(128)])
    rows = []
    for op, answer in enumerate(zero):
        if answer is None:
            continue
        name, second = bare(answer.mnemonic), other[op]
        if second is None:
            kind = "ZERO"
        elif name in SOPP_IMMEDIATE:
            kind = SOPP_IMMEDIATE[name]
        elif re.match(r"s_(c?branch)", name):
            kind = "BRANCH"
        else:
            kind = "HEX"
        rows.append(row("SOPP", op, name, kind))
    return rows


def smem_rows() -> Rows:
    sdata = 16  # aligned for the widest tuple
    word = 0xC0020000 | sdata << 6 | SRC2 // 2  # immediate offset, sbase s[8:9]
    candidates = {op: [(word | op << 18, 0x20), (0xC0000000 | op << 18, 0)] for op in range(256)}
    rows = []
    for op, (words, answer) in first_accepted(candidates).items():
        name = bare(answer.mnemonic)
        plain = words[0] & 0x3FFFF == 0
        base = 0 if plain else register_width(answer, SRC2)
        data = register_width(answer, 0 if plain else sdata, "s")
        kind = first_true(
            "LOAD",
            ("probe" in name, "PROBE"),
            ("discard" in name, "DISCARD"),
            (data and not base, "TIME"),
            (not data, "CACHE"),
            ("atomic" in name, "ATOMIC"),
            ("store" in name, "STORE"),
        )
        rows.append(row("SMEM", op, name, kind, data, base))
    return rows
