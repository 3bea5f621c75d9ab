"""Waves of a workgroup touch the LDS in the order of modelled time, unless VROCM_ORDER is set.

Two kernels transpose through the LDS in two halves, as matrix products end: the second half goes
into the words of the first with no barrier between. Every wave reads right behind the barrier, long
before another one, which has yet to wait for what it reads, writes again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, assembly_kernel, compile_kernels, importing, load, needs_harness

pytestmark = needs_harness

WAVES = 4

# v1: byte of this work-item, v2: byte of the one opposite, in another wave.
BEGIN = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  v_sub_u32 v2, 0x3fc, v1
  v_add_u32 v3, 1000, v0
  v_add_u32 v4, 2000, v0
"""
ROUND = """
  ds_write_b32 v1, {value}
  s_waitcnt lgkmcnt(0)
  s_barrier
  {work}
  ds_read_b32 v5, v2
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v5, s[4:5] offset:{offset}
"""
# What comes between the barrier and the reads of all waves, none of it of the LDS.
NOTHING = ""
LONG, SHORT = ("\n".join(["  v_add_f32 v6, v6, v6"] * count) for count in (100, 25))
# The first wave loads straight into the LDS while others still have something to do before they
# read: what it asks for arrives behind their reads.
REFILL = """
  s_load_dwordx2 s[6:7], s[0:1], 0x8
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s8, v1
  s_mov_b32 m0, s8
  s_barrier
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 .Lread
  {work}
.Lread:
  ds_read_b32 v5, v2
  s_waitcnt lgkmcnt(0)
  global_load_lds_dword v1, s[6:7]
  global_store_dword v1, v5, s[4:5]
  s_waitcnt vmcnt(0)
  s_barrier
  ds_read_b32 v5, v2
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v5, s[4:5] offset:1024
  s_endpgm
"""


def halves(work: str) -> str:
    first = ROUND.format(value="v3", work=work, offset=0)
    return BEGIN + first + ROUND.format(value="v4", work=work, offset=1024) + "  s_endpgm\n"


KERNELS = {
    "halves": halves(NOTHING),
    "late_halves": halves(LONG),
    "refill": BEGIN + REFILL.format(work=SHORT),
}


def launch(kernel: str, code_object: str) -> None:
    """Runs in a child process; prints whether each half is right, and the modelled time."""
    items = 64 * WAVES
    out = Buffer(np.zeros(2 * items, dtype=np.uint32), "out")
    again = Buffer(np.arange(items, dtype=np.uint32) + 2000, "again")
    done = load(Path(code_object).read_bytes()).run(kernel, items, items, [out, again])
    opposite = np.arange(items, dtype=np.uint32)[::-1]
    for half in range(2):
        right = np.array_equal(out.array[half * items :][:items], opposite + 1000 * (half + 1))
        print("right" if right else "wrong", end=" ")
    print(done.duration_ns)


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    paths = {}
    for name, body in KERNELS.items():
        folder = tmp_path_factory.mktemp(name)
        paths[name] = folder / "code.co"
        text = assembly_kernel(name, body, lds=1024)
        paths[name].write_bytes(compile_kernels(text, folder, "assembler"))
    return paths


def _run(
    objects: dict[str, Path], kernel: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    script = importing(__file__) + (
        f"import test_exec_time_order as t\nt.launch({kernel!r}, {str(objects[kernel])!r})\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "environment",
    [{}, {"VROCM_TIMING": "0"}, {"VROCM_TIMING": "full"}, {"VROCM_COUNTERS": "1"}],
    ids=["default", "no time", "whole", "counted"],
)
def test_what_the_device_does_by_its_timing_is_right(
    objects: dict[str, Path], kernel: str, environment: dict[str, str]
) -> None:
    done = _run(objects, kernel, **environment)
    assert done.stdout.split()[:2] == ["right", "right"], done.stderr


@pytest.mark.parametrize("kernel", ["halves", "late_halves"])
def test_another_order_shows_that_it_hangs_on_it(objects: dict[str, Path], kernel: str) -> None:
    orders = [_run(objects, kernel, VROCM_ORDER=order).stdout.split() for order in "123456"]
    assert any("wrong" in printed for printed in orders)


@pytest.mark.parametrize("kernel", ["halves", "late_halves"])
def test_the_check_names_the_race_in_the_usual_order(objects: dict[str, Path], kernel: str) -> None:
    done = _run(objects, kernel, VROCM_CHECK="race")
    assert done.stdout.split()[:2] == ["right", "right"]
    assert "race: this wave writes LDS byte" in done.stderr
    assert "ds_write_b32" in done.stderr
    assert "ds_read_b32" in done.stderr


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_time_is_the_same_for_any_number_of_threads(
    objects: dict[str, Path], kernel: str
) -> None:
    said = {_run(objects, kernel, VROCM_THREADS=n).stdout for n in ("1", "2", "3")}
    assert len(said) == 1
