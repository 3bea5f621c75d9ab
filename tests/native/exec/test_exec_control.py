"""Flow of control, register indexing, hardware registers and what a wave starts with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exec_support import Buffer, assembly_kernel, build, needs_harness

pytestmark = needs_harness

LOAD = "  s_load_dwordx4 s[4:7], s[0:1], 0x0\n  s_waitcnt lgkmcnt(0)\n  v_lshlrev_b32 v1, 2, v0\n"
STORE = "  global_store_dword v1, v2, s[6:7]\n  s_endpgm\n"


def _run(tmp_path: Path, body: str, lanes: int = 64) -> np.ndarray:
    code = build(assembly_kernel("kernel", LOAD + body + STORE), tmp_path, "assembler")
    data, out = Buffer(np.arange(64, dtype=np.uint32)), Buffer(np.zeros(64, np.uint32))
    code.run("kernel", lanes, 64, [data, out])
    return out.array.copy()


def test_loops_branch_on_scc_vcc_and_exec(tmp_path: Path) -> None:
    body = """
  v_mov_b32 v2, 0
  s_mov_b32 s8, 0
loop:
  s_add_u32 s8, s8, 1
  v_cmp_gt_u32 vcc, s8, v0         // lanes below the counter leave the loop
  s_cbranch_vccz go_on             // nobody leaves: cannot happen here
  s_andn2_b64 exec, exec, vcc
go_on:
  v_add_u32 v2, v2, 1
  s_cmp_lt_u32 s8, 10
  s_cbranch_scc1 loop
  s_mov_b64 exec, -1
"""
    assert _run(tmp_path, body).tolist() == [min(i, 10) for i in range(64)]


def test_calls_and_jumps(tmp_path: Path) -> None:
    body = """
  s_getpc_b64 s[8:9]
here:
  s_add_u32 s8, s8, far-here
  s_addc_u32 s9, s9, 0
  v_mov_b32 v2, 1
  s_swappc_b64 s[30:31], s[8:9]
  s_call_b64 s[30:31], near
  s_branch done
near:
  v_add_u32 v2, 100, v2
  s_setpc_b64 s[30:31]
far:
  v_lshlrev_b32 v2, 4, v2
  s_setpc_b64 s[30:31]
done:
"""
    assert set(_run(tmp_path, body).tolist()) == {116}


def test_straight_code_runs_to_its_end_however_long_it_is(tmp_path: Path) -> None:
    """Some instructions are decoded at once; behind them others are, and behind jumps to there."""
    for count in (255, 256, 257, 700):
        body = "  v_mov_b32 v2, 0\n" + "  v_add_u32 v2, 1, v2\n" * count
        assert set(_run(tmp_path, body).tolist()) == {count}
    body = "  v_mov_b32 v2, 0\n" + "  s_branch 0\n  v_add_u32 v2, 1, v2\n" * 300
    assert set(_run(tmp_path, body).tolist()) == {300}


def test_a_jump_into_an_instruction_finds_another_one(tmp_path: Path) -> None:
    """0x68040481 is v_add_u32 v2, 1, v2; as a literal it is a value, and behind it code goes on."""
    body = """
  v_mov_b32 v2, 0
  s_mov_b32 s8, 3
  s_mov_b32 s10, 0
again:
  s_sub_u32 s8, s8, 1
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 inside
  s_mov_b32 s9, 0x68040481
inside = .-4
  s_add_u32 s10, s10, 1
  s_cmp_lt_u32 s10, 3
  s_cbranch_scc1 again
"""
    assert set(_run(tmp_path, body).tolist()) == {1}


def test_fork_and_join_run_both_paths(tmp_path: Path) -> None:
    body = """
  v_cmp_gt_u32 vcc, 20, v0
  s_mov_b64 s[22:23], vcc
  s_cbranch_i_fork s[22:23], taken
  v_mov_b32 v2, 7
  s_branch meet
taken:
  v_mov_b32 v2, 9
meet:
  s_cbranch_join s28               // s28 is 0: the level before the fork
  s_mov_b64 exec, -1               // the second path leaves only its own lanes on
"""
    assert _run(tmp_path, body).tolist() == [9] * 20 + [7] * 44


def test_register_indexing(tmp_path: Path) -> None:
    body = """
  v_mov_b32 v10, 50
  v_mov_b32 v11, 60
  v_mov_b32 v12, 70
  s_mov_b32 s8, 2
  s_set_gpr_idx_on s8, gpr_idx(SRC0)
  v_mov_b32 v2, v10                // reads v12
  s_set_gpr_idx_idx 1
  v_add_u32 v2, v10, v2            // v11 + 70; only the first source moves
  s_set_gpr_idx_mode gpr_idx(DST)
  v_mov_b32 v19, v2                // writes v20
  s_set_gpr_idx_off
  v_add_u32 v2, v20, v10           // 130 + 50
"""
    assert set(_run(tmp_path, body).tolist()) == {180}


def test_relative_scalar_moves_and_vector_skip(tmp_path: Path) -> None:
    body = """
  s_mov_b32 s20, 5
  s_mov_b32 s21, 6
  s_mov_b32 m0, 1
  s_movrels_b32 s8, s20            // s21
  s_movreld_b32 s21, s8            // s22
  v_mov_b32 v2, s22
  s_setvskip 1, 0
  v_mov_b32 v2, 99                 // skipped
  s_setvskip 0, 0
"""
    assert set(_run(tmp_path, body).tolist()) == {6}


def test_mode_and_other_hardware_registers(tmp_path: Path) -> None:
    body = """
  s_getreg_b32 s8, hwreg(HW_REG_MODE, 4, 4)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
  s_getreg_b32 s9, hwreg(HW_REG_MODE, 0, 4)
  s_getreg_b32 s10, hwreg(HW_REG_XCC_ID)
  s_lshl_b32 s9, s9, 8
  s_lshl_b32 s10, s10, 16
  s_or_b32 s8, s8, s9
  s_or_b32 s8, s8, s10
  v_mov_b32 v2, s8
"""
    assert set(_run(tmp_path, body).tolist()) == {
        0x030C
    }  # f32 denormals are off in this kernel's descriptor


HARDWARE_ID = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_getreg_b32 s8, hwreg(HW_REG_HW_ID)
  s_getreg_b32 s9, hwreg(HW_REG_LDS_ALLOC, 12, 9)
  v_mov_b32 v4, s8
  v_mov_b32 v5, s9
  s_lshl_b32 s6, s2, 3
  v_mov_b32 v2, s6
  s_waitcnt lgkmcnt(0)
  global_store_dwordx2 v2, v[4:5], s[4:5]
  s_endpgm
"""


def test_a_wave_knows_where_it_runs(tmp_path: Path) -> None:
    """Workgroups go round the XCDs, there round four shader engines, and there over their CUs."""
    kernel = assembly_kernel("where", HARDWARE_ID, lds=1000)  # two granules of 512 bytes
    groups = 8 * 38
    out = Buffer(np.zeros((groups, 2), np.uint32))
    build(kernel, tmp_path, "assembler").run("where", groups, 1, [out])
    found = [(int(word) >> 13 & 7, int(word) >> 8 & 15) for word in out.array[:, 0]]
    assert found == [(group // 8 % 4, group // 8 // 4) for group in range(groups)]
    assert set(out.array[:, 1].tolist()) == {2}


def test_clocks_advance(tmp_path: Path) -> None:
    body = """
  s_memtime s[8:9]
  s_waitcnt lgkmcnt(0)
  s_nop 15
  s_nop 15
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s8, s10, s8
  v_mov_b32 v2, s8
"""
    (elapsed,) = set(_run(tmp_path, body).tolist())
    assert 32 <= elapsed < 100


def test_partial_waves_and_groups_leave_other_lanes_alone(tmp_path: Path) -> None:
    assert _run(tmp_path, "  v_mov_b32 v2, 3\n", lanes=37).tolist() == [3] * 37 + [0] * 27


IDS = """
kernel void ids(global uint* out) {
  uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
       z = __builtin_amdgcn_workitem_id_z();
  uint gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(),
       gz = __builtin_amdgcn_workgroup_id_z();
  uint X = gx * 5 + x, Y = gy * 3 + y, Z = gz * 7 + z;
  out[X + 11 * (Y + 8 * Z)] = x | y << 4 | z << 8 | gx << 12 | gy << 16 | gz << 20;
}
"""


def test_ids_in_three_dimensions_with_partial_groups(tmp_path: Path) -> None:
    code = build(IDS, tmp_path)
    grid = (11, 8, 9)
    out = Buffer(np.zeros(grid[0] * grid[1] * grid[2], np.uint32))
    code.run("ids", grid, (5, 3, 7), [out])
    expected: list[int] = []
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                local = x % 5 | y % 3 << 4 | z % 7 << 8
                expected.append(local | x // 5 << 12 | y // 3 << 16 | z // 7 << 20)
    assert out.array.tolist() == expected


PACKET = """
kernel void packet(global ulong* out) {
  constant uint* p = (constant uint*)__builtin_amdgcn_dispatch_ptr();
  out[0] = p[3];
  out[1] = p[1] & 0xffff;
}
"""


def test_dispatch_packet(tmp_path: Path) -> None:
    code = build(PACKET, tmp_path)
    out = Buffer(np.zeros(2, np.uint64))
    code.run("packet", 192, 64, [out])
    assert out.array.tolist() == [192, 64]


PRELOAD = """
kernel void preload(global uint* out, ulong a, ulong b) {
  out[__builtin_amdgcn_workgroup_id_x()] = (uint)a + (uint)b + __builtin_amdgcn_workgroup_id_x();
}
"""


def test_preloaded_arguments(tmp_path: Path) -> None:
    flags = ["-mllvm", "-amdgpu-kernarg-preload-count=8"]
    code = build(PRELOAD, tmp_path, flags=flags)
    out = Buffer(np.zeros(3, np.uint32))
    code.run("preload", 3, 1, [out, 1000, 200])
    assert out.array.tolist() == [1200, 1201, 1202]
