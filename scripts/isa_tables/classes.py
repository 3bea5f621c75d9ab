"""What each instruction is, as columns beside its mnemonic: which unit executes it and at which
rate, what it computes, what it does to memory.

AMD's mnemonics say all of this by their parts. They are read here, once; the device looks at the
columns only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from isa_tables.probe import Rows, first_true

COLUMNS = (
    "mnemonic, unit, rate, arithmetic, number, what it does to memory, bytes per lane and element, "
    "unit of two offsets, special form of access, kind of atomics that it commutes with, "
    "whether the matrix core works on beside it"
)
SCALAR_TABLES = ("sop1", "sop2", "sopc", "sopk")
VECTOR_MEMORY = ("flat", "global", "scratch", "mubuf", "mtbuf")
MEMORY_UNITS = {"smem": "Smem", "ds": "Lds", "flat": "Flat"}

TRANSCENDENTAL = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_")
WIDE_PRODUCT = re.compile(r"v_mul_lo_u32|v_mul_hi_|v_mad_u64_u32|v_mad_i64_i32")
# The first type in a mnemonic says what is computed: v_mad_u64_u32 is a 64-bit operation.
TYPE = re.compile(r"_(f16|f32|f64|[iu]32|[iu]64|b16|b32|b64|[iu]16)(?=_|$)")
NUMBERS = {"f16": "F16", "f32": "F32", "f64": "F64", "i32": "Int32", "u32": "Int32"}
NUMBERS.update({"i64": "Int64", "u64": "Int64"})
FLOATS = ("F16", "F32", "F64")
FLOAT_FAMILIES = (
    (re.compile(r"v_(add|sub|subrev|pk_add)_"), "Add"),
    (re.compile(r"v_(mul|pk_mul)_"), "Mul"),
    (
        re.compile(r"v_((fma|fmac|mad|mac|madak|madmk|fmaak|fmamk|pk_fma|pk_mad|div_fmas)_|dot2)"),
        "Fma",
    ),
    (TRANSCENDENTAL, "Trans"),
)

# LLVM's SIInstrInfo::isNeverCoissue, without the transcendental ones, whose first cycles overlap.
NEVER_BESIDE_MATRIX = re.compile(r"v_(pk_|dot|cvt_pk_(bf8|fp8)_f32|mqsad_|qsad_pk_)")

# The longest ending that matches gives the width.
WIDTHS = (
    (re.compile(r"_b128"), 16),
    (re.compile(r"_b96"), 12),
    (re.compile(r"_(b64|u64|i64|f64)"), 8),
    (re.compile(r"_(u8|i8|b8)"), 1),
    (re.compile(r"_(u16|i16|b16)"), 2),
)
# DS instructions that move no data between registers and LDS by the lanes' addresses.
NO_LANE_DATA = re.compile(r"permute|swizzle|gws|nop|append|consume|addtid|condxchg")
# Integer atomics of one kind commute with themselves (add with sub too), not with other kinds.
COMMUTING = re.compile(r"_atomic_(add|sub|smin|umin|smax|umax|and|or|xor)(_x2)?$")
COMMUTING_KINDS = {"sub": "Add", "smin": "Smin", "umin": "Umin", "smax": "Smax", "umax": "Umax"}


@dataclass(frozen=True)
class Class:
    unit: str
    rate: str = "Full"
    arithmetic: str = "None"
    number: str = "None"
    touch: str = "None"
    bytes: int = 0
    pair: int = 0
    form: str = "Plain"
    commutes: str = "No"
    beside_matrix: str = "Yes"

    def row(self, name: str) -> str:
        columns = (self.unit, self.rate, self.arithmetic, self.number, self.touch, self.bytes)
        columns += (self.pair, self.form, self.commutes, self.beside_matrix)
        return f"VGPU_OP({name}, " + ", ".join(map(str, columns)) + ")\n"


def class_rows(tables: dict[str, Rows]) -> str:
    """One row per mnemonic. Encodings of the same instruction are of the same class."""
    classes: dict[str, Class] = {}
    for table, rows in tables.items():
        for line in rows:
            columns = re.split(r", (?![^(]*\))", line.rstrip(")").split("(", 1)[1])
            name = columns[1]
            found = class_of(table, name, columns[2:])
            if classes.setdefault(name, found) != found:
                raise ValueError(f"{name}: {classes[name]} and, in {table}, {found}")
    return "".join(classes[name].row(name) for name in sorted(classes))


def class_of(table: str, name: str, columns: list[str]) -> Class:
    if table == "sopp":
        unit = first_true("Internal", ("branch" in name, "Branch"), ("sendmsg" in name, "Message"))
        return Class(unit)
    if table in SCALAR_TABLES:
        jumps = "pc_b64" in name or "s_call" in name or "branch" in name
        return Class("Branch" if jumps else "Salu")
    if table == "smem":
        return _scalar_memory(name, int(columns[1]))
    if table == "ds":
        return _lds(name)
    if table in VECTOR_MEMORY:
        widths = [int(column) for column in columns if column.isdigit()]
        return _vector_memory(table, name, max(widths))
    if columns[0] in ("MFMA", "SMFMAC"):
        return Class("Matrix")
    return _vector(name)


def _vector(name: str) -> Class:
    double = "_f64" in name
    rate = first_true(
        "Full",
        (TRANSCENDENTAL.match(name) and double, "TranscendentalDouble"),
        (TRANSCENDENTAL.match(name), "Transcendental"),
        (WIDE_PRODUCT.match(name), "Quarter"),
        (double, "Double"),
    )
    types = TYPE.search(name)
    number = NUMBERS.get(types.group(1), "None") if types else "None"
    alone = NEVER_BESIDE_MATRIX.match(name)
    return Class(
        "Valu", rate, _arithmetic(name, number), number, beside_matrix="No" if alone else "Yes"
    )


# Bitwise operations (_b32) and moves are in no class of the counters; neither is v_frexp, which
# takes a number apart.
def _arithmetic(name: str, number: str) -> str:
    if name.startswith("v_cvt_"):
        return "Convert"
    if name.startswith("v_frexp_") or number == "None":
        return "None"
    if number not in FLOATS:
        return "Int"
    return next((family for pattern, family in FLOAT_FAMILIES if pattern.match(name)), "None")


def _touch(name: str) -> str:
    atomic, load, store = (f"_{verb}_" in name for verb in ("atomic", "load", "store"))
    return first_true("None", (atomic, "Atomic"), (load, "Read"), (store, "Write"))


def _scalar_memory(name: str, data_dwords: int) -> Class:
    touch = _touch(name)
    size = 4 * max(1, data_dwords) if touch != "None" else 0
    form = first_true(
        "Plain",
        (name.startswith("s_buffer_"), "Descriptor"),
        (name.startswith("s_scratch_"), "Scratch"),
        ("dcache" in name, "CacheControl"),
    )
    return Class("Smem", touch=touch, bytes=size, form=form)


def _vector_memory(table: str, name: str, data_dwords: int) -> Class:
    unit = MEMORY_UNITS.get(table, "Vmem")
    touch = _touch(name)
    if touch == "None":
        return Class(unit, form="CacheControl")
    size = 4 * max(1, data_dwords)
    if touch == "Atomic":
        size = 8 if "_x2" in name or "_f64" in name else 4
    elif "byte" in name or "short" in name:
        size = 1 if "byte" in name else 2
    form = first_true(
        "Plain",
        ("_format_" in name, "Typed"),
        ("_lds_" in name, "ToLds"),
        ("d16_hi" in name, "HighHalf"),
    )
    kind = COMMUTING.search(name)
    commutes = COMMUTING_KINDS.get(kind[1], kind[1].capitalize()) if kind else "No"
    return Class(unit, touch=touch, bytes=size, form=form, commutes=commutes)


def _lds(name: str) -> Class:
    if NO_LANE_DATA.search(name):
        return Class("Lds", form="GlobalSync" if "_gws_" in name else "Plain")
    size = next((size for pattern, size in WIDTHS if pattern.search(name)), 4)
    touch = first_true("Atomic", ("ds_read" in name, "Read"), ("ds_write" in name, "Write"))
    two = re.search(r"read2|write2|wrxchg2", name)
    pair = (64 if "st64" in name else 1) * size if two else 0
    form = "HighHalf" if "d16_hi" in name else "Plain"
    return Class("Lds", touch=touch, bytes=size, pair=pair, form=form)
