"""What a thread trace comes down to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fakes.thread_traces import documents, write_folder
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.documents.thread_trace import thread_trace_block
from rocm_perf_lab.analysis.documents.thread_trace_summary import largest_cost, summarise
from rocm_perf_lab.analysis.thread_traces.figures import analyse_thread_trace
from rocm_perf_lab.strict_json import replace
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace


@pytest.fixture
def trace(tmp_path: Path) -> ThreadTraceModel:
    folder = write_folder(tmp_path, documents())
    return thread_trace_block(analyse_thread_trace(read_thread_trace(folder)))


def changed(trace: ThreadTraceModel, mix: dict[str, float], **fields: Any) -> ThreadTraceModel:
    latency = {**dict.fromkeys(trace.latency_mix, 0.0), **mix}
    return replace(trace, latency_mix=latency, **fields)


def test_waits_are_explained_by_what_they_waited_for(trace: ThreadTraceModel) -> None:
    assert largest_cost(trace) == ("wait", 1144 / 1282)
    text = summarise(trace)
    assert "97.2 % of the latency is stall" in text
    assert "89.2 %, is spent waiting for memory (s_waitcnt)" in text
    assert "100.0 % of these stalls end when vector memory answers." in text
    assert "scratch" not in text  # it waited for a global load, too


@pytest.mark.parametrize(("share", "said"), [(0.11, True), (0.1, False), (None, False)])
def test_spills_are_named_where_they_matter(
    trace: ThreadTraceModel, share: float, said: bool
) -> None:
    text = summarise(replace(trace, scratch_wait_share=share))
    assert ("is for scratch alone" in text) is said


def test_barriers_and_waits_are_not_one_cost(trace: ThreadTraceModel) -> None:
    """Both are of the class sync, which is no answer to anything."""
    found = changed(trace, {"sync": 0.7, "valu": 0.3}, wait_share=0.25, barrier_share=0.4)
    assert largest_cost(found) == ("barrier", 0.4)
    assert "at barriers, waiting for other waves." in summarise(found)
    found = changed(trace, {"sync": 0.5, "mfma": 0.5}, wait_share=0.3, barrier_share=0.2)
    assert largest_cost(found) == ("mfma", 0.5)
    assert "50.0 %, is spent in matrix instructions." in summarise(found)


def test_idle_time_is_named_where_it_is_the_largest_part(trace: ThreadTraceModel) -> None:
    shares = {"stall_fraction": 0.2, "issue_fraction": 0.1, "idle_fraction": 0.7}
    text = summarise(replace(trace, **shares))
    assert text.startswith("70.0 % of the time of the waves is idle")
    shares = {"stall_fraction": 0.4, "issue_fraction": 0.2, "idle_fraction": 0.4}
    assert "idle" not in summarise(replace(trace, **shares))
