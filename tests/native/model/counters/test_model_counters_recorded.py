"""Counters of the virtual device against those recorded on an MI300X for the same program."""

from __future__ import annotations

import re

import pytest
from hip_support import ROOT, compiled, needs_hip, shared_folder, trace_records

from fakes.recordings import Known
from rocm_perf_lab.trace.load import load

pytestmark = needs_hip

SOURCE = ROOT / "benchmarks" / "kernels" / "calibration" / "vec_copy.hip"

COUNTED = ROOT / "native" / "vgpu" / "model" / "counters" / "counter_values.inc"

# The command processor asks for a few lines too, and not the same number each time.
CLOSE = (
    "TCC_REQ",
    "TCC_READ",
    "TCC_RW_REQ",
    "TCC_HIT",
    "TCC_MISS",
    "TCC_WRITEBACK",
    "TCC_ALL_TC_OP_WB_WRITEBACK",
    "TCC_EA0_RDREQ",
    "TCC_EA0_RDREQ_DRAM",
    "SQC_ICACHE_HITS",
)
# Depends on when requests meet; or on the command processor alone.
LOOSE = (
    "SQC_ICACHE_MISSES_DUPLICATE",
    "TCC_UC_REQ",
    "TCC_EA0_RD_UNCACHED_32B",
    "TCC_NORMAL_WRITEBACK",
)


@pytest.fixture(scope="module")
def modelled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """The recorded HIP runtime kept kernel arguments in host memory."""
    return first_dispatch(tmp_path_factory, HIP_FORCE_DEV_KERNARG="0")


def first_dispatch(tmp_path_factory: pytest.TempPathFactory, **variables: str) -> dict[str, float]:
    folder = shared_folder(tmp_path_factory)
    trace = tmp_path_factory.mktemp("trace")
    program = compiled(folder, SOURCE, "-O3")
    dispatches = trace_records(program, trace, environment={"VROCM_COUNTERS": "1", **variables})
    counters: dict[str, float] = dispatches[0]["counters"]
    return counters


@pytest.fixture(scope="module")
def recorded(known: Known) -> dict[str, float]:
    """The first dispatch: its instruction cache is cold, as the model's always is."""
    trace = load([known("veccopy-counters/MI300X_A1/dispatch_0")])
    counters = trace.counters
    first = counters.dispatch == counters.dispatch.min()
    values = zip(counters.name[first], counters.value[first].tolist())
    return {trace.strings[name].removesuffix("_sum"): value for name, value in values}


def test_all_other_counters_are_equal(
    modelled: dict[str, float], recorded: dict[str, float]
) -> None:
    counted = re.findall(r"^VGPU_COUNTER\((\w+)\)", COUNTED.read_text(), re.M)
    names = {name for name in counted if name in recorded} - {*CLOSE, *LOOSE}
    assert len(names) > 100
    assert {name: modelled[name] for name in names} == {name: recorded[name] for name in names}


@pytest.mark.parametrize("name", CLOSE)
def test_counters_of_the_l2_are_within_one_percent(
    name: str, modelled: dict[str, float], recorded: dict[str, float]
) -> None:
    assert modelled[name] == pytest.approx(recorded[name], rel=0.01)


def test_bytes_read_and_written_are_those_of_the_arrays(modelled: dict[str, float]) -> None:
    array = (1 << 20) * 8
    wide, narrow = modelled["TCC_BUBBLE"], modelled["TCC_EA0_RDREQ_32B"]
    others = modelled["TCC_EA0_RDREQ"] - wide - narrow
    assert 128 * wide + 64 * others + 32 * narrow == pytest.approx(array, rel=0.01)
    assert 64 * modelled["TCC_EA0_WRREQ_64B"] == array


def test_kernel_arguments_are_in_device_memory_unless_told_otherwise(
    tmp_path_factory: pytest.TempPathFactory, modelled: dict[str, float]
) -> None:
    """What is in host memory, no cache of the device keeps."""
    usual = first_dispatch(tmp_path_factory)
    assert usual["TCC_UC_REQ"] == 0
    assert modelled["TCC_UC_REQ"] == modelled["SQC_TC_DATA_READ_REQ"] > 0
    latency = "accumulate(SQ_INST_LEVEL_SMEM)"
    assert usual[latency] < modelled[latency] / 4
