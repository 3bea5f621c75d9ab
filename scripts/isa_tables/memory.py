"""Rows of DS, FLAT, SCRATCH, GLOBAL, MUBUF and MTBUF."""

from __future__ import annotations

from isa_tables.oracle import Answer, Words, ask, bare, register_width
from isa_tables.probe import Rows, first_accepted, first_true, row

ADDR, DATA0, DATA1, VDST = 2, 4, 6, 8


def dwords(answer: Answer, number: int) -> int:
    return register_width(answer, number, "v")


def ds_rows() -> Rows:
    candidates: dict[int, list[Words]] = {}
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
        offset = first_true(
            "ONE_OFFSET",
            ("offset1" in answer.text, "TWO_OFFSETS"),
            ("swizzle(" in answer.text, "SWIZZLE"),
            (not words[0] & 0xFFFF, "NO_OFFSET"),
            ("gds" in answer.text, "GWS"),
            (gds_answer is None, "NO_GDS"),
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
    candidates: dict[int, list[Words]] = {}
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
