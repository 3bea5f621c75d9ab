"""rocprofv3 of the virtual ROCm as a user meets it: what it records, in which files."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from profiler_support import Bench, make_bench

from rocm_perf_lab.trace.load import load

BASE = 1_000_000_000_000


# --- what it records ----------------------------------------------------------------------------


def test_the_default_is_a_database_named_by_host_and_process(bench: Bench) -> None:
    result = bench.run("--kernel-trace")
    assert result.returncode == 0
    (name,) = bench.files()
    host, file = name.split("/")
    assert host == socket.gethostname()
    assert file.endswith("_results.db")
    assert file.removesuffix("_results.db").isdigit()
    assert f"Opened result file: {bench.out / name}" in result.stderr


def test_a_kernel_trace_holds_kernels_and_nothing_else(bench: Bench) -> None:
    bench.run("--kernel-trace")
    trace = load([bench.out])
    assert len(trace.dispatches) == 4
    assert not any(map(len, (trace.copies, trace.allocations, trace.api_calls, trace.markers)))
    assert trace.is_virtual
    assert trace.warnings == ()
    assert bench.seen()[0]["environment"]["VROCM_TRACE_DOMAINS"] == "kernel"


def test_dispatches_are_numbered_by_virtual_time(bench: Bench) -> None:
    bench.run("--kernel-trace")
    trace = load([bench.out])
    names = [trace.kernels[index].name for index in trace.dispatches.kernel]
    assert names == ["__amd_rocclr_fillBufferAligned"] + ["void ns::gemm<float>(float*)"] * 3
    assert trace.dispatches.dispatch_id.tolist() == [1, 2, 3, 4]
    assert trace.dispatches.duration.tolist() == [500, 1000, 1001, 1002]
    gemm = trace.kernels[trace.dispatches.kernel[1]]
    assert (gemm.symbol, gemm.arch_vgpr, gemm.accum_vgpr, gemm.sgpr) == (
        "_ZN2ns4gemmIfEEvPT_.kd",
        24,
        8,
        32,
    )
    assert trace.dispatches.lds.tolist()[1:] == [1500] * 3
    assert trace.dispatches.grid.tolist()[1] == [512, 2, 1]


def test_a_fill_has_a_name_and_a_time_but_no_invented_shape(bench: Bench) -> None:
    bench.run("--kernel-trace")
    trace = load([bench.out])
    fill = trace.kernels[trace.dispatches.kernel[0]]
    assert fill.is_runtime_blit
    assert fill.arch_vgpr is None
    assert trace.dispatches.grid.tolist()[0] == [-1, -1, -1]


@pytest.mark.parametrize(
    ("option", "counts", "words"),
    [
        ("--hip-trace", {"api_calls": 3}, "hip"),
        ("--hip-runtime-trace", {"api_calls": 3}, "hip"),
        ("--hip-compiler-trace", {}, "hip"),
        ("--hsa-trace", {"api_calls": 2}, "hsa"),
        ("--hsa-core-trace", {"api_calls": 1}, "hsa"),
        ("--hsa-amd-trace", {"api_calls": 1}, "hsa"),
        ("--memory-copy-trace", {"copies": 1}, "copy"),
        ("--memory-allocation-trace", {"allocations": 1}, "alloc"),
        ("--marker-trace", {"markers": 1}, "marker"),
        (
            "-r",
            {"dispatches": 4, "copies": 1, "allocations": 1, "markers": 1, "api_calls": 3},
            "alloc,copy,hip,kernel,marker",
        ),
        (
            "-s",
            {"dispatches": 4, "copies": 1, "allocations": 1, "markers": 1, "api_calls": 5},
            "alloc,copy,hip,hsa,kernel,marker",
        ),
    ],
)
def test_every_option_records_its_own_domain(
    bench: Bench, option: str, counts: dict[str, int], words: str
) -> None:
    assert bench.run(option).returncode == 0
    assert bench.seen()[0]["environment"]["VROCM_TRACE_DOMAINS"] == words
    if not counts:
        assert not bench.out.exists()
        return
    trace = load([bench.out])
    tables = ("dispatches", "copies", "allocations", "markers", "api_calls")
    assert {t: len(getattr(trace, t)) for t in tables if len(getattr(trace, t))} == counts


def test_calls_link_to_their_kernels_and_keep_their_arguments(bench: Bench) -> None:
    bench.run("-r")
    trace = load([bench.out])
    assert trace.dispatches.stack_id.tolist()[1:] == trace.api_calls.stack_id.tolist()
    assert trace.api_arguments(0) == (("stream", "hipStream_t", "<nil>"),)
    assert trace.strings[trace.markers.message[0]] == "step 1"
    assert trace.processes[0].command == "./app --size 3"


# --- formats ------------------------------------------------------------------------------------


def test_all_formats_tell_the_same_numbers(bench: Bench) -> None:
    bench.run("-s", "--output-format", "rocpd", "csv", "json", "-o", "x")
    by_format = {
        "rocpd": load([bench.out / "x_results.db"]),
        "json": load([bench.out / "x_results.json"]),
        "csv": load([*sorted(bench.out.glob("*_trace.csv")), bench.out / "x_agent_info.csv"]),
    }
    expected = by_format["rocpd"]
    for name, trace in by_format.items():
        for column in ("start", "end", "dispatch_id", "stack_id", "thread", "scratch"):
            left, right = getattr(trace.dispatches, column), getattr(expected.dispatches, column)
            assert left.tolist() == right.tolist(), (name, column)
        for table in ("copies", "allocations", "api_calls", "markers"):
            left, right = getattr(trace, table), getattr(expected, table)
            assert sorted(zip(left.start, left.end)) == sorted(zip(right.start, right.end)), name
        kernels = [trace.kernels[index].name for index in trace.dispatches.kernel]
        assert kernels == [expected.kernels[index].name for index in expected.dispatches.kernel]
        assert trace.is_virtual


def test_statistics_come_with_csv(bench: Bench) -> None:
    bench.run("-s", "--stats", "-f", "csv", "-o", "x")
    lines = (bench.out / "x_kernel_stats.csv").read_text().splitlines()
    assert lines[0].replace('"', "") == (
        "Name,Calls,TotalDurationNs,AverageNs,Percentage,MinNs,MaxNs,StdDev"
    )
    name, calls, total, average, percent, least, most, deviation = lines[1].strip('"').split('","')
    assert (name, int(calls), int(total)) == ("void ns::gemm<float>(float*)", 3, 3003)
    assert (float(average), int(least), int(most)) == (1001.0, 1000, 1002)
    assert float(percent) == pytest.approx(100 * 3003 / 3503, abs=0.01)
    assert float(deviation) == pytest.approx(1.0)
    domains = (bench.out / "x_domain_stats.csv").read_text()
    assert '"KERNEL_DISPATCH","4","3503"' in domains


def test_statistics_of_a_database_alone_are_a_warning(bench: Bench) -> None:
    result = bench.run("--kernel-trace", "--stats", "-o", "x")
    assert "--stats has no effect without csv or json" in result.stderr
    assert bench.files() == ["x_results.db"]


def test_summaries(bench: Bench) -> None:
    result = bench.run("-s", "-S", "-D", "--summary-groups", "KERNEL|COPY", "-u", "usec")
    assert "ROCPROFV3 SUMMARY:" in result.stderr
    assert "ROCPROFV3 KERNEL_DISPATCH SUMMARY:" in result.stderr
    group = result.stderr.partition("ROCPROFV3 SUMMARY (KERNEL|COPY):")[2]
    group = group.partition("ROCPROFV3")[0]
    assert "DURATION (usec)" in group
    assert "3.003" in group
    assert "MEMORY_COPY_HOST_TO_DEVICE" in group
    assert "hipLaunchKernel" not in group


def test_a_summary_can_go_to_a_file(bench: Bench) -> None:
    result = bench.run("--kernel-trace", "-S", "--summary-output-file", "summary.txt")
    assert "ROCPROFV3 SUMMARY" not in result.stderr
    assert "ns::gemm<float>" in (bench.out / "summary.txt").read_text()


@pytest.mark.parametrize(
    ("option", "name"), [("-M", "_ZN2ns4gemmIfEEvPT_"), ("-T", "gemm"), ("--stats=no", None)]
)
def test_names_of_kernels(bench: Bench, option: str, name: str | None) -> None:
    bench.run("--kernel-trace", option)
    trace = load([bench.out])
    assert trace.kernels[0].name == (name or "void ns::gemm<float>(float*)")


def test_streams_are_told_apart_unless_grouped_by_queue(bench: Bench) -> None:
    bench.run("--kernel-trace", "-o", "streams")
    bench.run("--kernel-trace", "--group-by-queue", "-o", "queues")
    streams, queues = (load([bench.out / f"{n}_results.db"]) for n in ("streams", "queues"))
    assert [streams.streams[i].id for i in streams.dispatches.stream] == [0, 1, 1, 1]
    assert [queues.streams[i].id for i in queues.dispatches.stream] == [0, 0, 0, 0]


# --- names of files -----------------------------------------------------------------------------


def test_a_prefix_replaces_host_and_process(bench: Bench) -> None:
    bench.run("--kernel-trace", "-o", "runs/%env{TEAM}%-%h-%argt%", TEAM="blue")
    assert bench.files() == [f"runs/blue-{socket.gethostname()}-app_results.db"]


def test_every_process_has_files_of_its_own(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, children=2)
    bench.run("--kernel-trace")
    assert len(bench.files()) == 3
    trace = load([bench.out])
    assert len({process.pid for process in trace.processes}) == 3
    assert len(trace.dispatches) == 12


def test_processes_that_replace_each_other_are_named(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, children=1)
    result = bench.run("--kernel-trace", "-o", "x")
    assert bench.files() == ["x_results.db"]
    assert "put %pid% into the name" in result.stderr


def test_the_configuration_can_be_kept(bench: Bench) -> None:
    bench.run("--kernel-trace", "--output-config", "-o", "x")
    assert json.loads((bench.out / "x_config.json").read_text())["kernel_trace"] is True


# --- when to collect ----------------------------------------------------------------------------


def test_selected_regions_count_from_the_launch(bench: Bench) -> None:
    """The second gemm is launched between resume and pause, and ends after the pause."""
    bench.run("--kernel-trace", "--selected-regions", "-o", "x")
    trace = load([bench.out])
    assert trace.dispatches.start.tolist() == [BASE + 36_000]
    assert len(trace.api_calls) == 0
    assert bench.seen()[0]["environment"]["VROCM_TRACE_DOMAINS"] == "hip,kernel"


@pytest.mark.parametrize(
    ("period", "starts"),
    [("15:10:1", [26_000]), ("5:10:0", [16_000, 26_000]), ("0:1:1", []), ("0:100:1", None)],
)
def test_collection_periods_are_virtual(
    bench: Bench, period: str, starts: list[int] | None
) -> None:
    bench.run("--kernel-trace", "-P", period, "--collection-period-unit", "usec")
    if starts == []:
        assert not bench.out.exists()
        return
    found = load([bench.out]).dispatches.start.tolist()
    expected = [1_000, 16_000, 26_000, 36_000] if starts is None else starts
    assert found == [BASE + start for start in expected]
