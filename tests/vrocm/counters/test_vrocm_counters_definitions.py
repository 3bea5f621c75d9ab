"""The counters of gfx942: all of rocprofiler-sdk's, and what fits into one pass."""

from __future__ import annotations

import pytest

from rocm_perf_lab.vrocm.counters.definitions import (
    Counter,
    DefinitionError,
    Event,
    extra_counters,
    load_catalogue,
)
from rocm_perf_lab.vrocm.counters.limits import Excess, excesses
from rocm_perf_lab.vrocm.counters.values import Device, Evaluator, NotDelivered
from rocm_perf_lab.vrocm.yaml_text import parse_yaml

CATALOGUE = load_catalogue()
HARDWARE = [c.name for c in CATALOGUE.counters.values() if c.block]
DERIVED = [c.name for c in CATALOGUE.counters.values() if c.is_derived]
FLOPS = [
    f"SQ_INSTS_VALU_{kind}_{precision}"
    for kind in ("ADD", "MUL", "FMA", "TRANS")
    for precision in ("F16", "F32", "F64")
]


def test_there_are_as_many_as_rocprofiler_sdk_has_for_gfx942() -> None:
    assert (len(HARDWARE), len(DERIVED)) == (265, 154)


def test_every_definition_makes_sense() -> None:
    CATALOGUE.check()
    for counter in CATALOGUE.counters.values():
        assert counter.description.strip(), counter.name
        assert bool(counter.block) + counter.is_derived + counter.is_constant == 1, counter.name
        assert excesses(CATALOGUE, [counter.name]) == [], counter.name


@pytest.mark.parametrize(
    "name",
    [
        *FLOPS,
        *(f"SQ_INSTS_VALU_MFMA_MOPS_{kind}" for kind in ("I8", "F8", "F16", "BF16", "F32", "F64")),
        *(f"SQ_INSTS{kind}" for kind in ("", "_VALU", "_SALU", "_SMEM", "_VMEM", "_FLAT", "_LDS")),
        *(f"SQ_ACTIVE_INST_{kind}" for kind in ("ANY", "VALU", "LDS", "VMEM", "SCA", "MISC")),
        *("SQ_WAVES", "SQ_WAVE_CYCLES", "SQ_BUSY_CYCLES", "SQ_BUSY_CU_CYCLES", "SQ_WAIT_ANY"),
        *("SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE", "SQ_LDS_ADDR_CONFLICT"),
        *(f"TCC_{kind}_sum" for kind in ("HIT", "MISS", "REQ", "READ", "WRITE", "ATOMIC")),
        *("TCC_EA0_RDREQ_sum", "TCC_EA0_RDREQ_32B_sum", "TCC_EA0_WRREQ_64B_sum", "TCC_BUBBLE_sum"),
        *("TCP_TOTAL_CACHE_ACCESSES_sum", "TCP_TCC_READ_REQ_sum", "TA_TOTAL_WAVEFRONTS_sum"),
        *("GRBM_COUNT", "GRBM_GUI_ACTIVE", "SPI_CSN_WAVE", "CPC_CPC_STAT_BUSY"),
        *("FETCH_SIZE", "WRITE_SIZE", "VALUBusy", "MfmaUtil", "OccupancyPercent", "VmemLatency"),
    ],
)
def test_names_that_analyses_ask_for(name: str) -> None:
    assert CATALOGUE.find(name) is not None


@pytest.mark.parametrize("name", ["TCP_TCP_LATENCY", "TCC_EA_RDREQ", "L2CacheHit", "SQ_WAVE"])
def test_names_of_other_chips_are_unknown(name: str) -> None:
    assert CATALOGUE.find(name) is None


@pytest.mark.parametrize(
    ("names", "excess"),
    [
        (["FETCH_SIZE"], []),
        (["WRITE_SIZE"], []),
        (["FETCH_SIZE", "WRITE_SIZE"], [Excess("TCC", 5, 4)]),
        (FLOPS[:8], []),
        (FLOPS, [Excess("SQ", 12, 8)]),
        (["SQ_WAVES", "SQ_WAVES_sum", "SQ_WAVES"], []),  # one event
        ([*FLOPS[:8], "TCC_HIT", "TCC_MISS", "GRBM_COUNT", "GRBM_GUI_ACTIVE"], []),
        (["GRBM_COUNT", "GRBM_GUI_ACTIVE", "GRBM_SPI_BUSY"], [Excess("GRBM", 3, 2)]),
        ([*FLOPS[:6], "MeanOccupancyPerCU"], []),  # level and accumulation: two events
        ([*FLOPS[:7], "MeanOccupancyPerCU"], [Excess("SQ", 9, 8)]),
        (["simd_count", "CU_NUM", "MAX_WAVE_SIZE"], []),  # nothing to count
    ],
)
def test_what_fits_into_a_pass(names: list[str], excess: list[Excess]) -> None:
    assert excesses(CATALOGUE, names) == excess


def test_an_accumulation_needs_the_counter_beside_it() -> None:
    assert CATALOGUE.events(["VmemLatency"]) == {
        Event("SQ_INST_LEVEL_VMEM"),
        Event("SQ_INST_LEVEL_VMEM", accumulated=True),
        Event("SQ_INSTS_VMEM"),
    }


# --- the recorded MI300X (vecCopy of doubles, 1048576 work-items) ---------------------------------

RECORDED = {
    "SQ_WAVES": 16384,
    "SQ_INSTS_VALU_INT32": 49152,
    "SQ_INSTS_VALU_INT64": 32768,
    "TCC_EA0_RDREQ": 65751,
    "TCC_EA0_RDREQ_32B": 0,
    "TCC_BUBBLE": 65536,
    "TCC_EA0_WRREQ": 131072,
    "TCC_EA0_WRREQ_64B": 131072,
    "SQ_INSTS_VMEM": 32768,
    "accumulate(SQ_INST_LEVEL_VMEM)": 32768 * 1231,
}
PROPERTIES = {"simd_count": 1216, "simd_per_cu": 4, "num_xcc": 8, "wave_front_size": 64}


def value(name: str, **more: float) -> float:
    evaluator = Evaluator(CATALOGUE, Device(PROPERTIES), {**RECORDED, **more})
    return evaluator.value(name)


def test_derived_metrics_of_the_recording() -> None:
    assert value("WRITE_SIZE") == 8192  # KiB: exactly the array
    assert value("FETCH_SIZE") == pytest.approx(8192, rel=0.002)
    assert value("VmemLatency") == 1231
    assert value("SQ_WAVES_sum") == value("SQ_WAVES") == 16384
    assert value("CU_NUM") == 304


def test_clocks_are_those_of_one_xcc() -> None:
    busy = {
        "SQ_ACTIVE_INST_VALU": 304 * 50,
        "GRBM_GUI_ACTIVE": 8 * 100,
        "max(GRBM_GUI_ACTIVE)": 100,
    }
    assert value("VALUBusy", **busy) == 50


def test_a_metric_without_its_counters_has_no_value() -> None:
    with pytest.raises(NotDelivered, match="SQ_INSTS_VALU_FMA_F32"):
        value("TOTAL_32_OPS")


# --- definitions of users -------------------------------------------------------------------------

EXTRA = """\
rocprofiler-sdk:
  counters-schema-version: 1
  counters:
    - name: MY_CYCLES
      description: cycles of all compute units
      properties: []
      definitions:
        - architectures:
          - gfx90a
          expression: NOT_KNOWN_HERE
        - architectures:
          - gfx942
          - gfx950
          expression: reduce(GRBM_GUI_ACTIVE,max)*CU_NUM
    - name: OF_ANOTHER_CHIP
      description: none
      definitions:
        - architectures: [gfx1100]
          expression: nothing
"""


def test_definitions_of_users_join_the_catalogue() -> None:
    extended = CATALOGUE.extended(extra_counters(parse_yaml(EXTRA)))
    assert extended.find("MY_CYCLES") == Counter(
        "MY_CYCLES",
        "cycles of all compute units",
        expression="reduce(GRBM_GUI_ACTIVE,max)*CU_NUM",
    )
    assert extended.find("OF_ANOTHER_CHIP") is None
    assert extended.events(["MY_CYCLES"]) == {Event("GRBM_GUI_ACTIVE")}
    evaluator = Evaluator(extended, Device(PROPERTIES), {"max(GRBM_GUI_ACTIVE)": 10})
    assert evaluator.value("MY_CYCLES") == 3040


@pytest.mark.parametrize(
    ("counters", "message"),
    [
        ({"A": "B", "B": "A"}, "A is defined by itself"),
        ({"A": "A+1"}, "A is defined by itself"),
        ({"A": "NOWHERE"}, "A refers to NOWHERE, which is unknown"),
        ({"A": "1+"}, "counter A: expected a name"),
        ({"SQ_WAVES": "1"}, "SQ_WAVES is defined already"),
        ({"A": "accumulate(TCC_HIT,HIGH_RES)"}, "only counters of the SQ block"),
        ({"A": "accumulate(VALUBusy,LOW_RES)"}, "only counters of the SQ block"),
    ],
)
def test_definitions_that_make_no_sense(counters: dict[str, str], message: str) -> None:
    with pytest.raises(DefinitionError, match=message.replace("+", "\\+")):
        CATALOGUE.extended(Counter(name, "", expression=text) for name, text in counters.items())


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "no list"),
        ([], "no list"),
        ({"rocprofiler-sdk": {"counters": "A"}}, "no list"),
        ({"rocprofiler-sdk": {"counters": [{}]}}, "has no name"),
        (
            {
                "rocprofiler-sdk": {
                    "counters": [
                        {"name": "A", "definitions": [{"architectures": ["gfx942"], "event": 7}]}
                    ]
                }
            },
            "A has no expression",
        ),
    ],
)
def test_files_of_definitions_that_make_no_sense(document: object, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        extra_counters(document)
