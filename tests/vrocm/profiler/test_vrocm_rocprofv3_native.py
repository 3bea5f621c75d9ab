"""Real HIP programs under the rocprofv3 of the virtual ROCm, and through the whole product."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from profiler_support import BUILD, NEEDS_HIP, ROOT, make_prefix
from profiler_support import compiled as compiled_source

from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Trace

ROCTX_LIBRARY = BUILD / "lib" / "librocprofiler-sdk-roctx.so"

pytestmark = NEEDS_HIP


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_prefix(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def vector_add(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(prefix, "vector_add", tmp_path_factory.mktemp("vector_add"))


def compiled(prefix: Path, example: str, folder: Path) -> Path:
    return compiled_source(prefix, ROOT / "examples" / f"{example}.hip", folder)


def rocprofv3(
    prefix: Path, program: Path, out: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(prefix / "bin" / "rocprofv3"), *options, "-d", str(out), "--", str(program)],
        capture_output=True,
        text=True,
        timeout=120,
    )


def record(prefix: Path, program: Path, out: Path, *options: str) -> str:
    """What the profiler said."""
    result = rocprofv3(prefix, program, out, *options)
    assert result.returncode == 0, result.stderr
    return result.stderr


def profile(*arguments: str) -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, "-m", "rocm_perf_lab.cli.main", "profile", "--json", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert result.returncode == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def shape(trace: Trace) -> dict[str, Any]:
    """Everything of a run that must not change from one to the next, in the order of time."""
    kernels = [trace.kernels[index].name for index in trace.dispatches.kernel]
    calls = [trace.strings[index] for index in trace.api_calls.name]
    return {
        **{
            name: sorted(zip(table.start, table.end))
            for name, table in (
                ("copies", trace.copies),
                ("allocations", trace.allocations),
                ("markers", trace.markers),
            )
        },
        "dispatches": sorted(zip(trace.dispatches.start, trace.dispatches.end, kernels)),
        "calls": sorted(zip(trace.api_calls.start, trace.api_calls.end, calls)),
    }


def test_a_kernel_with_its_registers_shape_and_time(
    prefix: Path, vector_add: Path, tmp_path: Path
) -> None:
    said = record(prefix, vector_add, tmp_path, "--kernel-trace")
    assert "Warning" not in said
    trace = load([tmp_path])
    assert trace.is_virtual
    assert trace.warnings == ()
    kernel = trace.kernels[trace.dispatches.kernel[0]]
    assert kernel.name.startswith("vector_add(")
    assert (kernel.symbol or "").endswith(".kd")
    assert (kernel.arch_vgpr or 0) > 0
    assert (kernel.sgpr or 0) > 0
    assert (trace.dispatches.duration > 0).all()
    assert trace.dispatches.grid.min() >= 1
    assert trace.gpu_agents[0].facts["cu_count"] == 304


def test_a_whole_trace_holds_every_domain_and_links_them(
    prefix: Path, vector_add: Path, tmp_path: Path
) -> None:
    record(prefix, vector_add, tmp_path, "--sys-trace")
    trace = load([tmp_path])
    names = [trace.strings[index] for index in trace.api_calls.name]
    assert "hipMalloc" in names
    assert len(trace.copies) > 0
    assert len(trace.allocations) > 0
    launches = {
        int(stack): trace.strings[name]
        for stack, name in zip(trace.api_calls.stack_id, trace.api_calls.name)
    }
    assert {launches[int(stack)] for stack in trace.dispatches.stack_id} == {"hipLaunchKernel"}


def test_formats_give_the_same_profile(prefix: Path, vector_add: Path, tmp_path: Path) -> None:
    profiles = {}
    for name in ("rocpd", "csv", "json"):
        record(prefix, vector_add, tmp_path / name, "--kernel-trace", "--output-format", name)
        profiles[name] = profile("--from", str(tmp_path / name))
    for name, document in profiles.items():
        assert document["device"]["kind"] == "virtual", name
        assert document["runtime_ms"] == profiles["rocpd"]["runtime_ms"], name
        assert document["timing"] == profiles["rocpd"]["timing"], name
        assert [k["total_ns"] for k in document["kernels"]] == [
            k["total_ns"] for k in profiles["rocpd"]["kernels"]
        ]
        assert document["kernel"] == profiles["rocpd"]["kernel"], name


@pytest.mark.parametrize(
    ("example", "what"),
    [
        ("reduction", "--sys-trace"),
        # Without HSA: how often the worker of a stream polls its queue depends on real time.
        ("streams", "--runtime-trace"),
        ("pipeline", "--runtime-trace"),
    ],
)
def test_two_runs_are_equal(example: str, what: str, prefix: Path, tmp_path: Path) -> None:
    program = compiled(prefix, example, tmp_path)
    shapes = []
    for name in ("first", "second"):
        record(prefix, program, tmp_path / name, what)
        shapes.append(shape(load([tmp_path / name])))
    assert shapes[0]["dispatches"]
    assert shapes[0] == shapes[1]


def test_streams_are_told_apart(prefix: Path, tmp_path: Path) -> None:
    program = compiled(prefix, "streams", tmp_path)
    record(prefix, program, tmp_path / "out", "--runtime-trace")
    trace = load([tmp_path / "out"])
    streams = {trace.streams[index].id for index in trace.dispatches.stream}
    assert len(streams) > 1
    assert streams == {trace.streams[index].id for index in trace.copies.stream}


def test_the_product_profiles_a_program_on_the_virtual_device(
    prefix: Path, vector_add: Path
) -> None:
    document = profile("--rocm", str(prefix), "--runs", "2", "--", str(vector_add))
    assert document["device"]["kind"] == "virtual"
    assert document["kernel"]["name"].startswith("vector_add(")
    assert document["stability"]["runs"] == 2
    assert document["stability"]["cv"] == 0.0
    assert document["occupancy"] is not None


def test_a_fault_of_the_device_still_leaves_a_recording(prefix: Path, tmp_path: Path) -> None:
    program = written(
        prefix,
        tmp_path,
        "count<<<1, 64>>>(p); hipDeviceSynchronize();"
        "count<<<1, 64>>>(nullptr); return hipDeviceSynchronize() == hipSuccess ? 0 : 1;",
    )
    result = rocprofv3(prefix, program, tmp_path / "out", "--kernel-trace")
    assert result.returncode != 0
    assert "Traceback" not in result.stderr
    assert len(load([tmp_path / "out"]).dispatches) >= 1


def test_a_killed_program_leaves_what_it_did(prefix: Path, tmp_path: Path) -> None:
    program = written(
        prefix, tmp_path, "count<<<1, 64>>>(p); hipDeviceSynchronize(); raise(SIGKILL);"
    )
    result = rocprofv3(prefix, program, tmp_path / "out", "--kernel-trace")
    assert result.returncode == -signal.SIGKILL
    assert "did not end normally" in result.stderr
    assert len(load([tmp_path / "out"]).dispatches) == 1


@pytest.mark.skipif(not ROCTX_LIBRARY.exists(), reason="roctx is not built (run `make native`)")
def test_markers_and_selected_regions(prefix: Path, tmp_path: Path) -> None:
    program = written(
        prefix,
        tmp_path,
        'count<<<1, 64>>>(p); roctxProfilerResume(0); roctxRangePush("inner");'
        "count<<<1, 64>>>(p); count<<<1, 64>>>(p); roctxRangePop(); roctxProfilerPause(0);"
        "count<<<1, 64>>>(p); hipDeviceSynchronize();",
        "-lrocprofiler-sdk-roctx",
    )
    record(prefix, program, tmp_path / "all", "--runtime-trace")
    everything = load([tmp_path / "all"])
    assert [everything.strings[index] for index in everything.markers.message] == ["inner"]
    assert len(everything.dispatches) == 4
    record(prefix, program, tmp_path / "some", "--kernel-trace", "--selected-regions")
    selected = load([tmp_path / "some"]).dispatches
    assert selected.start.tolist() == everything.dispatches.start.tolist()[1:3]


def written(prefix: Path, folder: Path, body: str, *options: str) -> Path:
    """A program that runs ``body`` with ``p`` pointing to memory of the device."""
    source, program = folder / "program.hip", folder / "program"
    source.write_text(
        "#include <hip/hip_runtime.h>\n"
        "#include <rocprofiler-sdk-roctx/roctx.h>\n"
        "#include <csignal>\n"
        "__global__ void count(int* p) { p[threadIdx.x] += 1; }\n"
        "int main() {\n"
        "  int* p = nullptr;\n"
        "  hipMalloc(reinterpret_cast<void**>(&p), 256);\n"
        f"  {body}\n"
        "}\n"
    )
    hipcc = [str(prefix / "bin" / "hipcc"), "-O2", "-w", str(source), "-o", str(program)]
    subprocess.run([*hipcc, *options], check=True)
    return program


@pytest.fixture(scope="module")
def processes(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parents[1] / "programs" / "processes.hip"
    return compiled_source(prefix, source, tmp_path_factory.mktemp("processes"))


def dispatches_of_processes(
    prefix: Path, command: str, program: Path, folder: Path
) -> list[list[tuple[int, int]]]:
    """The dispatches of each process of a shell command, the first process first."""
    out = folder / "out"
    words = ["--kernel-trace", "-d", str(out), "-o", "%pid%", "--", "sh", "-c", command]
    result = subprocess.run(
        [str(prefix / "bin" / "rocprofv3"), *words],
        env={**os.environ, "P": str(program)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    traces = [load([file]) for file in sorted(out.iterdir())]
    shutil.rmtree(out)
    found = [sorted(zip(t.dispatches.start.tolist(), t.dispatches.end.tolist())) for t in traces]
    return sorted(found, key=lambda spans: spans[0])


@pytest.mark.parametrize("sleep", ["", "sleep 0.3;"])
def test_processes_one_after_the_other_do_not_overlap(
    prefix: Path, processes: Path, tmp_path: Path, sleep: str
) -> None:
    command = f"$P; {sleep} $P; $P"
    once = dispatches_of_processes(prefix, command, processes, tmp_path)
    spans = [span for (span,) in once]
    assert all(before[1] < after[0] for before, after in zip(spans, spans[1:]))
    assert len({after[0] - before[0] for before, after in zip(spans, spans[1:])}) == 1
    assert dispatches_of_processes(prefix, command, processes, tmp_path) == once


def test_processes_that_run_together_have_one_clock(
    prefix: Path, processes: Path, tmp_path: Path
) -> None:
    # Each waits for the other, so both are alive at the same time.
    os.mkfifo(tmp_path / "door")
    command = "$P 'cat door' & $P 'echo > door'; wait"
    one, other = dispatches_of_processes(prefix, command, processes, tmp_path)
    assert one == other
    assert len(one) == 2


def test_a_process_continues_after_those_that_it_waited_for(
    prefix: Path, processes: Path, tmp_path: Path
) -> None:
    command = "$P '$P; $P'; $P"
    parent, *rest = dispatches_of_processes(prefix, command, processes, tmp_path)
    order = [parent[0], *rest[0], *rest[1], parent[1], *rest[2]]
    assert all(before[1] < after[0] for before, after in zip(order, order[1:]))


def test_a_program_that_takes_the_place_of_another_comes_after_it(
    prefix: Path, processes: Path, tmp_path: Path
) -> None:
    words = ["--kernel-trace", "-S", "-d", str(tmp_path), "-o", "%pid%", "--", str(processes)]
    result = subprocess.run(
        [str(prefix / "bin" / "rocprofv3"), *words, "exec", str(processes)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert re.search(r"of process (\d+) is replaced by that of process \1: ", result.stderr)
    # The summary has both.
    assert re.search(r"work\(float\*\)[^\n]*\|\s+2 \|", result.stderr), result.stderr


def test_a_killed_process_keeps_its_place(prefix: Path, processes: Path, tmp_path: Path) -> None:
    command = "$P 'kill -9 $PPID'; $P"
    first, second = dispatches_of_processes(prefix, command, processes, tmp_path)
    assert len(first) == 1
    assert first[0][1] <= second[0][0]


def test_the_busy_time_of_two_runs_is_that_of_both(prefix: Path, processes: Path) -> None:
    once = profile("--rocm", str(prefix), "--runs", "1", "--", str(processes))
    twice = profile(
        "--rocm", str(prefix), "--runs", "1", "--", "sh", "-c", f"{processes}; {processes}"
    )
    assert twice["timing"]["gpu_busy_ms"] == pytest.approx(2 * once["timing"]["gpu_busy_ms"])
    assert twice["timing"]["span_ms"] > twice["timing"]["gpu_busy_ms"]
