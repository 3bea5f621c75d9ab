"""Live registers: of code written by hand, of random programs, and of what a compiler made."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.analysis.code.register_operands import register_bits, register_effect
from rocm_perf_lab.analysis.code.register_pressure import (
    CALLS,
    INDEXES,
    JUMPS,
    Pressure,
    register_pressure,
)
from rocm_perf_lab.codeobject import CodeObjectFile, read_code_objects
from rocm_perf_lab.collect.disassembly import Instruction, disassemble
from rocm_perf_lab.collect.prefix import Prefix

LLVM = Path("/usr/lib/llvm-19")
with_llvm = pytest.mark.skipif(
    not (LLVM / "bin" / "llvm-objdump").exists(), reason=f"LLVM 19 is not in {LLVM}"
)


@dataclass(frozen=True)
class Line:
    address: int
    text: str
    source: str = ""


def program(*lines: str, source: str = "") -> list[Line]:
    """Instructions of four bytes each; only branches care."""
    return [Line(4 * number, text, source) for number, text in enumerate(lines)]


def test_a_value_lives_from_its_write_to_its_last_read() -> None:
    found = register_pressure(
        program(
            "v_mov_b32_e32 v1, 0",
            "v_mov_b32_e32 v2, 0",
            "v_add_f32_e32 v3, v1, v2",
            "global_store_dword v0, v3, s[0:1]",
            "s_endpgm",
        )
    )
    assert [p.vgpr for p in found.by_instruction] == [2, 3, 3, 2, 0]
    assert [p.sgpr for p in found.by_instruction] == [2, 2, 2, 2, 0]
    assert (found.peak, found.at_peak) == (1, Pressure(3, 0, 2))
    assert found.caveats == ()


def test_what_is_written_and_never_read_still_takes_a_register() -> None:
    found = register_pressure(program("v_mov_b32_e32 v[0:3], 0", "s_endpgm"))
    assert found.at_peak.vgpr == 4


def test_a_loop_keeps_what_its_next_round_needs() -> None:
    found = register_pressure(
        program(
            "v_mov_b32_e32 v1, 0",
            "v_add_f32_e32 v1, v1, v2",  # v2 is read again in the next round
            "v_mov_b32_e32 v3, 0",
            "s_cbranch_scc1 65533",  # to the addition
            "s_endpgm",
        )
    )
    assert [p.vgpr for p in found.by_instruction] == [2, 2, 3, 2, 0]


def test_a_value_that_one_way_needs_is_live_before_the_branch() -> None:
    found = register_pressure(
        program(
            "s_cbranch_scc1 2",
            "v_mov_b32_e32 v5, 0",
            "s_branch 1",
            "v_mov_b32_e32 v5, v9",
            "global_store_dword v0, v5, s[0:1]",
            "s_endpgm",
        )
    )
    assert [p.vgpr for p in found.by_instruction] == [2, 2, 2, 2, 2, 0]
    assert found.by_instruction[1].vgpr == 2  # v0 and v5: v9 is for the other way


def test_lines_show_each_at_its_worst() -> None:
    first, second = (
        program("v_add_f32_e32 v3, v1, v2", source="b.h:7 -> a.hip:4")[0],
        Line(4, "global_store_dword v0, v3, s[0:1]", "a.hip:5"),
    )
    found = register_pressure([first, second, Line(8, "s_endpgm", "a.hip:0")])
    assert [(line.source, line.pressure.vgpr) for line in found.lines] == [
        ("b.h:7", 3),
        ("a.hip:5", 2),
    ]


@pytest.mark.parametrize(
    ("text", "caveat"),
    [
        ("s_swappc_b64 s[30:31], s[4:5]", CALLS),
        ("s_setpc_b64 s[30:31]", JUMPS),
        ("s_branch 9999", JUMPS),
        ("s_cbranch_scc0 BB0_1", JUMPS),
        ("v_movrels_b32_e32 v0, v1", INDEXES),
    ],
)
def test_what_cannot_be_followed_is_said(text: str, caveat: str) -> None:
    assert register_pressure(program(text, "s_endpgm")).caveats == (caveat,)


def test_an_empty_listing_says_nothing() -> None:
    with pytest.raises(ValueError, match="listing is empty"):
        register_pressure([])


def targets(lines: list[Line], position: int) -> list[int]:
    """Where the program may go on, worked out anew."""
    opcode, _, operand = lines[position].text.partition(" ")
    follows = [] if opcode in ("s_endpgm", "s_branch") else [position + 1]
    if "branch" in opcode:
        distance = int(operand)
        follows.append(position + 1 + (distance - 65536 if distance > 32767 else distance))
    return [p for p in follows if p < len(lines)]


def is_live(lines: list[Line], position: int, register: int, seen: set[int]) -> bool:
    """Whether a way from here reads the register before it writes it: by walking all ways."""
    if position in seen:
        return False
    seen.add(position)
    effect = register_effect(lines[position].text)
    if effect.reads & register:
        return True
    if effect.writes & register:
        return False
    return any(is_live(lines, p, register, seen) for p in targets(lines, position))


names = st.sampled_from(["v0", "v1", "v2", "v3"])
steps = st.one_of(
    st.tuples(st.just("v_add_f32_e32"), names, names, names),
    st.tuples(st.just("v_mov_b32_e32"), names, st.just("0")),
    st.tuples(st.just("global_store_dword"), names, names, st.just("off")),
    st.tuples(st.sampled_from(["s_branch", "s_cbranch_vccz"]), st.integers(0, 11)),
    st.tuples(st.just("s_endpgm")),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(steps, min_size=1, max_size=11))
def test_random_programs_against_walking_all_ways(made: list[tuple[object, ...]]) -> None:
    texts = []
    for position, (opcode, *operands) in enumerate(made):
        if "branch" in str(opcode):
            target = int(str(operands[0])) % (len(made) + 1)
            operands = [(target - position - 1) % 65536]
        texts.append(f"{opcode} {', '.join(map(str, operands))}".strip())
    lines = program(*texts, "s_endpgm")
    found = register_pressure(lines)
    assert found.caveats == ()
    registers = [register_bits(f"v{n}") for n in range(4)]
    for position, pressure in enumerate(found.by_instruction):
        before = sum(is_live(lines, position, r, set()) for r in registers)
        written = register_effect(lines[position].text).writes
        after = sum(
            bool(written & r) or any(is_live(lines, p, r, set()) for p in targets(lines, position))
            for r in registers
        )
        assert pressure.vgpr == max(before, after)


ASSEMBLY = """\
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  global_load_dwordx4 v[4:7], v1, s[4:5]
  v_mov_b32_e32 v8, 0
  s_mov_b32 s6, 10
loop:
  s_waitcnt vmcnt(0)
  v_pk_fma_f32 v[4:5], v[4:5], v[6:7], v[4:5]
  v_add_f32_e32 v8, v8, v4
  s_add_i32 s6, s6, -1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 loop
  global_store_dword v1, v8, s[4:5]
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 9
  .amdhsa_next_free_sgpr 7
  .amdhsa_accum_offset 12
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 7
    .vgpr_count: 9
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
"""
SOURCE = """\
kernel void sum(global float* restrict x, global const float* y, int n) {
  int i = __builtin_amdgcn_workitem_id_x();
  float total = 0;
  for (int k = 0; k < n; k++) total += y[i * n + k] * x[k];
  if (total > 4.0f) total = total * y[i] + x[i];
  x[i] = total;
}
kernel void crowded(global int* x, int n) {
  int kept[40];
  x += __builtin_amdgcn_workitem_id_x();
  for (int i = 0; i < 40; i++) kept[i] = x[i * n];
  for (int r = 0; r < n; r++)
    for (int i = 0; i < 40; i++) kept[i] = (kept[i] >> 1) ^ kept[(i + 7) % 40];
  for (int i = 0; i < 40; i++) x[i * n] = kept[i];
}
"""


def built(folder: Path, name: str, text: str, *options: str) -> CodeObjectFile:
    source, output = folder / name, folder / "code.co"
    source.write_text(text)
    command = [str(LLVM / "bin" / "clang"), "-target", "amdgcn-amd-amdhsa", "-nogpulib"]
    subprocess.run([*command, *options, str(source), "-o", str(output)], check=True)
    (found,) = read_code_objects(output)
    return found


def listings(code: CodeObjectFile, folder: Path) -> dict[str, tuple[Instruction, ...]]:
    (folder / "llvm").symlink_to(LLVM)
    prefix = Prefix(folder, "rocm", "test")
    return {kernel.name: disassemble(prefix, code, kernel) for kernel in code.kernels}


@with_llvm
@pytest.mark.native
def test_assembly_by_hand(tmp_path: Path) -> None:
    code = built(tmp_path, "k.s", ASSEMBLY, "-mcpu=gfx942")
    listing = listings(code, tmp_path)["k"]
    found = register_pressure(listing)
    live = {entry.text: p for entry, p in zip(listing, found.by_instruction)}
    assert live["s_load_dwordx2 s[4:5], s[0:1], 0x0"] == Pressure(1, 0, 2)  # v0; then s[4:5]
    assert live["v_lshlrev_b32_e32 v1, 4, v0"].vgpr == 1
    assert live["global_load_dwordx4 v[4:7], v1, s[4:5]"].vgpr == 5
    # v1 for the store, v[4:7] for the next round, v8; s[4:5] and the count.
    assert live["v_add_f32_e32 v8, v8, v4"] == Pressure(6, 0, 3)
    assert live["global_store_dword v1, v8, s[4:5]"] == Pressure(2, 0, 2)
    assert (found.at_peak, found.peak_sgpr, found.caveats) == (Pressure(6, 0, 2), 3, ())
    assert listing[found.peak].text == "v_mov_b32_e32 v8, 0"


@with_llvm
@pytest.mark.native
@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1030", "gfx1100"])
def test_never_above_what_the_kernel_was_given(target: str, tmp_path: Path) -> None:
    options = [f"-mcpu={target}", "-cl-std=CL2.0", "-O2", "-gline-tables-only"]
    code = built(tmp_path, "kernels.cl", SOURCE, *options)
    made = listings(code, tmp_path)
    for kernel in code.kernels:
        found = register_pressure(made[kernel.name])
        assert found.at_peak.vectors <= kernel.arch_vgpr + kernel.accum_vgpr
        assert found.peak_sgpr <= kernel.sgpr
        # Compilers give little more than what is live, and nothing is live at the beginning
        # that the hardware does not set: the work-item, and a few scalars.
        assert found.at_peak.vectors >= 0.7 * kernel.arch_vgpr
        assert found.by_instruction[0].vgpr <= 1
        assert found.caveats == ()
        assert found.lines[0].pressure.vectors == found.at_peak.vectors
    assert register_pressure(made["crowded"]).at_peak.vectors >= 40
