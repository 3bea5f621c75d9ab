"""Straight-line code of one wave: the timing model beside llvm-mca, which nobody here wrote.

LLVM's machine model of gfx940 counts in turns of four cycles. Where we believe otherwise the case
says why, and the test holds both figures.
"""

from __future__ import annotations

import functools
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from exec_support import Code, assembly_kernel, build, needs_harness

MCA = shutil.which("llvm-mca-19") or shutil.which("llvm-mca") or ""

pytestmark = [
    needs_harness,
    pytest.mark.skipif(not MCA, reason="llvm-mca is missing (run `make setup`)"),
]

CYCLES_PER_TURN = 4
CLOCK_GHZ = 2.1
FEW, MANY = 4, 40  # rounds of a loop
ITERATIONS = 200  # of llvm-mca
LOOP_CYCLES = 24  # two scalar instructions and a taken branch


@dataclass(frozen=True)
class Case:
    body: str
    repeats: int = 8  # of the body in a round


def matrix(name: str, registers: int, operands: str = "v[4:5], v[6:7]") -> str:
    """Four independent sums."""
    sums = (f"a[{n * registers}:{(n + 1) * registers - 1}]" for n in range(4))
    return "".join(f"v_mfma_{name} {c}, {operands}, {c}\n" for c in sums)


def between_products(other: str) -> str:
    lines = matrix("f32_16x16x16_bf16", 4).splitlines()
    return "".join(f"{line}\n{other}" for line in lines)


FMA = "v_fma_f32 v{0}, v2, v3, v{0}\n"
AGREED = {
    "independent FMAs": Case("".join(FMA.format(32 + n) for n in range(8))),
    "dependent FMAs": Case(FMA.format(32) * 8),
    "dependent additions": Case("v_add_f32_e32 v8, v8, v9\n" * 8),
    "64-bit addresses": Case("v_lshl_add_u64 v[8:9], v[8:9], 2, v[10:11]\n" * 8),
    "FP64": Case("v_fma_f64 v[8:9], v[4:5], v[6:7], v[8:9]\n" * 8),
    "integer products": Case("v_mul_lo_u32 v8, v8, v9\n" * 8),
    "packed FP32": Case("v_pk_fma_f32 v[8:9], v[4:5], v[6:7], v[8:9]\n" * 8),
    "scalar": Case("s_add_u32 s8, s8, s9\ns_lshl_b32 s10, s8, 2\n" * 4),
    "scalar and vector": Case("s_add_u32 s8, s8, s9\nv_add_f32_e32 v8, v8, v9\n" * 4),
    "s_nop": Case("s_nop 0\n" * 8),
    "products, f16 32x32x8": Case(matrix("f32_32x32x8_f16", 16)),
    "products, bf16 16x16x16": Case(matrix("f32_16x16x16_bf16", 4)),
    "products, f32 32x32x2": Case(matrix("f32_32x32x2_f32", 16, "v4, v6")),
    "products, f32 16x16x4": Case(matrix("f32_16x16x4_f32", 4, "v4, v6")),
    "products, xf32 16x16x8": Case(matrix("f32_16x16x8_xf32", 4)),
    "products, fp8 32x32x16": Case(matrix("f32_32x32x16_fp8_fp8", 16)),
    "products, bf8 16x16x32": Case(matrix("f32_16x16x32_bf8_bf8", 4)),
    "products, i8 32x32x16": Case(matrix("i32_32x32x16_i8", 16)),
    "products, f64 16x16x4": Case(matrix("f64_16x16x4_f64", 8)),
    "products, 16 blocks of 4x4": Case(matrix("f32_4x4x4_16b_f16", 4)),
    "products onto the same sum": Case(
        "v_mfma_f32_16x16x16_bf16 a[0:3], v[4:5], v[6:7], a[0:3]\n" * 4
    ),
    "a sum that is multiplied": Case(
        "v_mfma_f32_16x16x16_bf16 v[4:7], v[4:5], v[6:7], v[8:11]\n" * 4
    ),
    "products of 2 blocks": Case(matrix("f32_32x32x4_2b_f16", 32)),
    "products and three FMAs each": Case(between_products("".join(map(FMA.format, (32, 33, 34))))),
    "products and four FMAs each": Case(
        between_products("".join(map(FMA.format, (32, 33, 34, 35))))
    ),
}


@dataclass(frozen=True)
class Dissent:
    case: Case
    ours: float  # cycles of the body
    theirs: float
    reason: str


DISSENTS = {
    "exponentials": Dissent(
        Case("".join(f"v_exp_f32 v{32 + n}, v2\n" for n in range(8))), 128, 32,
        "measured: 16.0 cycles each (tingqli/pyhip); LLVM gives them a latency and no busy unit",
    ),
    "products and an exponential each": Dissent(
        Case(between_products("v_exp_f32 v32, v2\ns_nop 0\n")), 80, 64,
        "measured: 20.0 cycles for the two; the exponential keeps the vector unit for 16",
    ),
    "products and packed additions": Dissent(
        Case(between_products("v_pk_add_f32 v[32:33], v[2:3], v[4:5]\n")), 112, 64,
        "measured: 28.0 cycles; SIInstrInfo::isNeverCoissue knows it, the machine model does not",
    ),
    "a sum that is read, 4 passes": Dissent(
        Case(
            "v_mfma_f32_16x16x16_bf16 v[16:19], v[4:5], v[6:7], v[16:19]\n"
            "v_add_f32_e64 v8, v16, v9\n"
        ), 36, 20,
        "a wave issues in order; llvm-mca lets the next product pass the addition that waits",
    ),
    "a sum that is read, 16 passes": Dissent(
        Case(
            "v_mfma_f32_32x32x2_f32 v[16:31], v4, v6, v[16:31]\n"
            "v_add_f32_e64 v8, v31, v9\n"
        ), 84, 68,
        "as above; both wait for passes and four turns more",
    ),
    "a chase through the LDS": Dissent(
        Case("ds_read_b32 v1, v1\ns_waitcnt lgkmcnt(0)\n" * 4), 208, 96,
        "measured: 51.3 and 52 cycles (mt4g, tingqli/pyhip)",
    ),
}  # fmt: skip


def random_program(seed: int) -> str:
    """Instructions of 8 bytes that do not wait for each other, but for units."""
    draw = random.Random(seed)
    sums = iter(n % 8 for n in range(1000))
    kinds = (
        lambda: FMA.format(draw.randrange(32, 48)),
        lambda: f"v_add_f32_e64 v{draw.randrange(48, 60)}, v2, v3\n",
        lambda: f"s_add_u32 s{draw.randrange(8, 20)}, s20, 0x12345\n",
        lambda: "v_mfma_f32_16x16x16_bf16 a[{0}:{1}], v[4:5], v[6:7], a[{0}:{1}]\n".format(
            *(lambda n: (4 * n, 4 * n + 3))(next(sums))
        ),
    )
    return "".join(draw.choice(kinds)() for _ in range(32))


RANDOM = {f"random {seed}": Case(random_program(seed), 4) for seed in range(12)}
ALL = {**AGREED, **{name: dissent.case for name, dissent in DISSENTS.items()}, **RANDOM}


@functools.cache
def their_turns() -> dict[str, float]:
    """Of each case, per body."""
    source = "".join(
        f"# LLVM-MCA-BEGIN {name}\n{case.body}# LLVM-MCA-END\n" for name, case in ALL.items()
    )
    command = [MCA, "-mtriple=amdgcn", "-mcpu=gfx940", f"-iterations={ITERATIONS}"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    regions = re.findall(r"Code Region - (.*)\n(?:.*\n)*?Total Cycles:\s+(\d+)", done.stdout)
    return {name: int(turns) / ITERATIONS for name, turns in regions}


def kernel(number: int, case: Case) -> str:
    return assembly_kernel(
        f"case_{number}",
        f"""
  s_load_dword s4, s[0:1], 0x0
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  .p2align 6
case_{number}_round:
{case.body * case.repeats}
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 case_{number}_round
  s_endpgm
""",
        vgprs=192,
        accum_offset=64,
        lds=4096,
    )


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    source = "".join(kernel(number, case) for number, case in enumerate(ALL.values()))
    return build(source, Path(tmp_path_factory.mktemp("mca")), "assembler")


def our_cycles(code: Code, name: str) -> float:
    kernel_name = f"case_{list(ALL).index(name)}"
    few, many = (
        min(code.run(kernel_name, 64, 64, [rounds]).duration_ns for _ in range(2))
        for rounds in (FEW, MANY)
    )  # arguments may lie in a page that nobody has touched yet
    a_round = (many - few) * CLOCK_GHZ / (MANY - FEW)
    return (a_round - LOOP_CYCLES) / ALL[name].repeats


@pytest.mark.parametrize("name", [*AGREED, *RANDOM])
def test_both_agree(code: Code, name: str) -> None:
    theirs = their_turns()[name] * CYCLES_PER_TURN
    assert our_cycles(code, name) == pytest.approx(theirs, rel=0.05)


@pytest.mark.parametrize("name", DISSENTS)
def test_where_we_believe_otherwise(code: Code, name: str) -> None:
    dissent = DISSENTS[name]
    assert our_cycles(code, name) == pytest.approx(dissent.ours, rel=0.05), dissent.reason
    theirs = their_turns()[name] * CYCLES_PER_TURN
    assert theirs == pytest.approx(dissent.theirs, rel=0.15), "llvm-mca has changed its mind"
