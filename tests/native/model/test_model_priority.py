"""Waves that `s_setprio` prefers issue first; how much work there is stays the same."""

from __future__ import annotations

import pytest
from exec_support import Code, assembly_kernel, build, needs_harness

from rocm_perf_lab.arch.model import load_timing_model

pytestmark = needs_harness

MODEL = load_timing_model()
WAVES, SIMDS = 8, 4
ADDITIONS = 4000
WORK = 4 * ADDITIONS  # cycles of a SIMD for one wave
SLEEPS = 2
REST = SLEEPS * 127 * MODEL.value("sleep_cycles")


def kernel(name: str, older: int, younger: int) -> str:
    """Two waves on each SIMD add, and the younger one of them rests afterwards."""
    return assembly_kernel(
        name,
        f"""
  v_readfirstlane_b32 s4, v0
  s_lshr_b32 s4, s4, 6
  s_cmp_ge_u32 s4, {SIMDS}
  s_cselect_b32 s6, 1, 0
  s_cbranch_scc1 {name}_younger
  s_setprio {older}
  s_branch {name}_add
{name}_younger:
  s_setprio {younger}
{name}_add:
  s_movk_i32 s5, {ADDITIONS // 100}
{name}_round:
  .rept 100
  v_add_f32_e32 v2, v3, v4
  .endr
  s_sub_u32 s5, s5, 1
  s_cmp_lg_u32 s5, 0
  s_cbranch_scc1 {name}_round
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 {name}_end
  .rept {SLEEPS}
  s_sleep 127
  .endr
{name}_end:
  s_endpgm
""",
    )


PRIORITIES = [(0, 0), (0, 3), (0, 1), (2, 3), (3, 3), (3, 0)]


@pytest.fixture(scope="module")
def cycles(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int], float]:
    source = "".join(kernel(f"prefers_{a}{b}", a, b) for a, b in PRIORITIES)
    code: Code = build(source, tmp_path_factory.mktemp("priority"), "assembler")
    around = MODEL.value("launch_ns") + MODEL.value("retire_ns")

    def of(name: str) -> float:
        time = min(code.run(name, 64 * WAVES, 64 * WAVES, []).duration_ns for _ in range(2))
        return (time - around) * MODEL.value("clock_ghz")

    return {pair: of(f"prefers_{pair[0]}{pair[1]}") for pair in PRIORITIES}


@pytest.mark.parametrize("pair", [(0, 3), (0, 1), (2, 3)])
def test_who_is_preferred_rests_while_the_other_works(
    cycles: dict[tuple[int, int], float], pair: tuple[int, int]
) -> None:
    assert cycles[pair] == pytest.approx(WORK + max(WORK, REST), rel=0.1)


@pytest.mark.parametrize("pair", [(0, 0), (3, 3), (3, 0)])
def test_else_the_older_one_goes_first(
    cycles: dict[tuple[int, int], float], pair: tuple[int, int]
) -> None:
    assert cycles[pair] == pytest.approx(2 * WORK + REST, rel=0.1)
