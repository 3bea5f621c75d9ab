"""Issue in the timing model: what waves of one CU make of the ports, the matrix cores and the LDS.

Cycles are those of steady loops, from the difference of two launches. Published figures are those
of tingqli/pyhip, measured on gfx942.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from exec_support import Code, assembly_kernel, build, needs_harness

pytestmark = needs_harness

CLOCK_GHZ = 2.1
FEW, MANY = 3, 33  # rounds of a loop
LDS_BYTES = 32768


@dataclass(frozen=True)
class Loop:
    body: str  # one group of instructions
    groups: int  # of them in a round
    aligned: bool = True  # to instruction fetches; otherwise 4 bytes behind them
    lds: int = 0
    before: str = ""

    def kernel(self, name: str) -> str:
        return assembly_kernel(
            name,
            f"""
  s_load_dword s4, s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
{self.before}
  s_waitcnt lgkmcnt(0)
  .p2align 6
  {"" if self.aligned else "s_nop 0"}
{name}_round:
  .rept {self.groups}
{self.body}
  .endr
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 {name}_round
  s_endpgm
""",
            vgprs=128,
            lds=self.lds,
            accum_offset=64,
        )


def fma(count: int) -> str:
    return "".join(f"  v_fma_f32 v{32 + n}, v2, v3, v{32 + n}\n" for n in range(count))


def packed(count: int) -> str:
    pairs = ((32 + 2 * n, 33 + 2 * n) for n in range(count))
    return "".join(f"  v_pk_add_f32 v[{a}:{b}], v[2:3], v[4:5]\n" for a, b in pairs)


def exponential(count: int) -> str:
    return "".join(f"  v_exp_f32 v{32 + n}, v2\n" for n in range(count))


def matrix_with(others: str) -> str:
    """Four independent products, each followed by the same other instructions."""
    sums = (f"v[{12 + 4 * n}:{15 + 4 * n}]" for n in range(4))
    return "".join(f"  v_mfma_f32_16x16x16_bf16 {c}, v[4:5], v[6:7], {c}\n{others}" for c in sums)


def reads(width: str, registers: str, stride: int) -> Loop:
    address = f"  v_mul_u32_u24 v1, {stride}, v0\n  v_and_b32 v1, {LDS_BYTES - stride:#x}, v1\n"
    return Loop(f"  ds_read_{width} {registers}, v1\n" * 4, 64, lds=LDS_BYTES, before=address)


def pair(first: str, second: str) -> Loop:
    """Lanes lie side by side in the LDS: aligned, and without conflicts that would be its limit."""
    apart = "  v_lshlrev_b32 v1, 4, v0\n" if "_b128" in second else ""
    return Loop(f"  {first}\n  {second}\n" * 4, 32, lds=LDS_BYTES, before=apart)


def products(name: str, registers: int, operands: str) -> Loop:
    """Four independent sums in accumulation registers."""
    sums = (f"a[{n * registers}:{(n + 1) * registers - 1}]" for n in range(4))
    return Loop("".join(f"  v_mfma_{name} {c}, {operands}, {c}\n" for c in sums), 32)


# Cycles of the matrix core: AMD's blog on matrix cores and the rates of the CDNA 3 white paper.
MATRIX_CYCLES = {
    "f32_32x32x8_f16": (16, "v[4:5], v[6:7]", 32),
    "f32_16x16x16_f16": (4, "v[4:5], v[6:7]", 16),
    "f32_32x32x8_bf16": (16, "v[4:5], v[6:7]", 32),
    "f32_32x32x2_f32": (16, "v4, v6", 64),
    "f32_16x16x4_f32": (4, "v4, v6", 32),
    "f32_32x32x4_xf32": (16, "v[4:5], v[6:7]", 32),
    "f32_16x16x8_xf32": (4, "v[4:5], v[6:7]", 16),
    "f64_16x16x4_f64": (8, "v[4:5], v[6:7]", 32),
    "f64_4x4x4_4b_f64": (2, "v[4:5], v[6:7]", 16),
    "i32_32x32x16_i8": (16, "v[4:5], v[6:7]", 32),
    "i32_16x16x32_i8": (4, "v[4:5], v[6:7]", 16),
    "f32_32x32x16_fp8_fp8": (16, "v[4:5], v[6:7]", 32),
    "f32_16x16x32_fp8_fp8": (4, "v[4:5], v[6:7]", 16),
    "f32_32x32x16_bf8_fp8": (16, "v[4:5], v[6:7]", 32),
    "f32_16x16x32_bf8_bf8": (4, "v[4:5], v[6:7]", 16),
}

# What a wave waits for behind its own last instruction: pairs, and their cycles as the public
# thread trace of an MI300X has them (4 to issue each, and what lies between).
PAIRS = {
    "lds_behind_vector": ("v_mov_b32 v8, v9", "ds_read_b32 v10, v1", 16),
    "lds_behind_vector_and_nop": ("v_mov_b32 v8, v9\n  s_nop 1", "ds_read_b32 v10, v1", 16),
    "lds_behind_scalar": ("s_mov_b32 s6, s7", "ds_read_b32 v10, v1", 8),
    "scalar_behind_its_vector": ("v_readfirstlane_b32 s6, v2", "s_add_u32 s7, s6, s6", 24),
    "scalar_behind_other_vector": ("v_readfirstlane_b32 s6, v2", "s_add_u32 s7, s8, s8", 8),
    "scalar_behind_compare": ("v_cmp_eq_u32 vcc, v2, v3", "s_and_b64 s[6:7], vcc, exec", 24),
    "branch_behind_compare": ("v_cmp_ne_u32 vcc, v2, v2", "s_cbranch_vccnz 1f\n1:", 24),
    "branch_behind_scalar": ("s_cmp_lg_u32 s5, s5", "s_cbranch_scc1 1f\n1:", 12),
    "write_of_4_bytes": ("", "ds_write_b32 v1, v2", 8),
    "write_of_16_bytes": ("", "ds_write_b128 v1, v[4:7]", 20),
}

LOOPS = {
    **{name: pair(first, second) for name, (first, second, _) in PAIRS.items()},
    **{name: products(name, *shape[:2]) for name, shape in MATRIX_CYCLES.items()},
    "jumps": Loop("  s_branch 1f\n  s_nop 0\n1:\n" * 4, 64),
    "no_jumps": Loop("  s_cbranch_scc1 1f\n1:\n" * 4, 64, before="  s_cmp_lg_u32 s4, s4\n"),
    **{f"lines_{count}": Loop("  s_nop 0\n" * 4, 4 * count) for count in (64, 192)},
    "fma": Loop(fma(4), 128),
    "fma_split": Loop(fma(4), 128, aligned=False),
    "packed": Loop(packed(4), 128),
    "packed_split": Loop(packed(4), 128, aligned=False),
    "short": Loop("".join(f"  v_add_f32_e32 v{32 + n}, v2, v3\n" for n in range(4)), 128, False),
    "matrix": Loop(matrix_with(""), 32),
    **{f"matrix_fma{n}": Loop(matrix_with(fma(n)), 32) for n in (1, 2, 3, 4)},
    "matrix_fma3_split": Loop(matrix_with(fma(3)), 32, aligned=False),
    **{f"matrix_packed{n}": Loop(matrix_with(packed(n)), 32) for n in (1, 2, 3, 4)},
    **{f"matrix_exp{n}": Loop(matrix_with(exponential(n)), 32) for n in (1, 2)},
    "lds_b32": reads("b32", "v8", 4),
    "lds_b128": reads("b128", "v[8:11]", 16),
    "lds_stride_2": reads("b32", "v8", 8),
    "lds_stride_8": reads("b32", "v8", 32),
    "lds_stride_32": reads("b32", "v8", 128),
}  # fmt: skip


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    source = "".join(loop.kernel(name) for name, loop in LOOPS.items())
    return build(source, tmp_path_factory.mktemp("issue"), "assembler")


def simulated(code: Code, name: str, waves: int, rounds: int) -> int:
    """In ns, and nothing that the bounds had to put right."""
    found = code.run(name, 64 * waves, 64 * waves, [rounds])
    assert found.met is None
    return found.duration_ns


def cycles(code: Code, name: str, waves: int = 1) -> float:
    """Per quarter of a group: one instruction, or one product with what follows it."""
    few, many = (
        min(simulated(code, name, waves, rounds) for _ in range(2)) for rounds in (FEW, MANY)
    )  # arguments may lie in a page that nobody has touched yet
    return (many - few) * CLOCK_GHZ / (MANY - FEW) / LOOPS[name].groups / 4


ROUND = 0.3  # what the end of a loop adds to a group


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("fma", 4.016),
        ("fma_split", 5.012),
        ("packed", 4.008),
        ("packed_split", 5.004),
        ("short", 4.012),
        ("matrix", 16.026),
        ("matrix_fma1", 16.05),
        ("matrix_fma2", 16.05),
        ("matrix_fma3", 16.05),
        ("matrix_fma4", 20.05),
        ("matrix_fma3_split", 20.0),
        ("matrix_packed1", 28.04),
        ("matrix_packed2", 32.04),
        ("matrix_packed3", 36.04),
        ("matrix_packed4", 40.04),
        ("matrix_exp1", 20.05),
        ("matrix_exp2", 36.05),
    ],
)
def test_one_wave_issues_as_measured(code: Code, name: str, published: float) -> None:
    assert cycles(code, name) == pytest.approx(published, abs=ROUND)


@pytest.mark.parametrize("name", MATRIX_CYCLES)
def test_matrix_instructions_take_their_cycles(code: Code, name: str) -> None:
    assert cycles(code, name) == pytest.approx(MATRIX_CYCLES[name][2], rel=0.03)


def test_a_taken_branch_waits_for_its_code(code: Code) -> None:
    assert cycles(code, "jumps") == pytest.approx(20, abs=1)  # its issue, and a fetch that hits
    assert cycles(code, "no_jumps") == pytest.approx(4, abs=ROUND)


def test_code_that_comes_once_is_fetched_two_lines_ahead(code: Code) -> None:
    """16 instructions of 4 cycles hide a part of a line's latency, which is several hundred."""
    few, many = (simulated(code, f"lines_{count}", 1, 1) for count in (64, 192))
    assert 64 < (many - few) * CLOCK_GHZ / 128 < 150  # with one line ahead it is 235


@pytest.mark.parametrize("name", PAIRS)
def test_a_wave_waits_for_its_last_instruction_as_traced(code: Code, name: str) -> None:
    assert cycles(code, name) == pytest.approx(PAIRS[name][2], abs=1)


@pytest.mark.parametrize("name", ["lds_behind_vector", "scalar_behind_its_vector"])
def test_other_waves_use_the_time_that_a_wave_waits(code: Code, name: str) -> None:
    assert cycles(code, name, waves=16) / 4 < 0.6 * cycles(code, name)


@pytest.mark.parametrize("name", ["matrix_fma1", "matrix_fma2", "matrix_fma3", "matrix_fma3_split"])
@pytest.mark.parametrize("waves_per_simd", [2, 4])
def test_more_waves_get_no_less_done(code: Code, name: str, waves_per_simd: int) -> None:
    together = cycles(code, name, waves=4 * waves_per_simd) / waves_per_simd
    assert together <= cycles(code, name) * 1.01


def test_other_waves_use_the_turn_that_a_split_instruction_loses(code: Code) -> None:
    assert cycles(code, "fma_split", waves=16) / 4 < 4.4


@pytest.mark.parametrize(
    ("name", "published", "tolerance"),
    [("lds_b32", 4, 0.5), ("lds_b128", 16, 0.5), ("lds_stride_8", 16, 0.5),
     ("lds_stride_32", 64, 0.5)],
)  # fmt: skip
def test_a_lone_wave_reads_the_lds_at_half_its_rate(
    code: Code, name: str, published: float, tolerance: float
) -> None:
    assert cycles(code, name) == pytest.approx(published, abs=tolerance)


@pytest.mark.parametrize(
    ("name", "published", "allowed"),
    [("lds_stride_2", 4.219, 0.1), ("lds_stride_8", 16.06, 0.03), ("lds_stride_32", 64.0, 0.03)],
)
def test_conflicts_cost_a_cycle_each(
    code: Code, name: str, published: float, allowed: float
) -> None:
    per_read = cycles(code, name, waves=16) / 16
    assert per_read == pytest.approx(published, rel=allowed)


def test_wide_reads_reach_the_measured_bandwidth(code: Code) -> None:
    per_read = cycles(code, "lds_b128", waves=16) / 16
    assert 16 * 64 / per_read == pytest.approx(128 * 73.0 / 81.7, rel=0.05)  # bytes per cycle
