"""rocprofv3 --pmc of the virtual ROCm: what is written."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import sys
from pathlib import Path

import pytest
from counted_records import COUNTED, counters_of, records
from profiler_support import Bench, make_bench

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.run import collect_counters
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.vrocm.build import PACKAGE_LAUNCHER
from rocm_perf_lab.vrocm.counters.request import (
    counter_request,
)
from rocm_perf_lab.vrocm.recording.trace import Selection, build_trace

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
