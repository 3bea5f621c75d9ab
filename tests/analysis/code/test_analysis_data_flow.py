"""What an instruction takes for its address, what as a value, and what no text names."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.code.data_flow import EXEC, flow_of
from rocm_perf_lab.analysis.code.register_operands import operands_of, register_numbers

_S = 2048  # the number of s0
_VCC = (_S + 106, _S + 107)


@pytest.mark.parametrize(
    ("text", "writes", "address", "values", "size"),
    [
        ("global_load_ubyte v17, v[42:43], off", (17,), (42, 43), (), 1),
        ("global_load_dword v1, v2, s[4:5] offset:16", (1,), (2, _S + 4, _S + 5), (), 4),
        ("global_store_dwordx2 v[0:1], v[2:3], off", (), (0, 1), ((2, 3),), 8),
        ("global_atomic_add v2, v3, v4, s[0:1] sc0", (2,), (3, _S, _S + 1), ((4,),), 4),
        ("global_load_short_d16_hi v1, v2, s[4:5]", (1,), (2, _S + 4, _S + 5), (), 2),
        ("buffer_store_short v0, v1, s[0:1], 0 offen", (), (1, _S, _S + 1), ((0,),), 2),
        ("buffer_load_dwordx4 v[4:7], v1, s[0:1], 0", (4, 5, 6, 7), (1, _S, _S + 1), (), 16),
        ("ds_read2_b32 v[0:1], v5 offset1:1", (0, 1), (5,), (), 4),
        ("ds_read_u8 v0, v5", (0,), (5,), (), 1),
        ("ds_write_b64 v1, v[2:3]", (), (1,), ((2, 3),), 8),
        ("ds_bpermute_b32 v15, v6, v13", (15,), (6,), ((13,),), 4),
        ("ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)", (0,), (), ((1,),), 4),
        ("s_load_dwordx2 s[0:1], s[4:5], 0x0", (_S, _S + 1), (_S + 4, _S + 5), (), 4),
    ],
)
def test_addresses_are_told_from_values(
    text: str,
    writes: tuple[int, ...],
    address: tuple[int, ...],
    values: tuple[tuple[int, ...], ...],
    size: int,
) -> None:
    flow = flow_of(text)
    assert (flow.writes, flow.address, flow.lane_bytes) == (writes, address, size)
    assert flow.sources == values
    assert flow.is_load is bool(writes)


def test_what_is_added_to_is_read_behind_the_factors() -> None:
    assert flow_of("v_fmac_f32_e32 v1, v2, v3").sources == ((2,), (3,), (1,))
    assert flow_of("v_fmac_f32_e32 v1, v1, v3").sources == ((1,), (3,), (1,))
    assert flow_of("v_fma_f32 v1, v2, v3, v4").sources == ((2,), (3,), (4,))
    assert flow_of("v_fmaak_f32 v1, v2, v1, 0x3d2aabf7").sources == ((2,), (1,), ())
    assert not flow_of("v_fma_f32 v1, v2, v3, v4").is_load


def test_masks_have_numbers() -> None:
    assert flow_of("v_cmp_gt_u32_e32 vcc, v1, v2").writes == _VCC
    assert _VCC in flow_of("v_cndmask_b32_e32 v0, v1, v2, vcc").sources
    assert flow_of("s_cbranch_vccnz 5").sources[-1] == _VCC
    assert flow_of("s_cbranch_execz 5").sources[-1] == EXEC
    saved = flow_of("s_and_saveexec_b64 s[0:1], vcc")
    assert set(saved.writes) == {_S, _S + 1, *EXEC}
    assert {_VCC, EXEC} <= set(saved.sources)
    assert set(EXEC) <= set(flow_of("s_andn2_b64 exec, exec, s[12:13]").writes)
    assert set(EXEC) <= set(flow_of("v_cmpx_gt_u32_e32 v1, v2").writes)


def test_operands_are_texts() -> None:
    found = operands_of("v_addc_co_u32_e32 v1, vcc, 0, v2, vcc")
    assert (found.written, found.read) == (("v1", "vcc"), ("0", "v2", "vcc"))
    assert operands_of("s_endpgm").read == ()
    assert register_numbers(0b1011) == (0, 1, 3)
    assert register_numbers(0) == ()
