"""What does not change with threads, orders, checks and the timing model; runs that do not end."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import numpy as np
import pytest
from cover_support import Launch, Ran, run_covered
from exec_support import compile_kernels, needs_harness

pytestmark = needs_harness

SOURCE = """
#define ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
__attribute__((noinline)) uint turned(uint x, uint by) { return x * by ^ x >> 3; }
kernel void mixed(global uint* in, global uint* out, ulong limit) {
  uint at = GROUP * 256 + ID, x = in[at];
  #pragma nounroll
  for (uint i = 0; i < (x & 7); ++i) x = x > (uint)limit ? turned(x, i) : (x > 1000 ? x : 1000) + i;
  if (GROUP == 17 && x < 4000000000u) x += 3;
  out[at] = x;
}
kernel void cycle(global uint* out, ulong which) {
  if (GROUP % 3 == (uint)which) out[GROUP * 256 + ID] = 1;
}
kernel void ordered(global atomic_uint* next, global uint* out) {
  uint ticket = __opencl_atomic_fetch_add(next, 1, memory_order_relaxed, memory_scope_device);
  if (ticket == 5) out[0] = 1;
}
kernel void overrun(global uint* p, ulong far) {
  if (GROUP == 2 && ID == 5) p[far] = 1;
  p[ID] = GROUP;
}
kernel void endless(global uint* p) { for (uint i = 0;; ++i) if (i == 7) *p = 1; }
kernel void racing(global uint* p) { p[0] = ID; }
"""
GROUPS = 60


@pytest.fixture(scope="module")
def code_object(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return compile_kernels(SOURCE, tmp_path_factory.mktemp("code"))


def _run(folder: Path, code_object: bytes, covers: bool = True, **environment: str) -> Ran:
    rng = np.random.default_rng(3)
    arrays = {
        "in": rng.integers(0, 1 << 32, GROUPS * 256, dtype=np.uint32),
        "out": np.zeros(GROUPS * 256, np.uint32),
        "next": np.zeros(1, np.uint32),
        "other": np.zeros(1, np.uint32),
    }
    launches = [
        Launch("mixed", ("in", "out", 1 << 31), GROUPS * 256, 256),
        Launch("cycle", ("out", 1), GROUPS * 256, 256),
        Launch("ordered", ("next", "other"), GROUPS * 64),
    ]
    done = run_covered(folder, code_object, launches, arrays, covers, **environment)
    assert done.status == 0, done.stderr
    return done


def _without_addresses(ran: Ran) -> bytes:
    """Of other processes memory lies elsewhere, so the hash of what was written is another one."""
    return re.sub(rb'"written_hash":\d+,', b"", ran.text)


def test_nothing_changes_with_threads_or_who_else_looks(code_object: bytes, tmp_path: Path) -> None:
    alone = _run(tmp_path, code_object, VROCM_THREADS="1", VROCM_TIMING="0")
    assert [one.kernel for one in alone.coverage] == ["mixed", "cycle", "ordered"]
    others = (
        {"VROCM_THREADS": "2", "VROCM_TIMING": "0"},
        {"VROCM_THREADS": "7", "VROCM_TIMING": "0", "VROCM_CPU": "baseline"},
        {"VROCM_THREADS": "2"},
        {"VROCM_COUNTERS": "1"},
        {"VROCM_CHECK": "memory,uninit,race,waitcnt"},
    )
    for environment in others:
        again = _run(tmp_path, code_object, **environment)
        assert _without_addresses(again) == _without_addresses(alone), environment


def test_an_order_that_kernels_do_not_see_changes_nothing(
    code_object: bytes, tmp_path: Path
) -> None:
    tickets = set()
    lines = set()
    for order in ("0", "1", "2", "3"):
        environment = {"VROCM_TIMING": "0", "VROCM_ORDER": order}
        done = _run(tmp_path, code_object, **environment)
        mixed, cycle, ordered = _without_addresses(done).splitlines()
        lines.add((mixed, cycle))
        tickets.add(ordered)
    assert len(lines) == 1
    assert len(tickets) > 1  # which lane of which wave gets the fifth one


def test_results_and_times_are_the_same(code_object: bytes, tmp_path: Path) -> None:
    covered = _run(tmp_path, code_object)
    plain = _run(tmp_path, code_object, covers=False)
    assert plain.text == b""
    assert plain.arrays["taken"].min() > 0
    for name, values in plain.arrays.items():
        assert covered.arrays[name].tobytes() == values.tobytes(), name


def test_what_a_fault_ends_is_written(code_object: bytes, tmp_path: Path) -> None:
    launches = [Launch("racing", ("p",)), Launch("overrun", ("p", 1 << 20), 256)]
    done = run_covered(tmp_path, code_object, launches, {"p": np.zeros(64, np.uint32)})
    assert done.status == -signal.SIGABRT
    assert "Memory access fault" in done.stderr
    assert [(one.kernel, one.dispatch, one.ended) for one in done.coverage] == [
        ("racing", 0, True),
        ("overrun", 1, False),
    ]
    assert done.coverage[1].instructions


def test_what_the_time_limit_ends_is_written(code_object: bytes, tmp_path: Path) -> None:
    done = run_covered(
        tmp_path,
        code_object,
        [Launch("endless", ("p",))],
        {"p": np.zeros(1, np.uint32)},
        VROCM_TIMEOUT="1",
    )
    assert "Time limit exceeded" in done.stderr
    (endless,) = done.coverage
    assert not endless.ended
    assert any(seen.has(16 | 32) for seen in endless.instructions.values())


def test_what_a_finding_ends_is_written(code_object: bytes, tmp_path: Path) -> None:
    done = run_covered(
        tmp_path,
        code_object,
        [Launch("racing", ("p",), 256, 128)],
        {"p": np.zeros(1, np.uint32)},
        VROCM_CHECK="race",
        VROCM_CHECK_FATAL="1",
    )
    assert done.status == -signal.SIGABRT
    assert [one.ended for one in done.coverage] == [False]


def test_a_file_that_cannot_be_written_ends_the_program(code_object: bytes, tmp_path: Path) -> None:
    arrays = {"p": np.zeros(1, np.uint32)}
    launches = [Launch("racing", ("p",))]
    nowhere = str(tmp_path / "none" / "coverage")
    done = run_covered(tmp_path, code_object, launches, arrays, VROCM_COVERAGE=nowhere)
    assert done.status == 2
    assert f"VROCM_COVERAGE={nowhere} cannot be opened: No such file" in done.stderr
    full = run_covered(tmp_path, code_object, launches, arrays, VROCM_COVERAGE="/dev/full")
    assert full.status == 2
    assert "VROCM_COVERAGE=/dev/full cannot be written: No space left" in full.stderr
