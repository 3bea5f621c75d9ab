"""Runs launches with mechanisms made free (VROCM_IDEAL), in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from exec_support import Buffer, Code, DispatchResult, assembly_kernel, build, library
from phase_kernel import MEMORY_BYTES, Launch, phase_kernel

from rocm_perf_lab.arch.ideal import load_mechanisms
from rocm_perf_lab.arch.model import load_timing_model

NAMES = tuple(load_mechanisms())
FLOOR_NS = int(sum(map(load_timing_model().value, ("launch_ns", "retire_ns"))))
CLOCK_GHZ = load_timing_model().value("clock_ghz")
CUS = 304


@contextmanager
def free(*names: str) -> Iterator[None]:
    assert library().exec_set_ideals(",".join(names).encode()) == 0
    try:
        yield
    finally:
        library().exec_set_ideals(b"")


def _loop(name: str, body: str, rounds: int, **sizes: int) -> str:
    return assembly_kernel(
        name,
        f"""
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 7, v0
  v_mov_b32 v2, 0
  s_mov_b32 s11, {rounds}
  s_waitcnt lgkmcnt(0)
{name}_round:
{body}
  s_sub_u32 s11, s11, 1
  s_cmp_lg_u32 s11, 0
  s_cbranch_scc1 {name}_round
  s_endpgm
""",
        **sizes,
    )


# Kernels that the phases have nothing of; all loop as often.
ROUNDS = 100
OWN = {
    "conflicts": _loop("conflicts", "  ds_read_b32 v3, v1\n" * 4, ROUNDS, lds=8192),
    "reads": _loop("reads", "  ds_read_b32 v3, v2\n" * 4, ROUNDS, lds=8192),
    "lds_atomics": _loop("lds_atomics", "  ds_add_u32 v2, v2\n" * 4, ROUNDS, lds=8192),
    "hand_over": _loop(
        "hand_over", "  v_readfirstlane_b32 s6, v2\n  s_add_u32 s7, s6, 1\n" * 4, ROUNDS
    ),
    "filled": _loop("filled", "  s_nop 15\n" * 8, ROUNDS, lds=65536),
}


class Device:
    """One that has seen the kernel and its memory before."""

    def __init__(self, folder: Path) -> None:
        self.code: Code = build(
            "".join((phase_kernel("phases"), *OWN.values())), folder, "assembler"
        )
        self.memory = Buffer.unwritten(MEMORY_BYTES + 65536, "data")
        self.arguments = Buffer.unwritten(4096, "arguments")

    def run(self, launch: Launch) -> DispatchResult:
        for _ in range(2):
            found = launch.run(self.code, self.memory, "phases", self.arguments)
        return found

    def time(self, launch: Launch, *names: str) -> int:
        with free(*names):
            return self.run(launch).duration_ns

    def time_of(self, kernel: str, groups: int, waves: int, *names: str) -> int:
        lanes = 64 * waves
        with free(*names):
            for _ in range(2):
                found = self.code.run(
                    kernel, groups * lanes, lanes, [self.memory], arguments_in=self.arguments
                )
        return found.duration_ns
