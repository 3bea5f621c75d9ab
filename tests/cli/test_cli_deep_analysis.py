"""``rocm-perf profile --deep-analysis`` as a user meets it: live."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from deep_analysis_support import (
    APP,
    ROOT,
    content,
    document,
    kernel_of,
    live,
    reason_for,
)

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main


def test_the_dominant_kernel_is_traced_and_explained(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(thread_traces=[[content("; _Z5otherv"), content()]], durations_ns=[500])
    found = document(capsys, *live(fake_rocm))
    (call,) = [c["argv"] for c in fake_rocm.calls() if "--att" in c["argv"]]
    name = r"^vector_add\(float const\*, float const\*, float\*, int\)$"
    assert f"--kernel-include-regex={name}" in call
    kernel = kernel_of(found)
    assert kernel["att"]["source"] == "thread_trace_1/ui_output_agent_1_dispatch_2"
    assert kernel["att"]["stall_fraction"] == (1144 + 92 + 10) / 1304
    assert (kernel["time_ms"], kernel["share"]) == (0.0015, 1.0)
    assert found["att"] == {
        name: kernel["att"][name]
        for name in (
            "instruction_mix", "stall_fraction", "idle_fraction", "avg_memory_latency", "ipc"
        )
    }  # fmt: skip


def test_a_typical_launch_is_traced(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    """All launches of the fake take equally long, so the first is typical."""
    fake_rocm.behave(thread_traces=[[content()]])
    document(capsys, *live(fake_rocm))
    assert "--kernel-iteration-range=1" in fake_rocm.calls()[-1]["argv"]


def test_terminal(fake_rocm: FakeRocm, capfd: pytest.CaptureFixture[str]) -> None:
    fake_rocm.behave(thread_traces=[[content()]])
    assert main(["profile", "--deep-analysis", *live(fake_rocm)]) == 0
    out = capfd.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    hot = ["87.7%", "100.0%", "2", "s_waitcnt", "vmcnt(0)", "b.h:7", "in", "a.hip:4"]
    assert hot in rows
    assert ["7.1%", "100.0%", "1", "s_barrier", "0x114"] in rows  # no line is known
    assert "97.2 % of the latency is stall" in out
    assert "waiting for memory (s_waitcnt)" in " ".join(out.split())
    assert "an instruction was tried, but its data or its unit was not ready" in out
    assert "Instructions per cycle: 0.009 per wave" in out
    assert ["1144", "s_waitcnt", "vmcnt(0)", "global_load_dword,", "scratch_load_dword"] in rows
    assert all(len(line) <= 100 and line.isascii() for line in out.splitlines())
    assert out.splitlines()[-1].startswith("Result: ")


def test_out_writes_the_analysis(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    fake_rocm.behave(thread_traces=[[content()]])
    out = tmp_path / "out"
    assert main(["profile", "--full", "--out", str(out), *live(fake_rocm)]) == 0
    written = {path.name for path in out.iterdir()}
    assert written == {"profile.json", "roofline.json", "dag.json", "analysis.json"}
    for name, version in (("profile", "1.1"), ("analysis", "1.0")):
        schema = json.loads((ROOT / "docs" / "schema" / f"{name}-{version}.json").read_text())
        jsonschema.validate(json.loads((out / f"{name}.json").read_text()), schema)
    profile = json.loads((out / "profile.json").read_text())
    assert profile["analysis"] == json.loads((out / "analysis.json").read_text())


def test_full_asks_for_everything(fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]) -> None:
    fake_rocm.behave(thread_traces=[[content()]])
    assert main(["profile", "--json", "--full", *live(fake_rocm)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert None not in (found["rooflines"], found["critical_path"], found["analysis"])


@pytest.mark.parametrize(
    ("behaviour", "reason", "cure"),
    [
        (
            {"att_log": "Fatal error: rocprof-trace-decoder library path not found\n",
             "att_fatal": True},
            "rocprofv3 has no decoder for thread traces",
            "ROCPROF_ATT_LIBRARY_PATH",
        ),
        (
            {"thread_traces": [[content(executed=False)]]},
            "no wave came to the traced compute units",
            "more workgroups",
        ),
        (
            {"thread_traces": [[content(executed=False)]], "att_log": "W 7 x] DATA_LOST\n"},
            "lost its data: the buffer was too small",
            "a smaller problem",
        ),
        ({"thread_traces": [[content("; _Z5otherv")]]}, "no thread trace of vector_add", "launch"),
        ({"thread_traces": None}, "has no option --att", "ROCm 7.0 or later"),
    ],
)  # fmt: skip
def test_a_trace_that_cannot_be_made_leaves_the_rest(
    fake_rocm: FakeRocm,
    capsys: pytest.CaptureFixture[str],
    behaviour: dict[str, Any],
    reason: str,
    cure: str,
) -> None:
    fake_rocm.behave(**{"thread_traces": [[]], **behaviour})
    found = document(capsys, *live(fake_rocm))
    assert found["kernels"][0]["dispatches"] == 3
    assert found["att"] is kernel_of(found)["att"] is None
    assert reason in reason_for(found, "att")["reason"]
    assert cure in reason_for(found, "att")["next"]
    entries = [e for e in kernel_of(found)["unavailable"] if e["field"] == "att"]
    assert entries == [reason_for(found, "att")]


def test_an_application_that_fails_while_traced_is_a_reason_too(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(thread_traces=[[content()]])
    app = tmp_path / "app"
    app.write_text('#!/bin/sh\nmkdir "$1" || exit 3\n')  # succeeds once
    app.chmod(0o755)
    options = ["--rocm", str(fake_rocm.path), "--runs", "1"]
    found = document(capsys, *options, "--", str(app), str(tmp_path / "ran"))
    assert "exit code 3" in reason_for(found, "att")["reason"]


def test_wall_times_alone_have_no_analysis(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--no-rocprof", "--runs", "1", "--", *APP)
    assert found["analysis"] is None
    assert "--no-rocprof" in reason_for(found, "analysis")["reason"]


def test_what_was_kept_is_analysed_again(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(thread_traces=[[content()]])
    kept = tmp_path / "kept"
    first = kernel_of(document(capsys, *live(fake_rocm, "--keep-trace", str(kept))))
    again = kernel_of(document(capsys, "--rocm", str(fake_rocm.path), "--from", str(kept)))
    for kernel in (first, again):
        source = kernel["att"].pop("source")
        assert source.endswith("thread_trace_1/ui_output_agent_1_dispatch_1")
        assert kernel["static"].pop("source") == source
    assert again["att"] == first["att"]
    assert again["static"] == first["static"]
