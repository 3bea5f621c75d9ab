"""LDS behind the allocation reads as 0 and takes no writes, and s_sleep moves a wave's clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exec_support import Buffer, assembly_kernel, build, needs_harness

pytestmark = needs_harness

# 256 bytes of LDS hold 7 everywhere; lanes from 32 on start behind them. v4 and up are results.
BODY = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, 7
  v_mov_b32 v3, 7
  ds_write_b32 v1, v2
  v_lshlrev_b32 v1, 3, v0          // lanes 0 to 31 inside
  v_mov_b32 v10, 5
  v_mov_b32 v11, 5
  ds_read_b32 v4, v1
  ds_add_rtn_u32 v5, v1, v10 offset:4
  ds_read_b64 v[6:7], v1 offset:4  // lane 31 reaches over the end: outside as a whole
  ds_read2_b32 v[8:9], v1 offset1:63
  ds_write_b64 v1, v[10:11] offset:8
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
  ds_read_b32 v10, v1
  s_memtime s[8:9]
  s_sleep 100
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s8, s10, s8
  v_mov_b32 v11, s8
  v_lshlrev_b32 v1, 5, v0
  global_store_dwordx4 v1, v[4:7], s[4:5]
  global_store_dwordx4 v1, v[8:11], s[4:5] offset:16
  s_endpgm
"""


def test_outside_reads_zero_and_drops_writes(tmp_path: Path) -> None:
    code = build(assembly_kernel("outside", BODY, lds=256), tmp_path, "assembler")
    out = Buffer(np.full((64, 8), 99, np.uint32))
    code.run("outside", 64, 64, [out])
    read, added, low, high, first, second, after, slept = out.array.T
    inside = np.arange(64) < 32
    assert read.tolist() == np.where(inside, 7, 0).tolist()
    assert added.tolist() == np.where(inside, 7, 0).tolist()
    whole = np.arange(64) < 31
    assert low.tolist() == np.where(whole, 12, 0).tolist()
    assert high.tolist() == np.where(whole, 7, 0).tolist()
    assert first.tolist() == np.where(inside, 7, 0).tolist()
    assert second.tolist() == [12] + [0] * 63  # 252 bytes further: inside for lane 0 alone
    assert after.tolist() == [7, 12] + [5] * 62
    assert 6400 <= slept[0] < 6500
