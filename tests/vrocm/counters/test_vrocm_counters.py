"""rocprofv3 --pmc of the virtual ROCm: which dispatches are counted."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from counted_records import COUNTED, counters_of, records
from profiler_support import make_bench

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.vrocm.counters.request import (
    counter_request,
    parse_group,
    parse_iterations,
)
from rocm_perf_lab.vrocm.recording.kernel_names import Naming
from rocm_perf_lab.vrocm.recording.trace import Selection, build_trace


def counted(
    kernels: str, gpus: int = 1, naming: Naming = Naming.DEMANGLED, **options: Any
) -> Trace:
    request = counter_request(options)
    assert request is not None
    selection = Selection(frozenset(), naming=naming, counters=request)
    return build_trace(records(kernels, gpus=gpus), selection, "host")


def numbers(trace: Trace) -> list[int]:
    """Which dispatches were counted, from 0."""
    return [number - 1 for number in trace.dispatches.dispatch_id.tolist()]


def test_without_filters_every_dispatch_is_counted() -> None:
    trace = counted("aab", pmc=["SQ_WAVES", "TCC_HIT_sum"])
    assert counters_of(trace) == [
        {"SQ_WAVES": 64, "TCC_HIT_sum": 7},
        {"SQ_WAVES": 65, "TCC_HIT_sum": 8},
        {"SQ_WAVES": 66, "TCC_HIT_sum": 9},
    ]
    assert trace.warnings == ()


@pytest.mark.parametrize(
    ("filters", "dispatches"),
    [
        ({"kernel_include_regex": "a"}, [0, 2, 5]),
        ({"kernel_include_regex": "ns::[ab]"}, [0, 1, 2, 4, 5]),
        ({"kernel_include_regex": "^a"}, []),
        ({"kernel_exclude_regex": "a"}, [1, 3, 4]),
        ({"kernel_include_regex": "a|b", "kernel_exclude_regex": "b"}, [0, 2, 5]),
        ({"kernel_iteration_range": ["1"]}, [0, 1, 3]),
        ({"kernel_iteration_range": ["[2-3]"]}, [2, 4, 5]),
        ({"kernel_include_regex": "a", "kernel_iteration_range": ["[1,", "3]"]}, [0, 5]),
        ({"kernel_iteration_range": ["9"]}, []),
    ],
)
def test_filters_count_iterations_of_each_kernel(
    filters: dict[str, Any], dispatches: list[int]
) -> None:
    assert numbers(counted("abacba", pmc=["SQ_WAVES"], **filters)) == dispatches


@pytest.mark.parametrize(
    ("naming", "pattern"),
    [
        (Naming.DEMANGLED, r"^void ns::a\(\)$"),
        (Naming.MANGLED, r"^_Z1av\.kd$"),
        (Naming.TRUNCATED, r"^a$"),
    ],
)
def test_filters_see_the_names_that_are_shown(naming: Naming, pattern: str) -> None:
    trace = counted("ab", naming=naming, pmc=["SQ_WAVES"], kernel_include_regex=pattern)
    assert numbers(trace) == [0]


@pytest.mark.parametrize(
    ("interval", "turns"),
    [(1, "xyxyxy"), (2, "xxyyxx"), (5, "xxxxxy")],
)
def test_groups_take_turns(interval: int, turns: str) -> None:
    groups = [["SQ_WAVES"], ["TCC_HIT"]]
    trace = counted("aaaaaa", pmc_groups=groups, pmc_group_interval=interval)
    seen = ["x" if "SQ_WAVES" in counters else "y" for counters in counters_of(trace)]
    assert "".join(seen) == turns


def test_groups_take_turns_on_each_gpu_and_only_over_counted_dispatches() -> None:
    groups = [["SQ_WAVES"], ["TCC_HIT"]]
    trace = counted("abaaaa", gpus=2, pmc_groups=groups, kernel_include_regex="a")
    assert numbers(trace) == [0, 2, 3, 4, 5]
    names = [next(iter(counters)) for counters in counters_of(trace)]
    # GPU 0 counts dispatches 0, 2, 4; GPU 1 counts 3, 5.
    assert names == ["SQ_WAVES", "TCC_HIT", "SQ_WAVES", "SQ_WAVES", "TCC_HIT"]


def test_a_group_of_unknown_counters_takes_no_turn() -> None:
    trace = counted("aaa", pmc_groups=[["SQ_WAVES"], ["NOWHERE"]])
    assert [list(counters) for counters in counters_of(trace)] == [["SQ_WAVES"]] * 3


def test_a_counter_of_one_gpu() -> None:
    trace = counted("aa", gpus=2, pmc=["SQ_WAVES", "TCC_HIT:device=1"])
    assert [sorted(counters) for counters in counters_of(trace)] == [
        ["SQ_WAVES"],
        ["SQ_WAVES", "TCC_HIT"],
    ]
    assert trace.warnings == ()


def test_unknown_counters_are_a_warning_in_the_words_of_rocprofv3() -> None:
    trace = counted("aa", gpus=2, pmc=["SQ_WAVES,NOWHERE", "TCC_EA_RDREQ:device=1"])
    asked = "[NOWHERE, SQ_WAVES, TCC_EA_RDREQ:device=1]. Found: [SQ_WAVES]."
    assert trace.warnings == (
        f"Unable to find all counters for agent 1 (gpu-0, gfx942) in {asked} Missing: [NOWHERE]",
        f"Unable to find all counters for agent 2 (gpu-1, gfx942) in {asked} "
        "Missing: [NOWHERE, TCC_EA_RDREQ:device=1]",
    )
    assert counters_of(trace) == [{"SQ_WAVES": 64}, {"SQ_WAVES": 65}]


def test_what_the_device_does_not_count_is_absent_and_never_zero() -> None:
    trace = counted("aa", pmc=["SQ_WAVES", "VALUBusy", "TCC_TAG_STALL_sum"])
    assert counters_of(trace) == [{"SQ_WAVES": 64}, {"SQ_WAVES": 65}]
    assert trace.warnings == (
        "Unable to find all counters for agent 1 (gpu-0, gfx942) in "
        "[SQ_WAVES, TCC_TAG_STALL_sum, VALUBusy]. Found: [SQ_WAVES]. "
        "Missing: [TCC_TAG_STALL_sum, VALUBusy]",
        "the virtual device does not count TCC_TAG_STALL, which TCC_TAG_STALL_sum needs",
        "the virtual device does not count SQ_ACTIVE_INST_VALU, which VALUBusy needs",
    )


def test_nothing_counted_means_no_dispatch_and_no_warning() -> None:
    trace = counted("aa", pmc=["NOWHERE"], kernel_include_regex="b")
    assert len(trace.dispatches) == 0
    assert trace.warnings == ()


@pytest.mark.parametrize(
    "words", [["A", "B", "A:device=1"], ["B,A,", "A:device=1;B"], ["A\tB|A:device=1 # C", "D"]]
)
def test_lists_of_counters(words: list[str]) -> None:
    assert [wanted.text for wanted in parse_group(words)] == ["A", "A:device=1", "B"]


@pytest.mark.parametrize(
    ("words", "iterations"),
    [
        (["[1-3]", "7"], [1, 2, 3, 7]),
        (["[1, 3, [5-6]]"], [1, 3, 5, 6]),
        (["[11-12], [4-4]"], [11, 12, 4]),
        (["[]"], []),
        (["3-1"], []),
    ],
)
def test_ranges_of_iterations(words: list[str], iterations: list[int]) -> None:
    assert [number for part in parse_iterations(words) for number in part] == iterations


@pytest.mark.parametrize("word", ["x", "1-2-3", "-1", "1.5", "[1:3]"])
def test_ranges_that_make_no_sense(word: str) -> None:
    with pytest.raises(UsageError, match="neither a number nor a range"):
        parse_iterations([word])


@pytest.mark.parametrize("name", ["kernel_include_regex", "kernel_exclude_regex"])
def test_a_filter_must_be_a_regular_expression(name: str) -> None:
    with pytest.raises(UsageError, match="is not a regular expression"):
        counter_request({"pmc": ["A"], name: "*"})


# --- what fits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "gpus", "refused"),
    [
        (["FETCH_SIZE"], 1, False),
        (["FETCH_SIZE", "WRITE_SIZE"], 1, True),
        (["FETCH_SIZE:device=0", "WRITE_SIZE:device=1"], 2, False),
        (["FETCH_SIZE:device=1", "WRITE_SIZE"], 1, False),
        (["FETCH_SIZE:device=1", "WRITE_SIZE"], 2, True),
        (["SQ_WAVES:device=x"], 1, True),
        (["NOWHERE"], 1, False),
    ],
)
def test_what_is_refused(words: list[str], gpus: int, refused: bool) -> None:
    request = counter_request({"pmc": words})
    assert request is not None
    assert (request.refusal(gpus) is not None) == refused


def test_each_group_fits_by_itself() -> None:
    request = counter_request({"pmc_groups": [["FETCH_SIZE"], ["WRITE_SIZE"]]})
    assert request is not None
    assert request.refusal(1) is None


DOES_NOT_FIT = (
    "Could not construct profile cfg failed with error code 38: "
    "Request exceeds the capabilities of the hardware to collect"
)


def test_counters_that_do_not_fit_abort_the_application(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, counters=COUNTED, refuses=True)
    result = bench.run("--pmc", "FETCH_SIZE", "WRITE_SIZE", "--kernel-include-regex", "gemm")
    assert result.returncode == -signal.SIGABRT
    assert f"[rocprofv3] Fatal error: {DOES_NOT_FIT}" in result.stderr
    assert "5 events of block TCC, which counts 4 at a time" in result.stderr
    assert bench.files() == []
    (seen,) = bench.seen()
    told = {k: v for k, v in seen["environment"].items() if k.startswith("VROCM_COUNTERS")}
    assert told.pop("VROCM_COUNTERS_REFUSED") in result.stderr
    assert told == {
        "VROCM_COUNTERS": "1",
        "VROCM_COUNTERS_INCLUDE": "gemm",
        "VROCM_COUNTERS_EXCLUDE": "",
        "VROCM_COUNTERS_ITERATIONS": "",
        "VROCM_COUNTERS_NAMES": "demangled",
    }


@pytest.mark.parametrize(("pattern", "status"), [("gemm", -signal.SIGABRT), ("other", 0)])
def test_where_the_runtime_cannot_tell_the_verdict_falls_at_the_end(
    tmp_path: Path, pattern: str, status: int
) -> None:
    """Truncated names are not known to the runtime; without a counted dispatch nothing happens."""
    bench = make_bench(tmp_path, counters={**COUNTED, "TCC_EA0_WRREQ": 1, "TCC_EA0_WRREQ_64B": 1})
    result = bench.run(
        "--pmc", "FETCH_SIZE", "WRITE_SIZE", "-T", "--kernel-include-regex", f"^{pattern}$"
    )
    assert result.returncode == status
    assert (DOES_NOT_FIT in result.stderr) == (status != 0)
    assert "VROCM_COUNTERS_REFUSED" not in bench.seen()[0]["environment"]
    assert bench.files() == []
