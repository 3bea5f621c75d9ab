"""Folders that were cut or changed: workloads, files of rocprofv2, decoded thread traces."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.damage import damaged, flips, load_or_explain
from fakes.small_files import OLD_HEADER, ROCPROFV2, SYSTEM, old_row
from fakes.thread_traces import documents
from rocm_perf_lab.arch.named import gpu_named
from rocm_perf_lab.errors import PerfLabError, RecordingError
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.naming.named_gpu import with_gpu
from rocm_perf_lab.trace.thread_trace.files import separate
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

fuzz = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
kept = st.sampled_from([1.0, 1.0, 0.9, 0.4, 0.02])
WORKLOAD = {
    "sysinfo.csv": SYSTEM,
    "pmc_perf.csv": "\n".join((OLD_HEADER, old_row(0, 1000), old_row(1, 2000))) + "\n",
}


@pytest.mark.parametrize("victim", WORKLOAD)
@fuzz
@given(changes=flips, keep=kept)
def test_workload_folders(
    tmp_path: Path, victim: str, changes: list[tuple[float, int]], keep: float
) -> None:
    for name, text in WORKLOAD.items():
        data = text.encode()
        (tmp_path / name).write_bytes(damaged(data, changes, keep) if name == victim else data)
    load_or_explain(tmp_path)


@fuzz
@given(changes=flips, keep=kept)
def test_files_of_rocprofv2(tmp_path: Path, changes: list[tuple[float, int]], keep: float) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(damaged(ROCPROFV2.encode(), changes, keep))
    load_or_explain(path)
    try:
        trace = with_gpu(load([path]), gpu_named("mi300x"))
    except RecordingError:
        return
    assert ((trace.dispatches.agent >= 0) & (trace.dispatches.agent < len(trace.agents))).all()


@functools.cache
def decoded() -> dict[str, bytes]:
    content = documents()
    content["filenames.json"] = {"wave_filenames": {"0": ["se0_sm2_sl3_wv0.json", 1, 2]}}
    return {name: json.dumps(document).encode() for name, document in content.items()}


@pytest.mark.parametrize("named", [True, False])
@fuzz
@given(victim=st.sampled_from(sorted(decoded())), changes=flips, keep=kept)
def test_what_may_be_a_thread_trace(
    tmp_path: Path, named: bool, victim: str, changes: list[tuple[float, int]], keep: float
) -> None:
    """It is one or it is none; what is one is read, or refused with its reason."""
    folder = tmp_path / ("ui_output_agent_7_dispatch_1" if named else "renamed")
    folder.mkdir(exist_ok=True)
    for name, data in decoded().items():
        (folder / name).write_bytes(damaged(data, changes, keep) if name == victim else data)
    files = separate([folder])
    assert (files.traces == (folder,)) or (not named and victim == "code.json")
    for path in files.traces:
        try:
            read_thread_trace(path)
        except PerfLabError as error:
            if not (error.cause and error.next_step):
                raise AssertionError("an error without cause or next step") from error
