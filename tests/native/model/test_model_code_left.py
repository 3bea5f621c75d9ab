"""Code that earlier dispatches left in the instruction caches, in times and in counters."""

from __future__ import annotations

import ctypes
import functools
import itertools
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, assembly_kernel, build, importing, library, needs_harness
from hip_module import DeviceArray, Hip
from hip_support import LIBRARY, code_object, needs_hip, shared_folder

pytestmark = needs_harness

GROUPS, PAIRS, XCDS = 304, 160, 8
LINE, AHEAD = 64, 2  # bytes; lines fetched ahead of one that is used
LONG, HUGE, PART = 96, 1100, 64  # lines; HUGE: more than the cache has
STEP = LINE // 4  # instructions of four bytes in a line


# Nothing that is fetched ahead belongs to the next kernel.
APART = f".fill {AHEAD * STEP}, 4, 0\n"


def _straight(lines: int) -> str:
    return f".rept {lines * STEP - 1}\n  v_mov_b32 v1, v0\n.endr\n  s_endpgm\n{APART}"


# The argument says whether the wave jumps over a part.
PARTS = f"""
  s_load_dword s4, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc1 behind
.p2align 6
.rept {PART * STEP}
  v_mov_b32 v1, v0
.endr
behind:
  s_endpgm
{APART}"""
KERNELS = {
    **{f"long_{n}": _straight(LONG) for n in range(5)},
    "huge": _straight(HUGE),
    "parts": PARTS,
}
# Each with a kernel of its own that nobody has run before: kernel, workgroups, argument.
SEQUENCES = {
    "again": [("long_0", GROUPS, 0)] * 3,
    "evicted": [("long_1", GROUPS, 0), ("huge", GROUPS, 0)] * 2,
    "small first": [("long_2", XCDS, 0), ("long_2", GROUPS, 0), ("long_2", GROUPS, 0)],
    "small later": [("long_3", GROUPS, 0), ("long_3", XCDS, 0), ("long_3", GROUPS, 0)],
    "odd": [("long_4", 2 * XCDS + 1, 0), ("long_4", GROUPS, 0)],
    "parts": [("parts", GROUPS, way) for way in (0, 1, 1)],
}


@dataclass(frozen=True)
class Done:
    nanoseconds: int
    counters: dict[str, int]

    @property
    def fetched(self) -> int:
        """Lines that the instruction caches asked the L2 for."""
        return self.counters["SQC_TC_INST_REQ"]


def run_all() -> None:
    """In a child process: prints time and counters of each dispatch."""
    library().exec_counters.restype = ctypes.c_char_p
    source = "".join(assembly_kernel(name, body) for name, body in KERNELS.items())
    with tempfile.TemporaryDirectory() as folder:
        code = build(source, Path(folder), "assembler")
    arguments = Buffer.unwritten(8, "arguments")
    for kernel, groups, argument in itertools.chain.from_iterable(SEQUENCES.values()):
        done = code.run(kernel, groups * 64, 64, [argument], arguments_in=arguments)
        counters = json.loads(library().exec_counters() or b"{}")
        print(json.dumps([done.duration_ns, counters]))


@functools.cache
def ran(**environment: str) -> dict[str, list[Done]]:
    script = importing(__file__) + "import test_model_code_left as test\ntest.run_all()\n"
    settings = {"VROCM_COUNTERS": "1", "VROCM_THREADS": "2", **environment}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, **settings},
    )
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {name: [Done(*next(lines)) for _ in listed] for name, listed in SEQUENCES.items()}


def times(dispatches: dict[str, list[Done]]) -> list[int]:
    return [one.nanoseconds for listed in dispatches.values() for one in listed]


def test_the_second_dispatch_of_a_kernel_finds_its_code() -> None:
    first, second, third = ran()["again"]
    assert first.fetched == PAIRS * (LONG + AHEAD)
    assert first.counters["SQC_ICACHE_MISSES"] == PAIRS
    for later in (second, third):
        assert later.fetched == 0
        assert later.counters["SQC_ICACHE_MISSES"] == 0
        assert later.counters["SQC_ICACHE_MISSES_DUPLICATE"] == 0
        assert later.counters["SQC_ICACHE_HITS"] == later.counters["SQC_ICACHE_REQ"]
    assert second.nanoseconds < 0.7 * first.nanoseconds
    assert third.nanoseconds == second.nanoseconds


def test_code_that_is_there_takes_its_fetching_only() -> None:
    fetching = LONG * LINE / 32 / 2.1  # bytes per cycle of a CU, GHz
    free = ran(VROCM_IDEAL="instruction-cache")
    assert all(one <= other for one, other in zip(times(free), times(ran())))
    assert ran()["again"][1].nanoseconds - free["again"][1].nanoseconds < fetching


def test_other_code_evicts_it() -> None:
    first, _, again, huge = ran()["evicted"]
    assert again.fetched == first.fetched == PAIRS * (LONG + AHEAD)
    assert huge.fetched > 0.9 * PAIRS * HUGE  # what it needs next went for what it used last


def test_only_cus_that_ran_it_have_it() -> None:
    small, large, _ = ran()["small first"]  # a CU of each XCD
    assert small.fetched == XCDS * (LONG + AHEAD)
    assert large.fetched == (PAIRS - XCDS) * (LONG + AHEAD)
    assert [one.fetched for one in ran()["small later"][1:]] == [0, 0]
    assert sum(one.fetched for one in ran()["odd"]) == PAIRS * (LONG + AHEAD)


def test_code_that_no_wave_executed_is_not_there() -> None:
    without, part, again = ran()["parts"]
    assert without.fetched > 0
    assert without.fetched + part.fetched == PAIRS * (1 + PART + 1 + AHEAD)
    assert again.fetched == 0


@pytest.mark.parametrize(("name", "value"), [("THREADS", "1"), ("ORDER", "3")])
def test_threads_and_order_change_nothing(name: str, value: str) -> None:
    assert ran(**{f"VROCM_{name}": value}) == ran()


def test_times_do_not_depend_on_who_looks() -> None:
    assert times(ran(VROCM_COUNTERS="0")) == times(ran())
    # One XCD stands for the others.
    assert times(ran(VROCM_TIMING="full")) == pytest.approx(times(ran()), rel=0.01)


def test_counters_without_times_are_the_same() -> None:
    names = ("SQC_ICACHE_MISSES", "SQC_TC_INST_REQ", "SQC_ICACHE_HITS")
    silent = ran(VROCM_TIMING="0")
    for sequence, dispatches in ran().items():
        for one, other in zip(silent[sequence], dispatches):
            assert [one.counters[n] for n in names] == [other.counters[n] for n in names]


def run_module(code: str, unloads: bool) -> None:
    """In a child process: three launches; the code object is loaded once, or for each of them."""
    hip = Hip(LIBRARY.parents[1])
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    values = DeviceArray(hip, np.zeros(64, np.int32)).pointer
    arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(values), ctypes.c_void_p))
    for time in range(3):
        if time == 0 or unloads:
            hip.call("hipModuleLoad", ctypes.byref(module), code.encode())
            hip.call("hipModuleGetFunction", ctypes.byref(function), module, b"twice")
        shape = (1, 1, 1, 64, 1, 1, 0)
        hip.call("hipModuleLaunchKernel", function, *shape, None, arguments, None)
        hip.call("hipDeviceSynchronize")
        if unloads:
            hip.call("hipModuleUnload", module)


@needs_hip[0]
@needs_hip[1]
@needs_hip[2]
@pytest.mark.parametrize(("unloads", "fetched"), [(True, [1, 1, 1]), (False, [1, 0, 0])])
def test_a_code_object_that_is_loaded_again_is_cold(
    unloads: bool, fetched: list[int], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whether or not it comes to lie where it was."""
    code = code_object(shared_folder(tmp_path_factory))
    script = importing(__file__) + "import test_model_code_left as test\n"
    script += f"test.run_module({str(code)!r}, {unloads})\n"
    settings = {"VROCM_TRACE": str(tmp_path), "VROCM_COUNTERS": "1"}
    subprocess.run([sys.executable, "-c", script], env={**os.environ, **settings}, check=True)
    (file,) = tmp_path.glob("*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    asked = [r["counters"]["SQC_TC_INST_REQ"] for r in records if r["record"] == "dispatch"]
    assert [one / max(asked) for one in asked] == fetched
