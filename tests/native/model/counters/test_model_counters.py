"""VROCM_COUNTERS=1: kernels with known instructions and requests, counted exactly."""

from __future__ import annotations

import pytest
from counted_kernels import ARITHMETIC, MANY_LOADS, MATRIX, SWEEP_DWORDS, Counters, counted
from exec_support import needs_harness

pytestmark = needs_harness

CUS, XCDS, L2_LINES = 304, 8, 32768
LINE = 128


def expect(case: str, values: Counters) -> None:
    counters = counted()[case]
    assert {name: counters[name] for name in values} == values


def test_nothing_is_counted_unless_asked_for() -> None:
    assert set(map(type, counted(wanted=0).values())) == {type(None)}


def test_any_number_of_host_threads_counts_the_same() -> None:
    assert counted(threads=1) == counted(threads=3)


def test_arithmetic_by_operation_and_precision() -> None:
    waves = 256 // 64
    classes = [c for c in ARITHMETIC.values() if c]
    expect("arithmetic", {f"SQ_INSTS_VALU_{c}": waves * classes.count(c) for c in set(classes)})
    expect(
        "arithmetic",
        {
            "SQ_WAVES": waves,
            "SQ_INSTS": waves * (len(ARITHMETIC) + 1),
            "SQ_INSTS_VALU": waves * len(ARITHMETIC),
            "SQ_INSTS_SENDMSG": waves,  # the end of a wave
            "SQ_INSTS_SALU": 0,
        },
    )


def test_quarter_rate_instructions_take_four_quad_cycles() -> None:
    counters = counted()["arithmetic"]
    extra = counters["SQ_ACTIVE_INST_VALU"] - counters["SQ_INSTS_VALU"]
    slow = sum(c.startswith("TRANS_F") for c in ARITHMETIC.values())
    assert extra >= 4 * slow  # waves x (more than one quad cycle)
    assert counters["SQ_THREAD_CYCLES_VALU"] == 64 * counters["SQ_ACTIVE_INST_VALU"]


def test_matrix_operations_are_exact() -> None:
    counters = counted()["matrix"]
    for kind in {kind for kind, _ in MATRIX.values()}:
        of_kind = [operations for name, operations in MATRIX.values() if name == kind]
        assert counters[f"SQ_INSTS_VALU_MFMA_{kind}"] == len(of_kind)
        assert counters[f"SQ_INSTS_VALU_MFMA_MOPS_{kind}"] * 512 == sum(of_kind)
    assert counters["SQ_INSTS_MFMA"] == counters["SQ_INSTS_VALU"] == len(MATRIX)
    assert counters["SQ_VALU_MFMA_BUSY_CYCLES"] >= 32 * 2


def test_scalar_instructions_and_loads() -> None:
    expect(
        "scalar",
        {
            "SQ_INSTS": 12,
            "SQ_INSTS_SALU": 2,
            "SQ_INSTS_SMEM": 3,
            "SQ_INSTS_SMEM_NORM": 6,
            "SQ_INSTS_BRANCH": 1,
            "SQ_ACTIVE_INST_SCA": 5,
            "SQ_ACTIVE_INST_MISC": 3,  # branch, barrier, end
            "SQC_DCACHE_REQ_READ_1": 1,
            "SQC_DCACHE_REQ_READ_2": 1,
            "SQC_DCACHE_REQ_READ_4": 1,
            "SQC_DCACHE_REQ": 4,  # the pair lies in two lines
            "SQC_DCACHE_MISSES": 3,
            "SQC_DCACHE_HITS": 1,
            "SQC_TC_DATA_READ_REQ": 3,
        },
    )


def test_lanes_that_are_switched_off_are_not_thread_cycles() -> None:
    expect("divergent", {"SQ_INSTS_VALU": 2, "SQ_THREAD_CYCLES_VALU": 6})


def test_partial_waves() -> None:
    # Workgroups of 168 and 10 work-items: waves of 64, 64, 40 and 10.
    expect(
        "partial",
        {
            "SQ_WAVES": 4,
            "SQ_ITEMS": 178,
            "SQ_WAVES_EQ_64": 2,
            "SQ_WAVES_LT_64": 2,
            "SQ_WAVES_LT_48": 2,
            "SQ_WAVES_LT_32": 1,
            "SQ_WAVES_LT_16": 1,
            "SPI_CSN_NUM_THREADGROUPS": 2,
            "SPI_CSN_WAVE": 4,
        },
    )


def test_loops_fetch_again_after_every_jump() -> None:
    # 28 bytes in one block of 32: once at first, and after each of nine jumps back.
    expect("loop", {"SQ_INSTS": 42, "SQ_INSTS_BRANCH": 10, "SQ_IFETCH": 10, "SQC_ICACHE_REQ": 10})
    expect("loop", {"SQC_ICACHE_MISSES": 1, "SQC_ICACHE_HITS": 9})


def test_lds_cycles() -> None:
    # read: 32-way conflicts in both halves; write and the pair of reads: none; add: one address.
    expect(
        "lds",
        {
            "SQ_INSTS_LDS": 5,
            "SQ_LDS_IDX_ACTIVE": 64 + 2 + 4 + 64 + 2,
            "SQ_LDS_BANK_CONFLICT": 62,
            "SQ_LDS_ADDR_CONFLICT": 62,
            "SQ_LDS_ATOMIC_RETURN": 64,
            "SQ_LDS_UNALIGNED_STALL": 0,
        },
    )


@pytest.mark.parametrize(
    ("case", "lds", "lines"),
    [
        ("flat_load", 0, 2),
        ("flat_store", 0, 4),
        ("flat_store_lds", 1, 0),
        ("flat_atomic_lds", 1, 0),
    ],
)
def test_generic_addresses_use_the_lds_when_they_mean_it(case: str, lds: int, lines: int) -> None:
    expect(case, {"SQ_INSTS_FLAT": 1, "SQ_INSTS_VMEM": 1, "SQ_INSTS_LDS": lds})
    expect(case, {"TA_FLAT_WAVEFRONTS": 1, "TA_BUFFER_WAVEFRONTS": 0})
    counters = counted()[case]
    assert counters["TCP_TCC_READ_REQ"] + counters["TCP_TCC_WRITE_REQ"] == lines


def test_atomics_are_done_by_the_l2() -> None:
    shared = {"TCC_ATOMIC": 4, "TCC_EA0_ATOMIC": 0, "TA_FLAT_ATOMIC_WAVEFRONTS": 1}
    expect("atomic", {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ": 4, "TCP_TCC_ATOMIC_WITH_RET_REQ": 0})
    expect("atomic_return", {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ": 0, "TCP_TCC_ATOMIC_WITH_RET_REQ": 4})
    for case in ("atomic", "atomic_return"):
        expect(case, {**shared, "TCC_EA0_WRREQ_64B": 4, "TCC_WRITEBACK": 2})


def test_streaming_requests_are_told_apart() -> None:
    expect("streaming", {"TCC_STREAMING_REQ": 2, "TCP_TCC_READ_REQ": 2})


def test_private_memory_lies_in_rows_of_a_dword() -> None:
    # A store of two rows of 256 bytes, and a load of the first of them.
    expect(
        "scratch",
        {
            "TA_BUFFER_WRITE_WAVEFRONTS": 1,
            "TA_BUFFER_READ_WAVEFRONTS": 1,
            "TA_FLAT_WAVEFRONTS": 0,
            "SQ_INSTS_FLAT": 2,
            "TCP_TCC_WRITE_REQ": 8,
            "TCP_TCC_READ_REQ": 2,
        },
    )


def test_the_vector_cache_hits_until_it_is_invalidated() -> None:
    # 2 lines, 2 others, the first two again (hits), invalidation, again (L2), past the cache (L2).
    expect("again", {"TCP_TCC_READ_REQ": 8, "TCP_TOTAL_WRITEBACK_INVALIDATES": CUS + 1})
    counters = counted()["again"]
    assert counters["TCC_BUBBLE"] == 4
    assert counters["TCC_READ"] - counters["TCC_MISS"] == counters["TCC_HIT"]


@pytest.mark.parametrize("stride", [0, 2, 4, 8, 36, 64, 128, 200])
def test_strided_lanes_ask_for_the_lines_that_they_touch(stride: int) -> None:
    touched = {(lane * stride + byte) for lane in range(64) for byte in range(4)}
    lines, halves = {t // LINE for t in touched}, {t // 64 for t in touched}
    full = [h for h in halves if {t // 32 for t in touched} >= {2 * h, 2 * h + 1}]
    expect(
        f"stride_{stride}",
        {
            "TCP_TCC_READ_REQ": len(lines),
            "TCC_BUBBLE": len(lines),
            "TCP_TCC_WRITE_REQ": len(halves),
            "TCC_WRITEBACK": len(lines),
            "TCC_EA0_WRREQ": len(halves),
            "TCC_EA0_WRREQ_64B": len(full),
        },
    )


def test_what_does_not_fit_into_the_l2_is_evicted() -> None:
    lines = SWEEP_DWORDS * 4 // LINE  # of each array
    expect(
        "large_sweep",
        {
            "TCP_TCC_READ_REQ": lines,
            "TCC_BUBBLE": lines,
            "TCC_WRITEBACK": lines,
            "TCC_EA0_WRREQ": 2 * lines,
            "TCC_EA0_WRREQ_64B": 2 * lines,
        },
    )
    counters = counted()["large_sweep"]
    kept = 2 * lines - counters["TCC_NORMAL_EVICT"]
    assert kept == pytest.approx(XCDS * L2_LINES, rel=0.01)
    assert counters["TCC_NORMAL_WRITEBACK"] + counters["TCC_ALL_TC_OP_WB_WRITEBACK"] == lines


def test_requests_that_do_not_fit_into_memory_are_counted_all_the_same() -> None:
    expect(
        "many_requests",
        {
            "SQ_WAVES": 2,
            "SQ_INSTS_VMEM_RD": 2 * MANY_LOADS,
            "TCP_TOTAL_CACHE_ACCESSES": 2 * MANY_LOADS * 64,
            "TCP_TCC_READ_REQ": 2 * 64,  # workgroups run on different XCDs, each with cold caches
            "TCC_BUBBLE": 2 * 64,
        },
    )


def test_sums_agree() -> None:
    for counters in counted().values():
        assert counters["TCC_REQ"] == counters["TCC_HIT"] + counters["TCC_MISS"]
        assert counters["TCC_REQ"] == sum(
            counters[f"TCC_{kind}"] for kind in ("READ", "WRITE", "ATOMIC")
        )
        assert counters["SQC_DCACHE_REQ"] == sum(
            counters[f"SQC_DCACHE_{kind}"] for kind in ("HITS", "MISSES", "MISSES_DUPLICATE")
        )
        assert counters["SQC_TC_REQ"] == sum(
            counters[f"SQC_TC_{kind}_REQ"] for kind in ("INST", "DATA_READ", "DATA_WRITE")
        )
        assert counters["TCP_TCC_READ_REQ"] + counters["SQC_TC_REQ"] == counters["TCC_READ"]


def test_clocks_are_those_of_all_xcds() -> None:
    for counters in counted().values():
        assert counters["GRBM_GUI_ACTIVE"] == pytest.approx(
            XCDS * counters["max(GRBM_GUI_ACTIVE)"], abs=XCDS
        )
        assert counters["SQ_CYCLES"] == pytest.approx(4 * counters["GRBM_GUI_ACTIVE"], abs=32)
        assert counters["SQ_WAVE_CYCLES"] > 0
