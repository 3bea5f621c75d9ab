"""Counters of a real HIP program on the virtual device, through rocprofv3."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from profiler_support import NEEDS_HIP, compiled, make_prefix

from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.vrocm.counters.availability import delivered_keys

pytestmark = NEEDS_HIP

ELEMENTS = 1 << 16
WAVES = ELEMENTS // 64


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_prefix(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def program(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("programs") / "copy_doubles.hip"
    return compiled(prefix, source, tmp_path_factory.mktemp("copy_doubles"))


def run(prefix: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(prefix / "bin" / "rocprofv3"), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=240,
    )


def counted(prefix: Path, program: Path, out: Path, *counters: str) -> Trace:
    result = run(
        prefix, "--pmc", *counters, "--kernel-include-regex", "copy", "-d", out, "--", program
    )
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr
    return load([out])


def values(trace: Trace, counter: str) -> list[float]:
    table = trace.counters
    return [
        float(value)
        for name, value in zip(table.name, table.value)
        if trace.strings[name] == counter
    ]


def test_what_can_be_known_beforehand_is_exact(prefix: Path, program: Path, tmp_path: Path) -> None:
    trace = counted(
        prefix, program, tmp_path, "SQ_WAVES", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR",
        "TCC_EA0_WRREQ_sum", "TCC_EA0_WRREQ_64B_sum", "WRITE_SIZE", "TA_TOTAL_WAVEFRONTS_sum",
        "CU_NUM", "VALUUtilization",
    )  # fmt: skip
    assert values(trace, "SQ_WAVES") == [WAVES] * 3
    assert values(trace, "SQ_INSTS_VMEM_RD") == values(trace, "SQ_INSTS_VMEM_WR") == [WAVES] * 3
    assert values(trace, "TA_TOTAL_WAVEFRONTS_sum") == [2 * WAVES] * 3
    assert values(trace, "TCC_EA0_WRREQ_64B_sum") == [ELEMENTS * 8 / 64] * 3
    assert values(trace, "WRITE_SIZE") == [ELEMENTS * 8 / 1024] * 3
    assert values(trace, "CU_NUM") == [304] * 3
    assert values(trace, "VALUUtilization") == [100] * 3


def test_latencies_and_occupancy_come_from_accumulations(
    prefix: Path, program: Path, tmp_path: Path
) -> None:
    trace = counted(prefix, program, tmp_path, "VmemLatency", "MeanOccupancyPerCU", "SQ_WAVES")
    assert all(100 < latency < 5000 for latency in values(trace, "VmemLatency"))
    assert all(0 < waves <= 32 for waves in values(trace, "MeanOccupancyPerCU"))


def test_two_runs_count_the_same(prefix: Path, program: Path, tmp_path: Path) -> None:
    counters = ("SQ_WAVES", "SQ_WAVE_CYCLES", "TCC_HIT_sum", "TCC_MISS_sum", "GRBM_GUI_ACTIVE")
    first, second = (
        counted(prefix, program, tmp_path / name, *counters) for name in ("first", "second")
    )
    for counter in counters:
        assert values(first, counter) == values(second, counter), counter


@pytest.mark.parametrize(
    ("what", "together"), [("--kernel-trace", True), ("--pmc=SQ_WAVES", False)]
)
def test_counting_lets_kernels_run_one_by_one(
    prefix: Path, program: Path, tmp_path: Path, what: str, together: bool
) -> None:
    assert run(prefix, what, "-d", tmp_path, "--", program).returncode == 0
    rows = load([tmp_path]).dispatches
    spans = sorted(zip(rows.start.tolist(), rows.end.tolist()))
    overlaps = [earlier[1] > later[0] for earlier, later in zip(spans, spans[1:])]
    assert any(overlaps) == together


def test_counters_that_do_not_fit_abort_before_the_kernel_runs(
    prefix: Path, program: Path, tmp_path: Path
) -> None:
    options = ("--kernel-trace", "--pmc", "FETCH_SIZE", "WRITE_SIZE", "-d", tmp_path)
    result = run(prefix, *options, "--kernel-include-regex", "linger", "--", program)
    assert result.returncode == -signal.SIGABRT
    assert "Request exceeds the capabilities of the hardware to collect" in result.stderr
    assert "copied" not in result.stdout
    trace = load([tmp_path])
    assert {kernel.name for kernel in trace.kernels} == {
        "copy_doubles(double const*, double*)",
        "linger(float*, int)",
    }
    ran = {trace.kernels[index].name for index in trace.dispatches.kernel}
    assert ran == {"copy_doubles(double const*, double*)"}


@pytest.mark.parametrize(
    "filters",
    [("--kernel-include-regex", "nothing"), ("--kernel-iteration-range", "4")],
)
def test_nothing_is_aborted_when_nothing_would_be_counted(
    prefix: Path, program: Path, tmp_path: Path, filters: tuple[str, str]
) -> None:
    result = run(
        prefix, "--pmc", "FETCH_SIZE", "WRITE_SIZE", *filters, "-d", tmp_path, "--", program
    )
    assert result.returncode == 0, result.stderr
    assert "copied" in result.stdout


@pytest.mark.parametrize("arguments_in_host_memory", [False, True])
def test_the_list_of_what_the_device_delivers_is_current(
    prefix: Path, program: Path, tmp_path: Path, arguments_in_host_memory: bool
) -> None:
    """``rocprofv3-avail`` shows what follows from it."""
    variables = {"VROCM_TRACE": str(tmp_path), "VROCM_COUNTERS": "1"}
    expected = set(delivered_keys())
    if arguments_in_host_memory:  # credits of the link to the host are not modelled
        variables["HIP_FORCE_DEV_KERNARG"] = "0"
        links = [f"{way}REQ_{link}" for way in ("RD", "WR") for link in ("IO", "GMI")]
        expected -= {f"TCC_EA0_{link}_CREDIT_STALL" for link in links}
    libraries = {"LD_LIBRARY_PATH": str(prefix / "lib")}
    subprocess.run([program], env={**os.environ, **variables, **libraries}, check=True)
    (file,) = tmp_path.glob("*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    delivered = [record["counters"] for record in records if record["record"] == "dispatch"]
    assert len(delivered) == 5
    for counters in delivered:
        assert set(counters) == expected


def test_available_counters_can_be_listed_and_checked(prefix: Path) -> None:
    avail = str(prefix / "bin" / "rocprofv3-avail")
    listed = subprocess.run([avail, "list", "--pmc"], capture_output=True, text=True, check=True)
    assert {
        "SQ_WAVES", "TCC_HIT_sum", "MeanOccupancyPerCU", "MemUnitStalled", "TA_BUSY_max",
        "TA_BUSY_min", "TCC_WRREQ_STALL_max", "TCC_EA0_RDREQ_LEVEL_sum",
    } <= set(listed.stdout.split())  # fmt: skip
    assert "CPC_CPC_STAT_BUSY" not in listed.stdout.split()
    checked = subprocess.run(
        [avail, "pmc-check", "FETCH_SIZE", "WRITE_SIZE"], capture_output=True, text=True
    )
    assert checked.returncode == 1
    assert checked.stderr == "Fatal error: FETCH_SIZE WRITE_SIZE not collected on agent gfx942\n"
