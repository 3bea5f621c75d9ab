"""The data files: complete, sourced, and in agreement with what AMD prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rocm_perf_lab.arch import Fact, known_targets, load_target
from rocm_perf_lab.arch.data_file import read_data_file
from rocm_perf_lab.arch.fact import CONFIDENCE_LEVELS
from rocm_perf_lab.arch.target import DATA_DIRECTORY, counts_by_type

DESCRIBED = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")
NO_SOURCE = "none"

EVERY_TARGET_HAS = {
    "wave_sizes", "default_wave_size", "simds_per_cu", "max_waves_per_simd", "has_wgp_mode",
    "max_workgroup_size", "barriers_per_cu", "vgpr.unified", "vgpr.wave64.total",
    "vgpr.wave64.granule", "vgpr.wave64.encoding_granule", "vgpr.addressable", "sgpr.total",
    "sgpr.granule", "sgpr.encoding_granule", "sgpr.addressable", "lds.bytes_per_cu",
    "lds.max_bytes_per_workgroup", "lds.granule", "lds.llvm_granule", "lds.banks",
    "lds.bytes_per_clock", "l1_vector.bytes", "l1_vector.line", "l1_vector.bytes_per_clock",
    "l1_scalar.bytes", "l1_scalar.line", "l1_instruction.bytes", "l1_instruction.line",
    "l1_shared_by", "l1_graphics.bytes", "l2.line", "l2.bytes_per_clock",
    "l2.write_bytes_per_clock", "memory.transfers_per_clock", "rate.vector.fp64",
    "rate.vector.fp32", "rate.vector.fp32_single_issue", "rate.vector.fp16",
}  # fmt: skip
EVERY_PRODUCT_HAS = {
    "dies_per_board", "cu_count", "xcc_count", "shader_engines_per_xcc", "l2.bytes_per_xcc",
    "l2.channels_per_xcc", "infinity_cache.bytes", "infinity_cache.bytes_per_second",
    "engine_clock_mhz", "memory_clock_mhz", "memory_data_rate_gtps", "memory_bus_bits",
    "memory_bandwidth_gbps", "memory_bandwidth_computed_gbps", "vram_bytes", "sqc_count",
}  # fmt: skip

PRODUCTS = [(name, p) for name in DESCRIBED for p in load_target(name).products]
PRODUCT_IDS = [product.name for _, product in PRODUCTS]


def raw(name: str) -> dict[str, Any]:
    return read_data_file(DATA_DIRECTORY / f"{name}.json")


def sections(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [document["facts"], *(product["facts"] for product in document["products"])]


@pytest.mark.parametrize("name", known_targets())
def test_file_is_named_after_its_target_and_of_known_layout(name: str) -> None:
    document = raw(name)
    assert document["target"] == name
    assert document["schema_version"] == 1
    allowed = {"schema_version", "target", "family", "inherits", "sources", "facts", "products"}
    assert set(document) <= allowed


@pytest.mark.parametrize("name", known_targets())
def test_every_number_carries_unit_known_source_and_confidence(name: str) -> None:
    document = raw(name)
    used = set()
    for section in sections(document):
        for key, entry in section.items():
            extra = set(entry) - {"value", "unit", "source", "confidence", "note", "disagreement"}
            assert not extra, key
            assert entry["unit"], key
            assert entry["source"], key
            assert entry["confidence"] in CONFIDENCE_LEVELS, key
            used.update(entry["source"])
            if NO_SOURCE in entry["source"]:
                assert entry["confidence"] == "unverified", key
            if "disagreement" in entry:
                assert entry["disagreement"]["note"], key
                assert entry["disagreement"]["value"] != entry["value"], key
                used.update(entry["disagreement"]["source"])
    for product in document["products"]:
        used.update(product.get("published_tflops", {"source": []})["source"])
    assert used == set(document["sources"]), "sources named but not listed, or listed and unused"


@pytest.mark.parametrize("name", known_targets())
def test_target_is_complete(name: str) -> None:
    target = load_target(name)
    assert set(target.facts) >= EVERY_TARGET_HAS
    for size in target.wave_sizes:
        file = target.vgpr_file(size)
        assert file.total % file.granule == 0
        assert file.granule % file.encoding_granule == 0
    assert target.default_wave_size in target.wave_sizes


@pytest.mark.parametrize("name", known_targets())
def test_all_register_files_hold_the_same_bits_whatever_the_wave_size(name: str) -> None:
    target = load_target(name)
    lanes = {size * target.vgpr_file(size).total for size in target.wave_sizes}
    assert len(lanes) == 1


@pytest.mark.parametrize(("target_name", "product"), PRODUCTS, ids=PRODUCT_IDS)
def test_product_is_complete_and_its_parts_add_up(target_name: str, product: Any) -> None:
    assert set(product.facts) == EVERY_PRODUCT_HAS
    assert product.cu_count % product.xcc_count == 0
    for xccs in product.partitions.values():
        assert product.xcc_count % xccs == 0
    bus, rate = product.number("memory_bus_bits"), product.number("memory_data_rate_gtps")
    computed = product.number("memory_bandwidth_computed_gbps")
    assert bus / 8 * rate == pytest.approx(computed, rel=1e-9)
    # published figures are rounded down; the largest gap is 8 TB/s for 8192 GB/s
    assert product.number("memory_bandwidth_gbps") == pytest.approx(computed, rel=0.025)
    transfers = load_target(target_name).number("memory.transfers_per_clock")
    assert product.number("memory_clock_mhz") * transfers / 1e3 == pytest.approx(rate, rel=0.01)


PUBLISHED = [
    (name, product, key, value)
    for name, product in PRODUCTS
    for key, value in product.published_tflops.items()
]


@pytest.mark.parametrize(
    ("target_name", "product", "key", "printed"),
    PUBLISHED,
    ids=[f"{product.name}-{key}" for _, product, key, _ in PUBLISHED],
)
def test_printed_tflops_follow_from_the_rates(
    target_name: str, product: Any, key: str, printed: float
) -> None:
    unit, precision = key.split(".")
    rate = load_target(target_name).rate(precision, unit)
    dies = raw_product(target_name, product.name)["published_tflops"]["dies"]
    assert rate is not None
    tflops = dies * product.cu_count * product.number("engine_clock_mhz") * rate / 1e6
    assert tflops == pytest.approx(printed, abs=last_digit(printed))


def last_digit(printed: float) -> float:
    """What rounding may hide: figures are printed as whole numbers or with one digit."""
    return 0.5 if printed == int(printed) else 0.06


def raw_product(target_name: str, product_name: str) -> dict[str, Any]:
    (found,) = (p for p in raw(target_name)["products"] if p["name"] == product_name)
    result: dict[str, Any] = found
    return result


def test_enough_printed_figures_are_checked() -> None:
    assert len(PUBLISHED) >= 40


@pytest.mark.parametrize("name", sorted(set(known_targets()) - set(DESCRIBED)))
def test_inherited_facts_do_not_pass_as_documented(name: str) -> None:
    own = raw(name)["facts"]
    assert raw(name)["inherits"] in DESCRIBED
    inherited = [fact for key, fact in load_target(name).facts.items() if key not in own]
    assert inherited
    assert all(fact.confidence != "documented" for fact in inherited)


@pytest.mark.parametrize(
    ("name", "key", "value", "other"),
    [
        ("gfx950", "lds.banks", 64, 32),
        ("gfx950", "lds.bytes_per_clock", 256, 128),
        ("gfx942", "rate.vector.fp32", 256, 128),
        ("gfx90a", "l2.bytes_per_clock", 128, 64),
        ("gfx942", "sgpr.addressable", 102, 104),
        ("gfx950", "rate.matrix.fp4", 16384, 16834),
        ("gfx1030", "lds.granule", 1024, 512),
    ],
)
def test_where_the_vendor_disagrees_both_values_are_kept(
    name: str, key: str, value: int, other: int
) -> None:
    fact: Fact = load_target(name).facts[key]
    assert fact.value == value
    assert fact.disagreement is not None
    assert fact.disagreement.value == other


def test_data_files_are_packaged() -> None:
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    assert "arch/data/*.json" in pyproject.read_text("utf-8")


@pytest.mark.parametrize(
    "path", sorted(DATA_DIRECTORY.rglob("*.json")), ids=lambda path: str(path.name)
)
def test_no_key_stands_twice(path: Path) -> None:
    assert read_data_file(path)


def test_a_number_that_stands_twice_is_refused_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "gfx942.json"
    file.write_text('{"facts": {"lds": {"value": 1}, "clock": {}, "lds": {"value": 2}}}', "utf-8")
    with pytest.raises(ValueError, match=r"gfx942\.json: lds defined twice"):
        read_data_file(file)


def test_only_cdna_counts_by_type() -> None:
    counting = {name for name in known_targets() if counts_by_type(name)}
    assert counting == {"gfx90a", "gfx942", "gfx950"}
    assert counts_by_type("gfx942:sramecc+")
    assert not counts_by_type("gfx1")
