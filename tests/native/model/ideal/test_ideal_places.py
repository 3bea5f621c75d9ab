"""Instructions that are free because of where they are (VROCM_IDEAL_AT)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from exec_support import Buffer, Code, DispatchResult, build, importing, library, needs_harness
from ideal_support import Device
from phase_kernel import KINDS, Launch

from rocm_perf_lab.arch.ideal import load_place

pytestmark = needs_harness

# Line by line: conflicts in the LDS, a load that waits, arithmetic.
SOURCE = """\
kernel void mixed(global float *data, global float *out, int rounds) {
  local float tile[64 * 64];
  const int me = __builtin_amdgcn_workitem_id_x(), at = me + 64 * __builtin_amdgcn_workgroup_id_x();
  float sum = 0;
  for (int n = 0; n < rounds; ++n) {
    tile[me * 64 + (n & 63)] = sum;
    sum += data[(at * 16 + n * 4096) & 0xfffff];
    sum = sum * 1.5f + sum * (sum * 0.5f + sum * (sum + 1.0f));
  }
  out[at] = sum + tile[me];
}
"""
LDS, LOAD, ARITHMETIC = (f"kernels.cl:{line}" for line in (6, 7, 8))
SLACK_NS = 100


@contextmanager
def free_at(*places: str) -> Iterator[None]:
    assert library().exec_set_free_places(",".join(places).encode()) == 0
    try:
        yield
    finally:
        library().exec_set_free_places(b"")


class Mixed:
    def __init__(self, folder: Path) -> None:
        self.code: Code = build(SOURCE, folder, flags=["-g"])
        self.data = Buffer.unwritten(4 << 20, "data")
        self.out = Buffer.unwritten(1 << 20, "out")

    def run(self, *places: str, groups: int = 64, rounds: int = 40) -> DispatchResult:
        with free_at(*places):
            for _ in range(2):
                found = self.code.run("mixed", groups * 64, 64, [self.data, self.out, rounds])
        return found


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Device:
    return Device(tmp_path_factory.mktemp("phases"))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    return Mixed(tmp_path_factory.mktemp("places"))


def test_a_free_line_gains_what_it_costs_and_nothing_stays_free(mixed: Mixed) -> None:
    """What the launches before left in the memory changes the time a little."""
    results = [mixed.run() for _ in range(4)]
    usual = [result.duration_ns for result in results]
    gains = {}
    for line in (LDS, LOAD, ARITHMETIC):
        found = mixed.run(line)
        assert found.wave_instructions == results[0].wave_instructions
        gains[line] = max(usual) - found.duration_ns
    assert min(gains.values()) >= 0
    assert max(gains, key=lambda line: gains[line]) == LOAD
    everything = mixed.run(LDS, LOAD, ARITHMETIC).duration_ns
    assert everything < min(usual) - gains[LOAD] / 2
    assert mixed.run().duration_ns in usual


@pytest.mark.parametrize("seed", range(6))
def test_no_place_makes_a_kernel_slower(device: Device, seed: int) -> None:
    draw = random.Random(seed)
    kinds = [kind for kind in KINDS if kind != "atomic"]
    program = tuple((draw.choice(kinds), draw.randint(5, 30)) for _ in range(draw.randint(1, 3)))
    launch = Launch(program, groups=draw.randint(1, 200), waves=draw.choice((1, 2, 4, 8)))
    usual = device.run(launch).duration_ns
    first = draw.randrange(0, 0x1400, 4)
    for bytes_ in (64, 256, 0x2000):
        with free_at(f"{first:x}-{first + bytes_:x}"):
            found = device.run(launch).duration_ns
        assert found <= 1.01 * usual + SLACK_NS, (program, first, bytes_)
    assert device.run(launch).duration_ns == usual, "nothing stays free"


def test_a_line_without_code_is_said_once(mixed: Mixed, capfd: pytest.CaptureFixture[str]) -> None:
    usual = {mixed.run().duration_ns for _ in range(4)}
    assert mixed.run("other.cl:6", "kernels.cl:1000").duration_ns in usual
    said = capfd.readouterr().err.splitlines()
    assert [line.partition(" has nothing at ")[2] for line in said] == [
        f"{place} (lines need a program that was compiled with -g)"
        for place in ("other.cl:6", "kernels.cl:1000")
    ]
    assert mixed.run("ernels.cl:6").duration_ns in usual, "a part of a name is another file"


@pytest.mark.parametrize("place", ["x", "a.hip:", "a.hip:0", ":3", "20-10", "10", "a.hip:1,,b:2"])
def test_what_is_no_place_is_refused(place: str) -> None:
    assert library().exec_set_free_places(place.encode()) == -1


def test_the_variable_is_read_and_refused_with_its_name() -> None:
    script = importing(__file__) + "import test_ideal_laws as t; t._one_dispatch()"
    variable = load_place().variable
    environment = {**os.environ, variable: "mixed.hip"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"virtual MI300X: {variable}: 'mixed.hip' is no place in code. Give FILE:LINE, or FIRST-END"
    )
