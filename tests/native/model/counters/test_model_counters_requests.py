"""The coalescer and the LDS banks of the counting model against brute force."""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from exec_support import model_library, needs_model_harness
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = needs_model_harness

LANES, LINE, BLOCK, SECTOR, QUAD = 64, 128, 64, 32, 4
FULL = (1 << LANES) - 1
BANKS = 32
MOST_REQUESTS = 128


class _Requests(ctypes.Structure):
    _fields_ = (
        ("requests", ctypes.c_uint64 * MOST_REQUESTS),
        ("sectors", ctypes.c_uint8 * MOST_REQUESTS),
        ("count", ctypes.c_uint32),
        ("tag_accesses", ctypes.c_uint32),
        ("lane_requests", ctypes.c_uint32),
        ("translations", ctypes.c_uint32),
        ("conflicts", ctypes.c_uint32),
    )


class _LdsCycles(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint32) for name in ("active", "conflicts", "same_address", "unaligned")
    )


@dataclass(frozen=True)
class Coalesced:
    lines: dict[int, int]  # line -> mask of touched sectors, in the order of first use
    halves: list[int]
    tag_accesses: int
    lane_requests: int
    translations: int
    conflicts: int


@dataclass(frozen=True)
class LdsCycles:
    active: int
    conflicts: int
    same_address: int
    unaligned: int


def _addresses(addresses: Sequence[int]) -> ctypes.Array[ctypes.c_uint64]:
    return (ctypes.c_uint64 * LANES)(*addresses)


def coalesced(addresses: Sequence[int], execute: int, size: int) -> Coalesced:
    out = _Requests()
    model_library().model_coalesce(
        _addresses(addresses), ctypes.c_uint64(execute), ctypes.c_uint32(size), ctypes.byref(out)
    )
    requests = [out.requests[n] for n in range(out.count)]
    return Coalesced(
        {request >> 2: out.sectors[n] for n, request in enumerate(requests)},
        [request & 3 for request in requests],
        out.tag_accesses,
        out.lane_requests,
        out.translations,
        out.conflicts,
    )


class Touch(enum.IntEnum):  # as in the harness
    READ = 1
    WRITE = 2
    ATOMIC = 3


def lds_cycles(addresses: Sequence[int], execute: int, size: int, touch: Touch) -> LdsCycles:
    out = _LdsCycles()
    model_library().model_lds_cycles(
        _addresses(addresses),
        ctypes.c_uint64(execute),
        ctypes.c_uint32(size),
        ctypes.c_uint32(touch),
        ctypes.byref(out),
    )
    return LdsCycles(out.active, out.conflicts, out.same_address, out.unaligned)


def expected_coalescing(addresses: Sequence[int], execute: int, size: int) -> Coalesced:
    touched = [
        range(addresses[lane], addresses[lane] + size) if execute >> lane & 1 else range(0)
        for lane in range(LANES)
    ]
    lines: dict[int, int] = {}
    for lane in touched:
        for byte in lane:
            lines[byte // LINE] = lines.get(byte // LINE, 0) | 1 << byte % LINE // SECTOR
    narrow = size <= 4

    def blocks(first: int, lanes: int) -> int:
        return len({byte // BLOCK for lane in touched[first : first + lanes] for byte in lane})

    together = 16 if narrow else QUAD
    per_turn = [blocks(first, together) for first in range(0, LANES, together)]
    quads = sum(blocks(first, QUAD) for first in range(0, LANES, QUAD))
    return Coalesced(
        lines,
        [bool(mask & 3) | bool(mask >> 2) << 1 for mask in lines.values()],
        sum(per_turn),
        quads if narrow else bin(execute).count("1"),
        sum((count + 1) // 2 for count in per_turn),
        sum((count - 1) // 2 for count in per_turn if count),
    )


# Lanes that a read of 16 bytes each serves together, as tingqli/pyhip measured them on gfx942.
WIDE_READ_TURNS = [
    [*range(half + a, half + a + 4), *range(half + b, half + b + 4)]
    for half in (0, 32)
    for a, b in ((0, 20), (4, 16), (8, 28), (12, 24))
]


def lds_turns(size: int, touch: Touch) -> list[list[int]]:
    if size == 16 and touch is Touch.READ:
        return WIDE_READ_TURNS
    turn = {1: 32, 2: 16, 3: 8, 4: 8}[max(1, (size + 3) // 4)]
    return [list(range(first, first + turn)) for first in range(0, LANES, turn)]


def expected_lds(addresses: Sequence[int], execute: int, size: int, touch: Touch) -> LdsCycles:
    dwords = max(1, (size + 3) // 4)
    atomic = touch is Touch.ATOMIC
    active = conflicts = same_address = unaligned = 0
    for turn in lds_turns(size, touch):
        lanes = [lane for lane in turn if execute >> lane & 1]
        if size in (8, 16) and any(addresses[lane] % size for lane in lanes):
            active += len(lanes)
            unaligned += len(lanes) - 1
            continue
        words = [addresses[lane] // 4 + d for lane in lanes for d in range(dwords)]
        distinct = [len({w for w in words if w % BANKS == bank}) for bank in range(BANKS)]
        asked = [sum(w % BANKS == bank for w in words) for bank in range(BANKS)]
        deepest = max(1, *distinct)
        turns = max(deepest, *asked) if atomic else deepest
        cut = any(addresses[lane] % 4 + size > 4 * dwords for lane in lanes)
        active += turns + cut
        conflicts += deepest - 1
        same_address += turns - deepest
        unaligned += cut
    return LdsCycles(active, conflicts, same_address, unaligned)


def _patterns(limit: int) -> st.SearchStrategy[list[int]]:
    """Lanes anywhere, at a stride, or in two rows: what programs do and what they could do."""
    anywhere = st.lists(st.integers(0, limit), min_size=LANES, max_size=LANES)
    strided = st.builds(
        lambda first, stride: [first + lane * stride for lane in range(LANES)],
        st.integers(0, limit // 2),
        st.integers(0, limit // 2 // LANES),
    )
    rows = st.builds(
        lambda first, second, size: [
            (first if lane < LANES // 2 else second) + lane * size for lane in range(LANES)
        ],
        st.integers(0, limit // 4),
        st.integers(0, limit // 4),
        st.sampled_from([1, 2, 4, 8, 16]),
    )
    return st.one_of(anywhere, strided, rows)


EXECUTE = st.one_of(st.just(FULL), st.integers(0, FULL))


@settings(max_examples=300, deadline=None)
@given(_patterns(1 << 16), EXECUTE, st.sampled_from([1, 2, 4, 8, 12, 16]))
def test_lanes_become_the_lines_that_they_touch(
    addresses: list[int], execute: int, size: int
) -> None:
    expected = expected_coalescing(addresses, execute, size)
    got = coalesced(addresses, execute, size)
    assert got == expected
    assert list(got.lines) == list(expected.lines)
    # The same pattern further on is remembered, not worked out again.
    moved = [address + 7 * LINE for address in addresses]
    assert coalesced(moved, execute, size) == expected_coalescing(moved, execute, size)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 4 * LINE),
    st.sampled_from([1, 2, 4, 8, 12, 16]),
    st.booleans(),
    EXECUTE,
    st.integers(0, 1 << 20),
)
def test_rows_with_gaps_touch_what_their_active_lanes_do(
    first: int, size: int, aligned: bool, execute: int, stray: int
) -> None:
    """Lanes that are switched off hold any address."""
    begin = LANES * 16 + (first // size * size if aligned else first)
    addresses = [
        begin + lane * size if execute >> lane & 1 else stray * lane for lane in range(LANES)
    ]
    expected = expected_coalescing(addresses, execute, size)
    got = coalesced(addresses, execute, size)
    assert got == expected
    assert list(got.lines) == list(expected.lines)
    banks = expected_lds(addresses, execute, size, Touch.ATOMIC)
    assert lds_cycles(addresses, execute, size, Touch.ATOMIC) == banks


def test_lanes_far_apart_are_kept_apart() -> None:
    addresses = [lane << 33 for lane in range(LANES)]
    assert coalesced(addresses, FULL, 4) == expected_coalescing(addresses, FULL, 4)


@settings(max_examples=300, deadline=None)
@given(_patterns(1 << 13), EXECUTE, st.sampled_from([1, 2, 4, 8, 12, 16]), st.sampled_from(Touch))
def test_banks_serve_one_dword_a_cycle(
    addresses: list[int], execute: int, size: int, touch: Touch
) -> None:
    assert lds_cycles(addresses, execute, size, touch) == expected_lds(
        addresses, execute, size, touch
    )
    moved = [address + 36 for address in addresses]
    assert lds_cycles(moved, execute, size, touch) == expected_lds(moved, execute, size, touch)


@pytest.mark.parametrize("lanes", [1, 2, 3, 17, 32])
def test_published_conflicts_of_a_stride_of_32_dwords(lanes: int) -> None:
    """rocprofiler-compute's lds sample: 2 cycles for one lane, 3 for two, then one more each."""
    addresses = [lane * 128 for lane in range(LANES)]
    cycles = lds_cycles(addresses, (1 << lanes) - 1, 4, Touch.READ)
    assert (cycles.active, cycles.conflicts) == (1 + lanes, lanes - 1)


@pytest.mark.parametrize(("size", "turn"), [(8, 16), (16, 8)])
def test_lanes_at_odd_dwords_go_one_by_one(size: int, turn: int) -> None:
    """Recorded on an MI300X: rows of 132 bytes stall each turn, half of them half as much."""
    rows = [lane * 132 for lane in range(LANES)]
    assert lds_cycles(rows, FULL, size, Touch.WRITE) == LdsCycles(64, 0, 0, 64 - 64 // turn)
    half = [lane * 4 * size + lane // turn % 2 * 4 for lane in range(LANES)]
    assert lds_cycles(half, FULL, size, Touch.WRITE).unaligned == (64 - 64 // turn) // 2
    moved = [lane * 8 * size + size for lane in range(LANES)]
    assert lds_cycles(moved, FULL, size, Touch.WRITE).unaligned == 0
    halves = [lane * 128 + 8 for lane in range(LANES)]
    assert lds_cycles(halves, FULL, 16, Touch.WRITE).unaligned == 56


@pytest.mark.parametrize("turn", WIDE_READ_TURNS)
def test_wide_reads_conflict_within_their_published_groups(turn: list[int]) -> None:
    """All lanes read one address, but two of them, which lie in the same banks."""
    for other in range(LANES):
        addresses = [0] * LANES
        addresses[turn[0]], addresses[other] = 16, 16 + 128
        conflicts = lds_cycles(addresses, FULL, 16, Touch.READ).conflicts
        assert conflicts == (1 if other in turn[1:] else 0), other


# Batched GEMM recorded on an MI300X: address of lane, bytes, tag accesses, lane requests, pages,
# conflicts.
RECORDED = {
    "rows of A, 8 bytes": ([(i % 32) * 256 + i // 32 * 8 for i in range(LANES)], 8, 64, 64, 32, 16),
    "two rows of C, 2 bytes": ([i // 32 * 4096 + i % 32 * 2 for i in range(LANES)], 2, 4, 16, 4, 0),
    "one row of B, 2 bytes": ([i * 2 for i in range(LANES)], 2, 4, 16, 4, 0),
    "vecCopy, 8 bytes": ([i * 8 for i in range(LANES)], 8, 16, 64, 16, 0),
    "fillBuffer, 16 bytes": ([i * 16 for i in range(LANES)], 16, 16, 64, 16, 0),
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_accesses_of_the_vector_cache(name: str) -> None:
    addresses, size, *expected = RECORDED[name]
    got = coalesced(addresses, FULL, size)
    counted = [got.tag_accesses, got.lane_requests, got.translations, got.conflicts]
    assert counted == expected


RECORDED_LDS = {  # active cycles and conflicts of one instruction
    "bmm1, 8 of 16 bytes": ([(i % 32) * 16 + i // 32 * 8 for i in range(LANES)], 8, 8, 4),
    "bmm3 store, 16 of 32": ([i * 32 for i in range(LANES)], 16, 16, 8),
    "bmm3 load, 8 of 32": ([(i % 32) * 32 + i // 32 * 8 for i in range(LANES)], 8, 16, 12),
}


@pytest.mark.parametrize("name", RECORDED_LDS)
def test_recorded_bank_conflicts(name: str) -> None:
    addresses, size, active, conflicts = RECORDED_LDS[name]
    got = lds_cycles(addresses, FULL, size, Touch.WRITE if "store" in name else Touch.READ)
    assert (got.active, got.conflicts) == (active, conflicts)
