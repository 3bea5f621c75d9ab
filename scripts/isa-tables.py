#!/usr/bin/env python3
"""Writes, or with --check verifies, the gfx942 encoding tables in native/vgpu/isa.

LLVM is the authority: every opcode of every encoding format is put before
`llvm-mc --disassemble -mcpu=gfx942`, and what it answers (mnemonic, register widths, typed
inline constants, bits that must be zero) becomes one row of a table.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

ISA_DIR = pathlib.Path(__file__).resolve().parents[1] / "native" / "vgpu" / "isa"
LLVM_MC = ["llvm-mc-19", "--disassemble", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942"]

Words = Tuple[int, ...]

# Register numbers that the probes put into each field, so that the text tells the fields apart.
DST, SRC0, SRC1, SRC2 = 2, 4, 6, 8
VGPR = 256  # source encodings from here on name vector registers
HALF = 240  # the inline constant 0.5, whose bits tell the operand's type
LITERAL = 255


@dataclass(frozen=True)
class Answer:
    """What llvm-mc said about one encoding."""

    mnemonic: str
    operands: List[str]
    immediates: List[int]
    text: str


# --- Asking llvm-mc -----------------------------------------------------------------------------

SEPARATOR = "[0x5a,0x5a,0x80,0xbf]"  # s_nop 0x5a5a between the questions keeps them apart
SEPARATOR_TEXT = "s_nop 0x5a5a"


def ask(encodings: Sequence[Words]) -> List[Optional[Answer]]:
    """The first instruction of each encoding, None where llvm-mc rejects it."""
    lines: List[str] = []
    for words in encodings:
        data = b"".join(word.to_bytes(4, "little") for word in words)
        lines += ["[" + ",".join(f"0x{byte:02x}" for byte in data) + "]", SEPARATOR]
    done = subprocess.run(
        [*LLVM_MC, "-show-inst"], input="\n".join(lines), capture_output=True, text=True
    )
    if done.returncode < 0:
        raise SystemExit(f"llvm-mc failed with exit code {done.returncode}: {done.stderr[-500:]}")
    rejected = {
        int(line) // 2
        for line in re.findall(r"^<stdin>:(\d+):2: warning: invalid", done.stderr, re.M)
    }
    answers: List[Optional[Answer]] = []
    chunk: List[str] = []
    for line in done.stdout.splitlines()[1:]:
        if line.strip().startswith(SEPARATOR_TEXT):
            answers.append(None if len(answers) in rejected else _answer(chunk))
            chunk = []
        elif chunk or not line.lstrip().startswith(";"):
            chunk.append(line)
    if len(answers) != len(encodings):
        raise SystemExit(f"llvm-mc answered {len(answers)} of {len(encodings)} encodings")
    return answers


def _answer(lines: List[str]) -> Optional[Answer]:
    if not lines or "/*" in lines[0]:  # a comment in the text marks an operand LLVM calls invalid
        return None
    text, _, rest = lines[0].strip().partition("; <MCInst")
    own = [rest]
    for line in lines[1:]:
        if not line.lstrip().startswith(";"):
            break  # a second instruction made of the words behind the first
        own.append(line)
    mnemonic, _, operands = text.strip().partition(" ")
    immediates = [int(value) for value in re.findall(r"Imm:(-?\d+)", "".join(own))]
    return Answer(
        mnemonic, [part.strip() for part in operands.split(",")], immediates, text.strip()
    )


def bare(mnemonic: str) -> str:
    return re.sub(r"_(e32|e64|sdwa|dpp)$", "", mnemonic)


def register_width(answer: Answer, number: int, files: str = "vsa") -> int:
    """Dwords of the register that starts at `number`, 0 when no operand does."""
    for first, last in re.findall(
        rf"(?<![\w.])[{files}]\[?({number})(?::(\d+))?\]?(?!\d)", answer.text
    ):
        return int(last) - int(first) + 1 if last else 1
    return 0


# --- What a source field accepts ----------------------------------------------------------------


@dataclass(frozen=True)
class Probe:
    """One source field before the oracle: as VGPR, as SGPR and as the inline constant 0.5."""

    vector: Optional[Answer]
    scalar: Optional[Answer]
    constant: Optional[Answer]


CONSTANT_BITS = {0x3800: 16, 0x3F000000: 32, 0x3FE0000000000000: 64}


def source_type(name: str, number: int, probe: Probe, packed: bool = False) -> str:
    """The table's type token of a source: see operand_types.h for their meaning."""
    example = probe.vector or probe.scalar
    if example is None:
        return "NONE"
    width = register_width(example, number)
    if width == 0:
        return "NONE"
    kind = _constant_kind(name, probe.constant, width, packed) if probe.constant else ""
    if probe.vector is None:
        return f"SC{32 * width}" if kind else f"S{32 * width}"
    if probe.scalar is None:  # matrix operands; VD takes constants of 64 bits
        letters = "" if not kind else "D" if kind == "F64" else "C"
        return f"V{letters}{32 * width}"
    return kind or f"VS{32 * width}"


def _constant_kind(name: str, answer: Answer, width: int, packed: bool) -> str:
    sizes = {CONSTANT_BITS[value] for value in answer.immediates if value in CONSTANT_BITS}
    if sizes == {16}:
        if packed:
            return "V2F16"
        return "I16" if "0x3800" in answer.text else "F16"
    if sizes == {32}:
        return "V2F32" if width == 2 else "B32"
    if sizes == {64}:
        return "F64" if "f64" in name else "I64" if "_i64" in name else "B64"
    raise SystemExit(f"{name}: no known constant among {answer.immediates} of {answer.text}")


def patterns(base: Words, bits: Iterable[Tuple[int, int]]) -> List[Words]:
    """`base` with each of the (word, bit) flipped in turn."""
    flipped = []
    for word, bit in bits:
        words = list(base)
        words[word] ^= 1 << bit
        flipped.append(tuple(words))
    return flipped


def masks(base: Answer, answers: Sequence[Optional[Answer]]) -> Tuple[int, int]:
    """(bits that change the text, bits that must stay as they are) of the flipped encodings."""
    used = fixed = 0
    for position, answer in enumerate(answers):
        if answer is None:
            fixed |= 1 << position
        elif answer.text != base.text:
            used |= 1 << position
    return used, fixed


def first_accepted(candidates: Dict[int, List[Words]]) -> "Found":
    """Per opcode the first of its candidate encodings that LLVM takes."""
    flat = [(opcode, words) for opcode, group in candidates.items() for words in group]
    found: Dict[int, Tuple[Words, Answer]] = {}
    for (opcode, words), answer in zip(flat, ask([words for _, words in flat])):
        if answer is not None and opcode not in found:
            found[opcode] = (words, answer)
    return found


# --- Scalar formats -----------------------------------------------------------------------------

Rows = List[str]


def row(macro: str, opcode: int, name: str, *columns: object) -> str:
    return f"{macro}(0x{opcode:02x}, {name}" + "".join(f", {column}" for column in columns) + ")"


@dataclass(frozen=True)
class Field:
    """A source field: the register number the base encoding holds there and where it lies."""

    number: int
    word: int
    shift: int
    vector: bool = True  # nine bits, may name VGPRs

    def put(self, words: Words, value: int) -> Words:
        mask = (0x1FF if self.vector else 0xFF) << self.shift
        changed = list(words)
        changed[self.word] = (changed[self.word] & ~mask) | value << self.shift
        return tuple(changed)


Found = Dict[int, Tuple[Words, Answer]]


def probe_sources(found: Found, fields: Sequence[Field]) -> Dict[int, List[Probe]]:
    """Every source field of every opcode as VGPR, SGPR and constant, asked in one batch."""
    questions: List[Words] = []
    for words, _ in found.values():
        for field in fields:
            vector = field.number + VGPR if field.vector else field.number
            for value in (vector, field.number, HALF):
                questions.append(field.put(words, value))
    answers = iter(ask(questions))
    return {
        op: [Probe(next(answers), next(answers), next(answers)) for _ in fields] for op in found
    }


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
        immediate = (
            "HWREG"
            if "hwreg" in answer.text
            else "BRANCH"
            if name in ("s_call_b64", "s_cbranch_i_fork")
            else "UIMM16"
            if name.startswith("s_cmpk") and name.endswith("u32")
            else "SIMM16"
        )
        reads = name.startswith(("s_cmpk", "s_setreg", "s_cbranch"))
        literal = "LITERAL" if name == "s_setreg_imm32_b32" else "NONE"
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
            kind = "HEX" if "0x1234" in second.text else "DECIMAL"
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
        kind = (
            "PROBE"
            if "probe" in name
            else "DISCARD"
            if "discard" in name
            else "TIME"
            if data and not base
            else "CACHE"
            if not data
            else "ATOMIC"
            if "atomic" in name
            else "STORE"
            if "store" in name
            else "LOAD"
        )
        rows.append(row("SMEM", op, name, kind, data, base))
    return rows


# --- Vector formats -----------------------------------------------------------------------------

VSRC0 = Field(SRC0, 0, 0)
E64_FIELDS = [Field(SRC0, 1, 0), Field(SRC1, 1, 9), Field(SRC2, 1, 18)]


@dataclass(frozen=True)
class Form:
    """An encoding that replaces src0 by a marker and brings a second dword of modifiers."""

    marker: int
    words: Tuple[int, ...]  # second dwords to try
    bits: range  # those of its bits that some opcodes use and others forbid


SDWA = Form(0xF9, (0, 0x600), range(8, 32))  # fp8 conversions demand dst_sel DWORD
# quad_perm, or row_newbcast for the 64-bit operations that know nothing else
DPP = Form(0xFA, (0xFF00E400, 0xFF015000), range(20, 24))


def form_column(found: Found, form: Form) -> Dict[int, str]:
    """FORM(used bits, bits that must be zero, bits that must be one) of opcodes with this form."""
    bits = [(1, bit) for bit in form.bits]
    candidates = {
        op: [((words[0] & ~0x1FF) | form.marker, second) for second in form.words]
        for op, (words, _) in found.items()
    }
    chosen = first_accepted(candidates)
    flips = iter(ask([w for base, _ in chosen.values() for w in patterns(base, bits)]))
    column = {op: "NO_FORM" for op in found}
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
        src0 = source_type(name, SRC0, probes[op][0], packed=name.startswith(("v_pk", "v_dot2c_f32")))
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


def e64_candidates(word: int) -> List[Words]:
    """Source combinations for VOP3: three, two, one or none, vector before scalar."""
    v0, v1, v2 = VGPR + SRC0, VGPR + SRC1, VGPR + SRC2
    groups = [(v0, v1, v2), (v0, v1, SRC2), (v0, v1), (v0, SRC1), (SRC0, SRC1), (v0,), ()]
    return [(word, e64_sources(*group)) for group in groups] + [(word & ~0xFF, 0)]


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
        kind = (
            "MFMA"
            if name.startswith("v_mfma")
            else "SMFMAC"
            if name.startswith("v_smfmac")
            else "ACCVGPR"
            if name.startswith("v_accvgpr")
            else "MIX"
            if name.startswith("v_fma_mix")
            else "PACKED"
        )
        if "a4" in answer.operands:
            sources[0] = "A32"
        rows.append(row("VOP3P", op, name, kind, vector_register(answer, DST), *sources))
    return rows


# --- Memory formats -----------------------------------------------------------------------------

ADDR, DATA0, DATA1, VDST = 2, 4, 6, 8


def dwords(answer: Answer, number: int) -> int:
    return register_width(answer, number, "v")


def ds_rows() -> Rows:
    candidates: Dict[int, List[Words]] = {}
    for op in range(256):
        word = 0xD8000000 | op << 17 | 0x102
        fields = [
            (vdst << 24 | data1 << 16 | data0 << 8 | addr)
            for vdst in (VDST, 0)
            for data1 in (DATA1, 0)
            for data0 in (DATA0, 0)
            for addr in (ADDR, 0)
        ]
        gds = 1 << 16
        candidates[op] = [(word, second) for second in fields]
        candidates[op] += [(word | gds, second) for second in fields] + [(word & ~0x102, 0)]
    found = first_accepted(candidates)
    with_gds = ask([(words[0] | 1 << 16, words[1]) for words, _ in found.values()])
    rows = []
    for (op, (words, answer)), gds_answer in zip(found.items(), with_gds):
        offset = (
            "TWO_OFFSETS"
            if "offset1" in answer.text
            else "SWIZZLE"
            if "swizzle" in answer.text.partition(" ")[2]
            else "NO_OFFSET"
            if not words[0] & 0xFFFF
            else "GWS"
            if "gds" in answer.text
            else "NO_GDS"
            if gds_answer is None
            else "ONE_OFFSET"
        )
        widths = [dwords(answer, number) for number in (VDST, ADDR, DATA0, DATA1)]
        rows.append(row("DS", op, bare(answer.mnemonic), *widths, offset))
    return rows


def access_kind(name: str) -> str:
    for part, kind in (("atomic", "ATOMIC"), ("_lds_", "LDS"), ("store", "STORE")):
        if part in name:
            return kind
    return "LOAD"


def flat_rows(segment: int) -> Rows:
    sc0 = 1 << 16
    second = VDST << 24 | (0x7F if segment else 0) << 16 | DATA0 << 8 | ADDR
    words = [0xDC000000 | op << 18 | segment << 14 for op in range(128)]
    plain, returning = ask([(w, second) for w in words]), ask([(w | sc0, second) for w in words])
    rows = []
    for op, (answer, with_sc0) in enumerate(zip(plain, returning)):
        if answer is None or with_sc0 is None:
            continue
        name = bare(answer.mnemonic)
        widths = (dwords(with_sc0, VDST), dwords(answer, DATA0))
        rows.append(row("FLAT", op, name, access_kind(name), *widths))
    return rows


def mubuf_rows() -> Rows:
    offen, lds, vdata = 1 << 12, 1 << 16, 0x05010402
    candidates: Dict[int, List[Words]] = {}
    for op in range(128):
        word = 0xE0000000 | op << 18
        candidates[op] = [(word | offen, vdata), (word, 0), (word | lds, vdata)]
    found = first_accepted(candidates)
    with_lds = ask([(words[0] | lds, words[1]) for words, _ in found.values()])
    with_sc0 = ask([(words[0] | 1 << 14, words[1]) for words, _ in found.values()])
    rows = []
    for (op, (words, answer)), lds_answer, sc0 in zip(found.items(), with_lds, with_sc0):
        name = bare(answer.mnemonic)
        kind = access_kind(name)
        if words[1] == 0:
            kind = "CACHE_ALL" if sc0 is None else "CACHE"
        lds_column = "LDS_OK" if lds_answer is not None else "NO_LDS"
        rows.append(row("MUBUF", op, name, kind, dwords(answer, DATA0), lds_column))
    return rows


def mtbuf_rows() -> Rows:
    offen = 1 << 12
    rows = []
    for op, answer in enumerate(
        ask([(0xE8000000 | op << 15 | offen, 0x05010402) for op in range(16)])
    ):
        if answer is not None:
            name = bare(answer.mnemonic)
            rows.append(row("MTBUF", op, name, access_kind(name), dwords(answer, DATA0)))
    return rows


# --- Writing and checking -----------------------------------------------------------------------

NOTICE = "// Generated by scripts/isa-tables.py from the answers of llvm-mc; do not edit.\n"

TABLES: Dict[str, Tuple[str, Callable[[], Rows]]] = {
    "sop1": ("opcode, mnemonic, destination, source", sop1_rows),
    "sop2": ("opcode, mnemonic, destination, sources", sop2_rows),
    "sopc": ("opcode, mnemonic, sources", sopc_rows),
    "sopk": (
        "opcode, mnemonic, role of the register, its type, immediate, second dword",
        sopk_rows,
    ),
    "sopp": ("opcode, mnemonic, meaning of the immediate", sopp_rows),
    "smem": ("opcode, mnemonic, kind, dwords of sdata, dwords of sbase", smem_rows),
    "vop1": ("opcode, mnemonic, destination, source, SDWA form, DPP form", vop1_rows),
    "vop2": ("opcode, mnemonic, destination, sources, implied operand, SDWA, DPP", vop2_rows),
    "vopc": ("opcode, mnemonic, sources, SDWA form", vopc_rows),
    "vop3": ("opcode, mnemonic, destination, scalar destination, sources, modifiers", vop3_rows),
    "vop3p": ("opcode, mnemonic, kind, destination, sources", vop3p_rows),
    "ds": ("opcode, mnemonic, dwords of vdst, addr, data0, data1, offset", ds_rows),
    "flat": ("opcode, mnemonic, kind, dwords of vdst, data", lambda: flat_rows(0)),
    "scratch": ("opcode, mnemonic, kind, dwords of vdst, data", lambda: flat_rows(1)),
    "global": ("opcode, mnemonic, kind, dwords of vdst, data", lambda: flat_rows(2)),
    "mubuf": (
        "opcode, mnemonic, kind, dwords of vdata, whether the lds bit may be set",
        mubuf_rows,
    ),
    "mtbuf": ("opcode, mnemonic, kind, dwords of vdata", mtbuf_rows),
}


def generate() -> Dict[pathlib.Path, str]:
    """Every generated file with its contents."""
    files: Dict[pathlib.Path, str] = {}
    names = set()
    for table, (columns, make) in TABLES.items():
        rows = make()
        names |= {line.split(", ")[1].rstrip(")") for line in rows}
        header = f"// {table.upper()}: {columns}.\n"
        files[ISA_DIR / "tables" / f"{table}.inc"] = header + NOTICE + "\n".join(rows) + "\n"
    header = "// Every gfx942 mnemonic without _e32, _e64, _sdwa, _dpp, in alphabetical order.\n"
    operations = "".join(f"VGPU_OP({name})\n" for name in sorted(names))
    files[ISA_DIR / "op_list.inc"] = header + NOTICE + operations
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    stale = 0
    for path, text in generate().items():
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        print(f"{path.name} {'differs from' if check else 'written from'} llvm-mc's answers")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    print(f"Result: {stale} of {len(TABLES) + 1} tables {'differ' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
