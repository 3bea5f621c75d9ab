"""Recording a thread trace with a stand-in of rocprofv3 that writes what a test tells it to."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes.fake_rocm import write_program
from fakes.thread_traces import documents
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.collect.rocprof.thread_trace import (
    DECODER,
    TracedKernel,
    collect_thread_trace,
    decodes_thread_traces,
)
from rocm_perf_lab.errors import ApplicationFailed, NothingRecorded, ToolMissing
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace

KERNEL = TracedKernel("loop<float>(float*)", "_Z4loopPf.kd", 3)
QUIET = CollectOptions(echo_stderr=False)
_PROFILER = """\
import json, sys, subprocess
from pathlib import Path
here = Path(__file__).resolve().parent.parent
words = sys.argv[1:]
if words == ["--version"]:
    sys.exit(print("version: 1.0.0"))
if words == ["--help"]:
    sys.exit(print("--kernel-trace --att --att-target-cu --att-shader-engine-mask "
                   "--att-library-path --kernel-include-regex --kernel-iteration-range rocpd"))
with open(here / "calls.jsonl", "a") as calls:
    calls.write(json.dumps(words) + "\\n")
plan = json.loads((here / "plan.json").read_text())
attempt = len((here / "calls.jsonl").read_text().splitlines()) - 1
sys.stderr.write(plan["log"])
if plan["code"]:
    sys.exit(plan["code"])
code = subprocess.run(words[words.index("--") + 1 :]).returncode
folders = plan["attempts"][min(attempt, len(plan["attempts"]) - 1)]
for number, content in enumerate(folders, 1):
    folder = Path(words[words.index("-d") + 1], f"ui_output_agent_1_dispatch_{number}")
    folder.mkdir()
    for name, document in content.items():
        (folder / name).write_text(json.dumps(document))
sys.exit(code)
"""


class Bench:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "rocm"
        (self.path / "bin").mkdir(parents=True)
        write_program(self.path / "bin" / "rocprofv3", f"#!{sys.executable} -S\n" + _PROFILER)

    def plan(self, *attempts: list[dict[str, Any]], log: str = "", code: int = 0) -> None:
        content = {"attempts": attempts or [[]], "log": log, "code": code}
        (self.path / "plan.json").write_text(json.dumps(content))

    def trace(
        self, space: Path, argv: Sequence[str] = ("true",), kernel: TracedKernel = KERNEL
    ) -> ThreadTrace:
        prefix = Prefix(self.path, "rocm", "test")
        return collect_thread_trace(prefix, argv, kernel, QUIET, space)

    @property
    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.path / "calls.jsonl").read_text().splitlines()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def content(label: str = "; _Z4loopPf", *, executed: bool = True) -> dict[str, Any]:
    made = documents()
    made["code.json"]["code"][0][0] = label
    if not executed:
        made["code.json"]["code"] = None
    return made


def test_the_kernel_that_was_asked_for_is_traced(bench: Bench, tmp_path: Path) -> None:
    bench.plan([content("; _Z4otherv"), content()])
    with recording_space() as space:
        trace = bench.trace(space)
        assert trace.kernels == ("_Z4loopPf",)
        assert [path.name for path in space.iterdir()] == ["thread_trace_1"]
    (call,) = bench.calls
    assert call[: call.index("--output-format")] == [
        "--att",
        r"--kernel-include-regex=^loop<float>\(float\*\)$",
        "--kernel-iteration-range=3",
        "--att-target-cu=1",
        "--att-shader-engine-mask=0x1",
    ]
    assert call[-2:] == ["--", "true"]


def test_an_empty_compute_unit_is_tried_again_elsewhere(bench: Bench, tmp_path: Path) -> None:
    bench.plan([content(executed=False)], [content()])
    trace = bench.trace(tmp_path)
    assert len(trace.waves) == 1
    first, second = bench.calls
    assert "--att-target-cu=1" in first
    assert {"--att-target-cu=0", "--att-shader-engine-mask=0xffffffff"} <= set(second)


@pytest.mark.parametrize(
    ("folders", "log", "expected"),
    [
        ([], "", "no wave came to the traced compute units"),
        ([content("; _Z4otherv")], "", "its launch number 3 does not exist"),
        ([content(executed=False)], "W ... DATA_LOST\n", "the buffer was too small"),
    ],
)
def test_nothing_of_the_kernel(
    bench: Bench, tmp_path: Path, folders: list[dict[str, Any]], log: str, expected: str
) -> None:
    bench.plan(folders, log=log)
    with recording_space() as space:
        with pytest.raises(NothingRecorded, match=expected) as caught:
            bench.trace(space)
        assert list(space.iterdir()) == []
    assert caught.value.next_step
    assert len(bench.calls) == 2


def test_a_kernel_of_unknown_symbol_is_what_the_filter_let_through(
    bench: Bench, tmp_path: Path
) -> None:
    bench.plan([content("; _Z4otherv")])
    assert bench.trace(tmp_path, kernel=TracedKernel("loop", None)).kernels == ("_Z4otherv",)


@pytest.mark.parametrize(
    "log",
    [
        "Fatal error: rocprof-trace-decoder library path not found in ['/opt/rocm/lib']\n",
        "F20260101 01:02:03.000004 7 att.cpp:9] Decoder library not found!\n",
    ],
)
def test_a_missing_decoder_has_a_cure(bench: Bench, tmp_path: Path, log: str) -> None:
    bench.plan(log=log, code=1)
    with pytest.raises(ToolMissing) as caught:
        bench.trace(tmp_path)
    assert "no decoder" in caught.value.cause
    assert "ROCPROF_ATT_LIBRARY_PATH" in (caught.value.next_step or "")
    assert len(bench.calls) == 1


@pytest.mark.parametrize("present", [True, False])
def test_the_named_decoder_is_handed_on(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, present: bool
) -> None:
    folder = tmp_path / "decoder"
    folder.mkdir()
    if present:
        (folder / DECODER).touch()
    monkeypatch.setenv("ROCPROF_ATT_LIBRARY_PATH", str(folder))
    bench.plan([content()])
    bench.trace(tmp_path)
    assert (f"--att-library-path={folder}" in bench.calls[0]) is present


def test_an_application_that_fails_is_not_tried_again(bench: Bench, tmp_path: Path) -> None:
    bench.plan([content()])
    with pytest.raises(ApplicationFailed, match="exit code 1"):
        bench.trace(tmp_path, ["false"])
    assert len(bench.calls) == 1


def test_a_decoder_is_looked_for_where_it_may_be_and_nowhere_else(
    bench: Bench, tmp_path: Path
) -> None:
    """Without one rocprofv3 searches the whole disk, so nothing is tried."""
    folder = tmp_path / "decoder"
    folder.mkdir()
    named = {"ROCPROF_ATT_LIBRARY_PATH": str(folder)}
    prefix = Prefix(bench.path, "rocm", "test")
    assert not decodes_thread_traces(prefix, named)
    (folder / DECODER).touch()
    assert decodes_thread_traces(prefix, named)
    assert not decodes_thread_traces(prefix, {})
