"""Targets, products and devices: what a record says wins, what nobody knows stays unknown."""

from __future__ import annotations

import pytest

from rocm_perf_lab.arch import (
    candidate_products,
    device_facts,
    identify_product,
    load_target,
    memory_bandwidth,
    peak_flops,
    theoretical_peak_flops,
)
from rocm_perf_lab.errors import ArchitectureUnknown

MI300X_RECORD = {
    "product_name": "AMD Instinct MI300X",
    "cu_count": 304,
    "num_xcc": 8,
    "simd_per_cu": 4,
    "max_waves_per_simd": 8,
    "wave_front_size": 64,
    "lds_size_in_kb": 64,
    "array_count": 32,
    "simd_arrays_per_engine": 1,
    "max_engine_clk_fcompute": 2100,
    "device_id": 29857,
    "gfx_target_version": 90402,
    "mem_banks": [{"width": 8192, "mem_clk_max": 1300, "size_in_bytes": 206141652992}],
}


def test_target_ids_with_features_and_triples_are_understood() -> None:
    target = load_target("gfx942:sramecc+:xnack-")
    assert (target.name, target.features) == ("gfx942", ("sramecc+", "xnack-"))
    assert load_target("amdgcn-amd-amdhsa--gfx90a:xnack+").name == "gfx90a"
    assert load_target("gfx942").features == ()


@pytest.mark.parametrize("name", ["gfx000", "", "sm_90", "../gfx942", "gfx942/..", "gfx9"])
def test_unknown_targets_name_the_known_ones(name: str) -> None:
    with pytest.raises(ArchitectureUnknown) as caught:
        load_target(name)
    assert "gfx942" in (caught.value.next_step or "")


@pytest.mark.parametrize(
    ("target", "cus", "xccs", "name", "expected"),
    [
        ("gfx942", 304, 8, "AMD Instinct MI300X", "MI300X"),
        ("gfx942", 304, 8, "AMD Instinct MI325X", "MI325X"),
        ("gfx942", 304, 8, None, None),  # MI300X or MI325X
        ("gfx942", 228, 6, None, "MI300A"),
        ("gfx942", 152, 4, None, None),
        ("gfx942", 38, 1, "AMD Instinct MI300X", "MI300X"),
        ("gfx942", 38, 1, None, None),  # CPX of three products
        ("gfx942", 76, 2, "AMD Instinct MI300A", "MI300A"),
        ("gfx942", 80, 4, "AMD Instinct MI308X", "MI308X"),
        ("gfx942", 80, 4, None, "MI308X"),
        ("gfx942", 304, 8, "AMD Instinct MI309X", None),
        ("gfx942", 304, 1, "AMD Instinct MI300X", "MI300X"),  # a faulty record
        ("gfx942", 304, 8, "AMD Instinct MI300X VF", "MI300X"),
        ("gfx942", 304, 8, "AMD Instinct MI300X (virtual)", "MI300X"),
        ("gfx90a", 110, 1, "AMD Instinct MI250X/MI250", "MI250X"),
        ("gfx90a", 104, 1, "AMD Instinct MI250X/MI250", "MI250"),
        ("gfx90a", 104, 1, None, None),
        ("gfx950", 256, 8, "AMD Instinct MI355X", "MI355X"),
        ("gfx1100", 96, 1, "AMD Radeon RX 7900 XTX", "RX 7900 XTX"),
        ("gfx1100", 84, 1, "AMD Radeon RX 7900 XT", None),
        ("gfx1100", 96, 1, "Radeon", "RX 7900 XTX"),
        ("gfx1151", 40, 1, "AMD Radeon Graphics", None),
    ],
)
def test_product(target: str, cus: int, xccs: int, name: str | None, expected: str | None) -> None:
    product = identify_product(load_target(target), cus, xccs, name)
    assert (product.name if product else None) == expected


def test_device_id_decides_where_counts_cannot() -> None:
    target = load_target("gfx942")
    assert {p.name for p in candidate_products(target, 304, 8)} == {"MI300X", "MI325X"}
    product = identify_product(target, 304, 8, None, device_id=29861)
    assert product is not None
    assert product.name == "MI325X"


@pytest.mark.parametrize(
    ("cus", "xccs", "mode"), [(304, 8, "SPX"), (152, 4, "DPX"), (76, 2, "QPX"), (38, 1, "CPX")]
)
def test_partitions_of_an_mi300x_stay_an_mi300x(cus: int, xccs: int, mode: str) -> None:
    facts = device_facts("gfx942", {**MI300X_RECORD, "cu_count": cus, "num_xcc": xccs})
    assert facts.product is not None
    assert (facts.product.name, facts.partition, facts.cu_count) == ("MI300X", mode, cus)
    assert facts.is_partition == (mode != "SPX")
    assert facts.l2_bytes == xccs * 4 * 2**20
    assert theoretical_peak_flops(facts) == pytest.approx(163.4e12 * xccs / 8, rel=1e-3)
    assert facts.conflicts == ()


def test_a_recorded_mi300x() -> None:
    facts = device_facts(load_target("gfx942"), MI300X_RECORD)
    assert theoretical_peak_flops(facts) == pytest.approx(163.4e12, rel=1e-3)
    assert peak_flops(facts, "fp16", "matrix") == pytest.approx(1307.4e12, rel=1e-4)
    assert peak_flops(facts, "fp16", "sparse") == pytest.approx(2614.9e12, rel=1e-4)
    assert peak_flops(facts, "fp32", clock_mhz=1050) == pytest.approx(163.4e12 / 2, rel=1e-3)
    assert memory_bandwidth(facts) == 5300e9
    assert facts.memory_bandwidth_computed == pytest.approx(5324.8e9)
    assert facts.shader_engines == 32
    assert facts.max_waves == 304 * 32
    assert facts.vram_bytes == 206141652992
    assert facts.origin["cu_count"] == facts.origin["engine_clock_mhz"] == "recorded"


def test_what_all_possible_products_share_is_known_and_the_rest_is_not() -> None:
    facts = device_facts("gfx942", {"cu_count": 304, "num_xcc": 8})
    assert facts.product is None
    assert facts.engine_clock_mhz == 2100  # MI300X and MI325X alike
    assert facts.origin["engine_clock_mhz"] == "table"
    assert memory_bandwidth(facts) is None  # 5.3 or 6 TB/s
    assert facts.vram_bytes is None


def test_nothing_is_invented_for_an_undescribed_board() -> None:
    facts = device_facts("gfx1151", {"cu_count": 40, "max_engine_clk_fcompute": 2900})
    assert facts.product is None
    assert memory_bandwidth(facts) is None
    assert theoretical_peak_flops(facts) == pytest.approx(40 * 2.9e9 * 256)
    assert peak_flops(facts, "fp4", "matrix") is None
    assert theoretical_peak_flops(device_facts("gfx1151")) is None


def test_unknown_board_gets_its_bandwidth_from_its_own_record() -> None:
    bank = {"width": 256, "mem_clk_max": 1125, "size_in_bytes": 16 * 2**30}
    facts = device_facts("gfx1101", {"cu_count": 60, "mem_banks": [bank]})
    assert memory_bandwidth(facts) == pytest.approx(576e9)


def test_contradictions_are_named() -> None:
    facts = device_facts(
        "gfx942", {**MI300X_RECORD, "num_xcc": 1, "simd_per_cu": 2, "max_waves_per_simd": 10}
    )
    assert facts.xcc_count == 8
    assert facts.simds_per_cu == 4
    assert len(facts.conflicts) == 3
    assert "1 XCC" in " ".join(facts.conflicts)
    masked = device_facts("gfx942", {**MI300X_RECORD, "cu_count": 300})
    assert masked.partition is None
    assert masked.cu_count == 300
    assert "300 CUs fit no partition mode" in masked.conflicts[0]


def test_records_of_text_and_zeros_are_read_with_care() -> None:
    facts = device_facts(
        "gfx942",
        {"cu_count": "304", "num_xcc": "0", "max_engine_clk_fcompute": "n/a", "mem_banks": [3]},
    )
    assert facts.cu_count == 304
    assert facts.xcc_count == 8
    assert facts.engine_clock_mhz == 2100
    assert facts.origin["xcc_count"] == "table"
