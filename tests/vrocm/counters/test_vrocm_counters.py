"""rocprofv3 --pmc of the virtual ROCm: which dispatches are counted, and what is written."""

from __future__ import annotations

import csv
import json
import re
import signal
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from profiler_support import Bench, make_bench

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.run import collect_counters
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.vrocm.build import PACKAGE_LAUNCHER
from rocm_perf_lab.vrocm.counters.request import (
    counter_request,
    parse_group,
    parse_iterations,
)
from rocm_perf_lab.vrocm.recording.kernel_names import Naming
from rocm_perf_lab.vrocm.recording.records import ProcessRecords
from rocm_perf_lab.vrocm.recording.trace import Selection, build_trace

COUNTED = {"SQ_WAVES": 64, "SQ_INSTS_VALU": 1000, "TCC_HIT": 7, "GRBM_GUI_ACTIVE": 800}
MI300X = {"simd_count": 1216, "simd_per_cu": 4, "num_xcc": 8}


def counters_of(trace: Trace) -> list[dict[str, float]]:
    """The counters of each dispatch."""
    found: list[dict[str, float]] = [{} for _ in range(len(trace.dispatches))]
    table = trace.counters
    for row, name, value in zip(table.dispatch, table.name, table.value):
        found[row][trace.strings[name]] = float(value)
    return found


# --- which dispatches are counted -----------------------------------------------------------------


def records(kernels: str, *, gpus: int = 1, counted: Mapping[str, Any] = COUNTED) -> ProcessRecords:
    """Dispatches of the kernels a, b, ... in this order, on each GPU in turn."""
    names = sorted(set(kernels))
    return ProcessRecords(
        7,
        {
            "agent": [
                {"id": 1 + gpu, "type": "GPU", "type_index": gpu, "name": "gfx942",
                 "properties": MI300X}
                for gpu in range(gpus)
            ],
            "kernel": [
                {"id": number, "name": f"_Z1{name}v.kd", "demangled": f"void ns::{name}()"}
                for number, name in enumerate(names)
            ],
            "dispatch": [
                {"record": "dispatch", "id": number, "kernel": names.index(name), "queue": 1,
                 "agent": 1 + number % gpus, "start_ns": 100 * number, "end_ns": 100 * number + 50,
                 "counters": {key: value + number for key, value in counted.items()}}
                for number, name in enumerate(kernels)
            ],
            "end": [{}],
        },
    )  # fmt: skip


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


# --- what is written ------------------------------------------------------------------------------


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path, counters=COUNTED)


EXPECTED = [
    {"SQ_WAVES": 64 + number, "TCC_HIT_sum": 7 + number, "CU_NUM": 304} for number in range(3)
]


def test_all_formats_hold_the_same_counters(bench: Bench) -> None:
    result = bench.run("--pmc", "SQ_WAVES,TCC_HIT_sum", "CU_NUM", "-f", "rocpd", "csv", "json")
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr
    assert bench.seen()[0]["environment"]["VROCM_COUNTERS"] == "1"
    kinds = {re.sub(r".*/\d+_", "", name) for name in bench.files()}
    assert kinds == {"results.db", "results.json", "agent_info.csv", "counter_collection.csv"}
    for pattern in ("*.db", "*.json", "*.csv"):
        trace = load(sorted(bench.out.rglob(pattern)))
        assert counters_of(trace) == EXPECTED, pattern
        assert trace.dispatches.dispatch_id.tolist() == [2, 3, 4]  # 1 is the fill
        assert trace.dispatches.duration.tolist() == [1000, 1001, 1002]
        assert trace.dispatches.thread.tolist() == [77] * 3
        shapeless = "counter files give the products of grid and workgroup sizes only"
        assert [text for text in trace.warnings if shapeless not in text] == []


def test_the_csv_file_is_that_of_rocprofv3(bench: Bench) -> None:
    bench.run("--pmc", "SQ_WAVES", "-f", "csv", "-o", "x")
    with open(bench.out / "x_counter_collection.csv", newline="") as stream:
        first, *_others = csv.DictReader(stream)
    assert first["Counter_Name"] == "SQ_WAVES"
    assert float(first["Counter_Value"]) == 64
    assert (first["Grid_Size"], first["Workgroup_Size"]) == ("1024", "256")
    assert (first["Agent_Id"], first["Dispatch_Id"]) == ("Agent 1", "2")


def test_small_values_keep_their_digits_in_csv(tmp_path: Path) -> None:
    conflicts = {"SQ_LDS_BANK_CONFLICT": 1, "SQ_LDS_IDX_ACTIVE": 4}
    selection = Selection(frozenset(), counters=counter_request({"pmc": ["LdsBankConflict"]}))
    trace = build_trace(records("a", counted=conflicts), selection, "host")
    write_csv(trace, tmp_path)
    (path,) = tmp_path.glob("*_counter_collection.csv")
    assert '"3.33333333e-01"' in path.read_text()
    assert counters_of(load([tmp_path])) == [{"LdsBankConflict": pytest.approx(1 / 3)}]


def test_the_database_describes_every_counter_of_the_device(bench: Bench) -> None:
    bench.run("--pmc", "FETCH_SIZE", "SQ_WAVES", "-o", "x")
    database = sqlite3.connect(bench.out / "x_results.db")
    (count,) = database.execute("SELECT COUNT(*) FROM rocpd_info_pmc").fetchone()
    assert count == 29 + 265 + 154
    described = database.execute(
        "SELECT agent_id, block, expression, is_constant, is_derived FROM rocpd_info_pmc "
        "WHERE name IN ('SQ_WAVES', 'FetchSize', 'simd_count') ORDER BY name"
    ).fetchall()
    assert described == [
        (1, "", "FETCH_SIZE", 0, 1),
        (1, "SQ", "", 0, 0),
        (1, "", "", 1, 0),
    ]
    collected = database.execute(
        "SELECT dispatch_id, counter_name, value, kernel_name, workgroup_size, block, is_derived "
        "FROM counters_collection ORDER BY dispatch_id"
    ).fetchall()
    kernel = "void ns::gemm<float>(float*)"
    assert collected == [
        (number + 2, "SQ_WAVES", 64.0 + number, kernel, 256, "SQ", 0) for number in range(3)
    ]


def test_json_has_counters_and_no_kernel_trace(bench: Bench) -> None:
    bench.run("--pmc", "SQ_WAVES", "-f", "json", "-o", "x")
    (document,) = json.loads((bench.out / "x_results.json").read_text())["rocprofiler-sdk-tool"]
    assert document["buffer_records"]["kernel_dispatch"] == []
    name_of = {counter["id"]["handle"]: counter["name"] for counter in document["counters"]}
    collected = document["callback_records"]["counter_collection"]
    (record,) = collected[0]["records"]
    assert (name_of[record["counter_id"]["handle"]], record["value"]) == ("SQ_WAVES", 64)
    assert collected[0]["thread_id"] == 77
    assert collected[0]["dispatch_data"]["dispatch_info"]["dispatch_id"] == 2


def test_a_kernel_trace_beside_counters_holds_every_kernel(bench: Bench) -> None:
    options = ("--kernel-trace", "--pmc", "SQ_WAVES", "--kernel-iteration-range", "2")
    bench.run(*options, "-f", "csv", "rocpd")
    for pattern in ("*.db", "*.csv"):
        trace = load(sorted(bench.out.rglob(pattern)))
        assert counters_of(trace) == [{}, {}, {"SQ_WAVES": 65}, {}], pattern


def test_statistics_are_of_traced_kernels_only(bench: Bench) -> None:
    bench.run("--pmc", "SQ_WAVES", "--stats", "--hip-trace", "-f", "csv", "-o", "x")
    assert "x_hip_api_stats.csv" in bench.files()
    assert "x_kernel_stats.csv" not in bench.files()


def test_only_the_last_list_counts(bench: Bench) -> None:
    """As with the rocprofv3 of ROCm 7.1."""
    bench.run("--pmc", "SQ_WAVES", "--pmc", "TCC_HIT")
    assert counters_of(load([bench.out])) == [{"TCC_HIT": 7 + n} for n in range(3)]


def test_unknown_counters_alone_leave_no_file(bench: Bench) -> None:
    result = bench.run("--pmc", "NOWHERE")
    assert result.returncode == 0
    assert "Found: []. Missing: [NOWHERE]" in result.stderr
    assert bench.files() == []


def test_without_counters_the_runtime_counts_nothing(bench: Bench) -> None:
    bench.run("--kernel-trace", VROCM_COUNTERS="1")
    assert "VROCM_COUNTERS" not in bench.seen()[0]["environment"]
    assert counters_of(load([bench.out])) == [{}] * 4


def test_extra_counters(bench: Bench) -> None:
    definitions = bench.folder / "extra.yaml"
    definitions.write_text(
        "rocprofiler-sdk:\n"
        "  counters-schema-version: 1\n"
        "  counters:\n"
        "  - name: WAVES_PER_HIT\n"
        "    description: mine\n"
        "    definitions:\n"
        "    - architectures: [gfx942]\n"
        "      expression: reduce(SQ_WAVES,sum)/TCC_HIT_sum\n"
    )
    bench.run("--pmc", "WAVES_PER_HIT", "-E", str(definitions))
    assert counters_of(load([bench.out])) == [
        {"WAVES_PER_HIT": (64 + n) / (7 + n)} for n in range(3)
    ]
    definitions.write_text("rocprofiler-sdk:\n  counters:\n  - name: A\n    x: *y\n")
    result = bench.run("--pmc", "A", "-E", str(definitions))
    assert result.returncode == 1
    assert "extra counters: line 4" in result.stderr


# --- job files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "folders"),
    [
        ("a.txt", "pmc: SQ_WAVES\n# nothing\npmc: TCC_HIT SQ_WAVES # more\n", ["pmc_1", "pmc_2"]),
        ("a.txt", "pmc: SQ_WAVES\n", ["pmc_1"]),
        ("a.yml", "jobs:\n  - pmc: [SQ_WAVES]\n  - pmc:\n    - TCC_HIT\n", ["pass_1", "pass_2"]),
        ("a.json", '{"jobs": [{"pmc": ["SQ_WAVES"]}]}', ["pass_1"]),
        ("a.json", '{"jobs": [{"pmc_groups": [["SQ_WAVES"], ["TCC_HIT"]]}]}', ["x_results.db"]),
        ("a.json", '{"jobs": [{"kernel_trace": true}]}', ["x_results.db"]),
    ],
)
def test_every_pass_has_a_folder(bench: Bench, name: str, content: str, folders: list[str]) -> None:
    (bench.folder / name).write_text(content)
    result = bench.run("-i", str(bench.folder / name), "-o", "x")
    assert result.returncode == 0, result.stderr
    assert sorted({file.split("/")[0] for file in bench.files()}) == folders
    assert len(load([bench.out]).dispatches) == (
        4 if "kernel_trace" in content else 3 * len(folders)
    )


def test_a_single_job_ends_as_the_application_does(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, counters=COUNTED, exit=4)
    (tmp_path / "a.txt").write_text("pmc: SQ_WAVES\n")
    assert bench.run("-i", str(tmp_path / "a.txt")).returncode == 4


# --- the product ----------------------------------------------------------------------------------


def test_the_product_collects_counters_with_it(bench: Bench) -> None:
    root = bench.folder / "rocm"
    (root / "bin").mkdir(parents=True)
    launcher = root / "bin" / "rocprofv3"
    launcher.write_text(PACKAGE_LAUNCHER.format(python=f"'{sys.executable}'", program="rocprofv3"))
    launcher.chmod(0o755)
    passes = (("SQ_WAVES", "TCC_TAG_STALL"), ("TCC_HIT_sum",))
    options = CollectOptions(pmc=passes, kernel_regex="gemm", app_stdout=Stdout.DISCARD)
    with recording_space() as space:
        first, second = collect_counters(
            Prefix(root, "virtual", "test"), bench.application, options, space
        )
    assert counters_of(first.trace) == [{"SQ_WAVES": 64 + n} for n in range(3)]
    assert first.notes == ("counter TCC_TAG_STALL was not recorded",)
    assert counters_of(second.trace) == [{"TCC_HIT_sum": 7 + n} for n in range(3)]
    assert second.notes == ()
    assert first.trace.is_virtual
