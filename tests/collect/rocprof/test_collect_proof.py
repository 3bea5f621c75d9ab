"""What a run was asked to record and did not, and when that is worth a word."""

from __future__ import annotations

from fakes.task_recordings import Recording
from rocm_perf_lab.collect.rocprof.proof import missing_traces

COPIES = frozenset(("memory-copy",))


def test_copies_are_missed_where_a_call_asked_for_one() -> None:
    record = Recording()
    record.kernel("k", 1000, 2000, stack_id=record.launch(0))
    assert missing_traces(record.trace(), COPIES) == ()  # the application never copied
    record.call("hipMemcpyAsync", 3000, 3100)
    assert missing_traces(record.trace(), COPIES) == ("no memory-copy recorded",)


def test_without_calls_nobody_knows_whether_something_was_copied() -> None:
    record = Recording()
    record.kernel("k", 1000, 2000)
    assert missing_traces(record.trace(), COPIES) == ("no memory-copy recorded",)
