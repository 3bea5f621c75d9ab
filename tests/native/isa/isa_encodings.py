"""Encodings to try: every opcode of every format, with operands and modifiers of all kinds.

Rows come from the encoding tables, so that no form of an instruction is left out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Callable

from isa_support import ISA, Words

LITERALS = (0, 5, 0xFFFFFFF0, 0x3F800000, 0x3C00, 0x3FF00000, 0x12345678, 0xCAFE3C00)
SDWA, DPP, LITERAL = 0xF9, 0xFA, 0xFF


@dataclass(frozen=True)
class Case:
    form: str  # opcode and addressing or modifier form that this encoding is an example of
    words: Words


def rows(table: str) -> list[list[str]]:
    """The columns of every row of a table, with nested FORM() and MODS() kept together."""
    found = []
    for line in (ISA / "tables" / f"{table}.inc").read_text().splitlines():
        match = re.match(r"\w+\((.*)\)$", line)
        if match:
            found.append(re.split(r", (?![^(]*\))", match.group(1)))
    return found


def source(rng: random.Random, vector: bool = True) -> int:
    """A source field: registers of all files, inline constants, special registers, a literal."""
    kinds: list[Callable[[], int]] = [
        lambda: rng.randrange(0, 102),
        lambda: rng.randrange(0, 50) * 2,
        lambda: rng.choice((102, 104, 106, 107, 108, 110, 112, 120, 124, 126, 127)),
        lambda: rng.randrange(128, 209),
        lambda: rng.randrange(240, 249),
        lambda: rng.choice((235, 236, 237, 238, 251, 252, 253)),
        lambda: LITERAL,
    ]
    if vector:
        kinds += [lambda: rng.randrange(256, 500)] * 5
    return rng.choice(kinds)()


def literal(rng: random.Random) -> int:
    return rng.choice(LITERALS) if rng.random() < 0.7 else rng.getrandbits(32)


def _sparse_bits(rng: random.Random, mask: int) -> int:
    """Few of the bits in `mask`, as programs set them."""
    return mask & rng.getrandbits(32) & rng.getrandbits(32)


def sop(rng: random.Random, count: int) -> Iterator[Case]:
    for table, base, shift in (("sop1", 0xBE800000, 8), ("sop2", 0x80000000, 23)):
        for opcode, name, *_ in rows(table):
            for _ in range(count):
                dst = rng.choice((rng.randrange(102), 2 * rng.randrange(50), 106, 124, 126))
                word = base | int(opcode, 16) << shift | dst << 16 | source(rng, False)
                second = source(rng, False) << 8 if table == "sop2" else 0
                yield Case(f"{table} {name}", (word | second, literal(rng)))
    for opcode, name, *_ in rows("sopc"):
        for _ in range(count):
            word = 0xBF000000 | int(opcode, 16) << 16 | source(rng, False) << 8
            yield Case(f"sopc {name}", (word | source(rng, False), literal(rng)))
    for opcode, name, *_ in rows("sopk"):
        for _ in range(count):
            word = 0xB0000000 | int(opcode, 16) << 23 | 2 * rng.randrange(50) << 16
            yield Case(f"sopk {name}", (word | rng.getrandbits(16), literal(rng)))
    for opcode, name, kind in rows("sopp"):
        for _ in range(4 * count):
            immediate = (
                0 if kind == "ZERO" else rng.choice((rng.getrandbits(16), rng.randrange(80)))
            )
            yield Case(f"sopp {name}", (0xBF800000 | int(opcode, 16) << 16 | immediate,))


def smem(rng: random.Random, count: int) -> Iterator[Case]:
    for opcode, name, _, _, base in rows("smem"):
        imm, soffset = 1 << 17, 1 << 14
        forms = {"imm": imm, "sgpr": 0, "soffset": soffset, "both": imm | soffset}
        for form, bits in forms.items():
            if base == "0" and form != "sgpr":
                continue
            for _ in range(count):
                fields = rng.randrange(24) * 4 << 6 | rng.randrange(24) * 2 | rng.randrange(2) << 16
                high = rng.getrandbits(21) | rng.randrange(100) << 25
                if form == "sgpr":
                    high = rng.randrange(100)
                word = 0xC0000000 | int(opcode, 16) << 18 | bits
                yield Case(f"smem {name} {form}", (word | fields, high))


def vop(rng: random.Random, count: int) -> Iterator[Case]:
    formats = (("vop1", 0x7E000000, 9), ("vop2", 0, 25), ("vopc", 0x7C000000, 17))
    for table, base, shift in formats:
        for opcode, name, *columns in rows(table):
            word = base | int(opcode, 16) << shift
            empty = columns[:2] == ["NONE", "NONE"]
            for _ in range(count):
                registers = _vop_registers(rng, table) & (0x1FE00 if table == "vopc" else 0x1FFFE00)
                low = word if empty else word | registers | source(rng)
                yield Case(f"{table} {name}", (low, literal(rng)))
            for form, marker in (("sdwa", SDWA), ("dpp", DPP)):
                column = columns[-1 if table == "vopc" or form == "dpp" else -2]
                if column == "NO_FORM" or (table == "vopc" and form == "dpp"):
                    continue
                _, zero, one = (int(value, 16) for value in re.findall(r"0x\w+", column))
                for _ in range(count):
                    low = word | _vop_registers(rng, table) | marker
                    second = _sdwa(rng, table) if form == "sdwa" else _dpp(rng)
                    yield Case(f"{table} {name} {form}", (low, second & ~zero | one))


def _vop_registers(rng: random.Random, table: str) -> int:
    if table == "vop1":
        return rng.randrange(100) << 17
    src1 = rng.randrange(250) << 9
    return src1 if table == "vopc" else src1 | rng.randrange(250) << 17


def _sdwa(rng: random.Random, table: str) -> int:
    """No select of 7 and no dst_unused of 3: llvm-mc crashes printing them."""
    sources = rng.randrange(7) << 16 | rng.randrange(7) << 24 | _sparse_bits(rng, 0xB8B80000)
    src0 = rng.randrange(100)
    if table == "vopc":
        return sources | src0 | rng.choice((0, 0x8000 | rng.randrange(50) << 9))
    output = rng.randrange(7) << 8 | rng.randrange(3) << 11 | _sparse_bits(rng, 0xE000)
    return sources | src0 | output


DPP_CONTROLS: list[int] = (
    [*range(0, 256, 7), 0xE4, 0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143]
    + [*range(0x101, 0x110), *range(0x111, 0x120), *range(0x121, 0x130)]
    + [*range(0x150, 0x160)] * 8
)


def _dpp(rng: random.Random) -> int:
    return (
        rng.randrange(250)
        | rng.choice(DPP_CONTROLS) << 8
        | _sparse_bits(rng, 0x00F80000)
        | rng.choice((0xFF, rng.getrandbits(8))) << 24
    )


def vop3(rng: random.Random, count: int) -> Iterator[Case]:
    for opcode, name, dst, sdst, *rest in rows("vop3"):
        sources, mods = rest[:3], rest[3]
        used, _ = (int(value, 16) for value in re.findall(r"0x\w+", mods))
        for _ in range(2 * count):
            bits = _sparse_bits(rng, used)
            low = 0xD0000000 | int(opcode, 16) << 16 | (bits & 0xFF) << 8
            high = (bits >> 8) << 27
            if dst != "NONE":
                low |= 2 * rng.randrange(50) if dst.startswith("S") else rng.randrange(250)
            if sdst != "NONE":
                low |= 2 * rng.randrange(50) << 8
            for index, kind in enumerate(sources):
                high |= _typed_source(rng, kind) << 9 * index
            yield Case(f"vop3 {name}", (low, high))


def _typed_source(rng: random.Random, kind: str) -> int:
    """A source that the type allows most of the time."""
    if kind == "NONE":
        return 0
    if re.match(r"V[CD]?\d+$", kind) or kind.startswith("A"):
        return rng.choice(
            (256 + rng.randrange(200), 256 + rng.randrange(200), 128 + rng.randrange(64))
        )
    if re.match(r"SC?\d+$", kind):
        return rng.choice((2 * rng.randrange(50), 106, 128 + rng.randrange(64)))
    return source(rng)


def vop3p(rng: random.Random, count: int) -> Iterator[Case]:
    for opcode, name, kind, _, *sources in rows("vop3p"):
        matrix = kind in ("MFMA", "SMFMAC")
        for _ in range(3 * count):
            low = 0xD3800000 | int(opcode, 16) << 16 | rng.randrange(200)
            high = 0
            for index, token in enumerate(sources):
                high |= _typed_source(rng, token) << 9 * index
            if matrix:
                low |= _sparse_bits(rng, 0x7F00) | rng.randrange(2) << 15
                high |= rng.randrange(4) << 27
                high |= _sparse_bits(rng, 0xE0000000) if kind == "MFMA" else 0
            elif kind != "ACCVGPR":
                last = 0xFFFFFFFF if sources[2] != "NONE" else ~(1 << 10 | 1 << 13)
                low |= _sparse_bits(rng, 0xFF00 & last)
                high |= rng.choice((0x18000000, rng.randrange(4) << 27))
                high |= _sparse_bits(rng, 0xE0000000 if sources[2] != "NONE" else 0x60000000)
            yield Case(f"vop3p {name}", (low, high))


def ds(rng: random.Random, count: int) -> Iterator[Case]:
    for opcode, name, dst, addr, data0, data1, offset in rows("ds"):
        for _ in range(2 * count):
            low = 0xD8000000 | int(opcode, 16) << 17
            if offset != "NO_OFFSET":
                low |= rng.choice((0, rng.getrandbits(16), rng.randrange(256)))
                low |= (rng.getrandbits(1) if data0 != "0" or dst != "0" else 0) << 25
            low |= (offset == "GWS") << 16
            high = 0
            for shift, dwords in ((0, addr), (8, data0), (16, data1), (24, dst)):
                high |= (rng.randrange(250) if dwords != "0" else 0) << shift
            yield Case(f"ds {name}", (low, high))


def flat(rng: random.Random, count: int) -> Iterator[Case]:
    segments: dict[str, tuple[int, tuple[str, ...]]] = {
        "flat": (0, ("vaddr",)),
        "scratch": (1, ("off", "vaddr", "saddr", "both")),
        "global": (2, ("vaddr", "both")),
    }
    for table, (segment, forms) in segments.items():
        for opcode, name, kind, *_ in rows(table):
            for form in forms:
                for _ in range(count):
                    low = 0xDC000000 | int(opcode, 16) << 18 | segment << 14
                    low |= rng.choice((0, rng.getrandbits(13 if segment else 12)))
                    low |= _sparse_bits(rng, 0x02030000)
                    if segment == 1 and form in ("vaddr", "both"):
                        low |= 1 << 13
                    saddr = 2 * rng.randrange(50) if form in ("saddr", "both") else 0x7F
                    acc = 0 if kind == "LDS" else rng.getrandbits(1)
                    registers = (
                        rng.randrange(250) | rng.randrange(250) << 8 | rng.randrange(250) << 24
                    )
                    high = registers | (saddr << 16 if segment else 0) | acc << 23
                    yield Case(f"{table} {name} {form}", (low, high))


def buffer(rng: random.Random, count: int) -> Iterator[Case]:
    forms = {"off": 0, "offen": 1 << 12, "idxen": 1 << 13, "bothen": 3 << 12}
    for opcode, name, kind, _, lds in rows("mubuf"):
        for form, bits in forms.items():
            if (kind.startswith("CACHE") or kind == "LDS") and form != "off":
                continue
            for _ in range(count):
                low = (
                    0xE0000000 | int(opcode, 16) << 18 | bits | rng.choice((0, rng.getrandbits(12)))
                )
                low |= 0 if kind == "CACHE_ALL" else _sparse_bits(rng, 0x2C000)
                to_lds = kind == "LDS" or (lds == "LDS_OK" and rng.random() < 0.5)
                high = _buffer_registers(rng, not to_lds and not kind.startswith("CACHE"))
                yield Case(f"mubuf {name} {form}", (low | to_lds << 16, high))
    for opcode, name, *_ in rows("mtbuf"):
        for form, bits in forms.items():
            for _ in range(4 * count):
                low = 0xE8000000 | int(opcode, 16) << 15 | bits | rng.getrandbits(12)
                low |= rng.getrandbits(7) << 19 | _sparse_bits(rng, 0x4000)
                high = _buffer_registers(rng, True) | _sparse_bits(rng, 0x600000)
                yield Case(f"mtbuf {name} {form}", (low, high))


def _buffer_registers(rng: random.Random, acc: bool) -> int:
    soffset = rng.choice((rng.randrange(102), 124, 128 + rng.randrange(60), 240, 253))
    registers = rng.randrange(250) | rng.randrange(250) << 8 | rng.randrange(26) << 16
    return registers | (rng.getrandbits(1) if acc else 0) << 23 | soffset << 24


GROUPS: dict[str, Callable[[random.Random, int], Iterator[Case]]] = {
    "sop": sop,
    "smem": smem,
    "vop": vop,
    "vop3": vop3,
    "vop3p": vop3p,
    "ds": ds,
    "flat": flat,
    "buffer": buffer,
}

# First dwords that lead into each format: (fixed bits, their values).
PREFIXES: dict[str, tuple[int, int]] = {
    "scalar": (0xC0000000, 0x80000000),
    "vop1_vop2_vopc": (0x80000000, 0),
    "smem": (0xFC000000, 0xC0000000),
    "vop3": (0xFC000000, 0xD0000000),
    "ds": (0xFC000000, 0xD8000000),
    "flat": (0xFC000000, 0xDC000000),
    "mubuf": (0xFC000000, 0xE0000000),
    "mtbuf": (0xFC000000, 0xE8000000),
    "anything": (0, 0),
}


def random_words(rng: random.Random, prefix: str, count: int) -> Iterator[Words]:
    mask, value = PREFIXES[prefix]
    for _ in range(count):
        low, high = rng.getrandbits(32), rng.getrandbits(32)
        if rng.random() < 0.5:  # fields that must be zero often are
            high &= rng.getrandbits(32) & rng.getrandbits(32)
            low &= rng.getrandbits(32) | 0xFFF00000
        yield (low & ~mask | value, high, rng.getrandbits(32))


def crashes_llvm(words: Words) -> bool:
    """SDWA selects of 7 and a dst_unused of 3 have no name, and llvm-mc dies looking for one."""
    if words[0] >> 31 or words[0] & 0x1FF != SDWA or len(words) < 2:
        return False
    second, compare = words[1], words[0] >> 25 == 0x3E
    selects = [second >> 16 & 7, second >> 24 & 7] + ([] if compare else [second >> 8 & 7])
    return 7 in selects or (not compare and second >> 11 & 3 == 3)
