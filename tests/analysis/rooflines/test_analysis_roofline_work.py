"""FLOPs and bytes from counters, exact for every precision, request size and target."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.rooflines.flops import (
    ESTIMATE,
    TYPED,
    count_flops,
    estimate_flops,
    flop_counters,
    integer_matrix_ops,
)
from rocm_perf_lab.analysis.rooflines.memory_traffic import (
    Traffic,
    formulas_of,
    memory_traffic,
    traffic_counters,
)
from rocm_perf_lab.arch.target import known_targets

ALL_ZERO = {name: 0.0 for group in flop_counters("gfx942") for name in group}


@pytest.mark.parametrize("kind", ["F16", "F32", "F64"])
@pytest.mark.parametrize(
    ("operation", "per_lane"), [("ADD", 1), ("MUL", 1), ("TRANS", 1), ("FMA", 2)]
)
def test_vector_instructions(kind: str, operation: str, per_lane: int) -> None:
    count = count_flops({**ALL_ZERO, f"SQ_INSTS_VALU_{operation}_{kind}": 10.0}, "gfx942")
    assert count.total == 10 * 64 * per_lane
    assert count.by_pipe["vector", f"fp{kind[1:]}"] == count.total


@pytest.mark.parametrize(
    ("kind", "precision"),
    [("F16", "fp16"), ("BF16", "bf16"), ("F32", "fp32"), ("F64", "fp64"), ("F8", "fp8")],
)
def test_matrix_operations(kind: str, precision: str) -> None:
    count = count_flops({**ALL_ZERO, f"SQ_INSTS_VALU_MFMA_MOPS_{kind}": 3.0}, "gfx942")
    assert count.by_pipe["matrix", precision] == count.total == 3 * 512


def test_integer_code_has_no_flops() -> None:
    counters = {**ALL_ZERO, "SQ_INSTS_VALU": 1e6, "SQ_INSTS_VALU_INT32": 1e6}
    count = count_flops(counters, "gfx942")
    assert (count.total, count.method) == (0.0, TYPED)


def test_a_missing_precision_is_unknown_and_so_is_the_total() -> None:
    counters = {**ALL_ZERO, "SQ_INSTS_VALU_ADD_F32": 5.0}
    del counters["SQ_INSTS_VALU_FMA_F64"]
    count = count_flops(counters, "gfx942")
    assert (count.total, count.known) == (None, 320.0)
    assert (count.unknown, count.missing) == ((("vector", "fp64"),), ("SQ_INSTS_VALU_FMA_F64",))


def test_an_uncollected_matrix_type_is_zero_only_when_the_others_are_all() -> None:
    counters = {**ALL_ZERO, "SQ_INSTS_VALU_MFMA_MOPS_F16": 8.0}
    del counters["SQ_INSTS_VALU_MFMA_MOPS_F8"]
    assert count_flops(counters, "gfx942").unknown == (("matrix", "fp8"),)
    explained = {**counters, "SQ_INSTS_MFMA": 4.0, "SQ_INSTS_VALU_MFMA_F16": 4.0}
    assert count_flops(explained, "gfx942").total == 8 * 512
    others = {**explained, "SQ_INSTS_MFMA": 5.0}
    assert count_flops(others, "gfx942").unknown == (("matrix", "fp8"),)


def test_gfx90a_has_no_fp8() -> None:
    counters = {name: 0.0 for group in flop_counters("gfx90a") for name in group}
    assert not any("F8" in name for name in counters)
    assert count_flops(counters, "gfx90a").total == 0.0


def test_the_estimate_is_named_and_only_a_fallback() -> None:
    counters = {"SQ_INSTS_VALU": 100.0, "SQ_INSTS_MFMA": 20.0}
    count = count_flops(counters, "gfx942")
    assert (count.method, count.total) == (ESTIMATE, 80 * 64)
    assert count_flops({**ALL_ZERO, **counters}, "gfx942").method == TYPED
    assert count_flops(counters, "gfx1100", lanes=32).total == 80 * 32
    assert estimate_flops({}).total is None


def test_int8_is_no_flop() -> None:
    counters = {**ALL_ZERO, "SQ_INSTS_VALU_MFMA_MOPS_I8": 2.0}
    assert count_flops(counters, "gfx942").total == 0.0
    assert integer_matrix_ops(counters) == 1024
    assert integer_matrix_ops({}) is None


def level(counters: dict[str, float], target: str, name: str) -> Traffic:
    return next(t for t in memory_traffic(counters, target) if t.level == name)


def test_fabric_of_gfx942_and_gfx950() -> None:
    counters = {
        "TCC_EA0_RDREQ_sum": 100.0,
        "TCC_EA0_RDREQ_32B_sum": 10.0,
        "TCC_BUBBLE_sum": 30.0,
        "TCC_EA0_WRREQ_sum": 50.0,
        "TCC_EA0_WRREQ_64B_sum": 40.0,
    }
    for target in ("gfx942", "gfx950"):
        fabric = level(counters, target, "fabric")
        assert fabric.read == 30 * 128 + 10 * 32 + 60 * 64
        assert fabric.written == 40 * 64 + 10 * 32
        assert fabric.total == fabric.read + fabric.written


def test_fabric_of_gfx90a_has_no_large_reads() -> None:
    counters = {
        "TCC_EA_RDREQ": 100.0,
        "TCC_EA_RDREQ_32B": 10.0,
        "TCC_BUBBLE": 30.0,
        "TCC_EA_WRREQ": 50.0,
        "TCC_EA_WRREQ_64B": 50.0,
    }
    fabric = level(counters, "gfx90a", "fabric")
    assert (fabric.read, fabric.written) == (90 * 64 + 10 * 32, 50 * 64)


def test_more_large_reads_than_reads_do_not_subtract() -> None:
    """The two counters come from different runs."""
    names = ("TCC_EA0_RDREQ_32B", "TCC_EA0_WRREQ", "TCC_EA0_WRREQ_64B")
    counters = {**dict.fromkeys(names, 0.0), "TCC_EA0_RDREQ": 10.0, "TCC_BUBBLE": 11.0}
    assert level(counters, "gfx942", "fabric").read == 11 * 128


def test_fabric_of_rdna() -> None:
    counters = {f"GL2C_EA_RDREQ_{size}B": 1.0 for size in (32, 64, 96, 128)}
    counters |= {"GL2C_MC_WRREQ": 3.0, "GL2C_EA_WRREQ_64B": 2.0}
    fabric = level(counters, "gfx1100", "fabric")
    assert (fabric.read, fabric.written) == (320, 2 * 64 + 32)


def test_the_profilers_own_sums_where_requests_are_missing() -> None:
    fabric = level({"FETCH_SIZE": 10.5}, "gfx1151", "fabric")
    assert (fabric.read, fabric.written, fabric.total) == (10752.0, None, None)
    assert fabric.missing == ("WRITE_SIZE",)
    both = level({"FETCH_SIZE": 1.0, "WRITE_SIZE": 2.0}, "gfx942", "fabric")
    assert (both.total, both.missing) == (3072.0, ())


@pytest.mark.parametrize(("target", "read"), [("gfx90a", 64), ("gfx942", 128)])
def test_l2_requests(target: str, read: int) -> None:
    counters = {
        "TCP_TCC_READ_REQ_sum": 10.0,
        "TCP_TCC_WRITE_REQ_sum": 5.0,
        "TCP_TCC_ATOMIC_WITH_RET_REQ_sum": 2.0,
        "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum": 1.0,
    }
    l2 = level(counters, target, "l2")
    assert (l2.read, l2.written) == (10 * read, 8 * 64)


def test_lds_without_its_conflicts() -> None:
    lds = level({"SQ_LDS_IDX_ACTIVE": 10.0, "SQ_LDS_BANK_CONFLICT": 4.0}, "gfx942", "lds")
    assert lds.total == 6 * 128


def test_every_missing_counter_is_named() -> None:
    for target in known_targets():
        for formula, traffic in zip(formulas_of(target).values(), memory_traffic({}, target)):
            assert traffic.total is None
            assert set(traffic.missing) == set(formula.counters.values())
        assert traffic_counters(target)


def test_an_unknown_target_has_no_levels() -> None:
    assert memory_traffic({"FETCH_SIZE": 1.0}, "gfx700") == ()
