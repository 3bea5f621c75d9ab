"""Classes of instructions, against the encodings of gfx942 and against what a decoder said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fakes.recordings import Known
from rocm_perf_lab.analysis.code.instruction_mix import (
    InstructionClass,
    instruction_class,
    instruction_mix,
)
from rocm_perf_lab.trace.thread_trace.model import CodeLine
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

C = InstructionClass
TABLES = Path(__file__).resolve().parents[3] / "native" / "vgpu" / "isa" / "tables"
ENCODINGS = {
    "ds": {C.LDS},
    "flat": {C.VMEM},
    "global": {C.VMEM},
    "scratch": {C.VMEM},
    "mubuf": {C.VMEM},
    "mtbuf": {C.VMEM},
    "smem": {C.SMEM},
    "sop1": {C.SALU, C.BRANCH},
    "sop2": {C.SALU, C.BRANCH},
    "sopc": {C.SALU},
    "sopk": {C.SALU, C.BRANCH},
    "sopp": {C.SYNC, C.BRANCH, C.SALU},
    "vop1": {C.VALU},
    "vop2": {C.VALU},
    "vopc": {C.VALU},
    "vop3": {C.VALU},
    "vop3p": {C.VALU, C.MFMA},
}
# Categories of thread traces (rocprof-trace-decoder).
CATEGORIES = {
    1: {C.SMEM}, 2: {C.SALU}, 3: {C.VMEM}, 4: {C.VMEM}, 5: {C.LDS}, 6: {C.VALU, C.MFMA},
    7: {C.BRANCH}, 8: {C.BRANCH}, 9: {C.SYNC}, 11: {C.BRANCH, C.SYNC},
}  # fmt: skip


@pytest.mark.parametrize(("encoding", "allowed"), ENCODINGS.items())
def test_every_mnemonic_of_gfx942_has_the_class_of_its_encoding(
    encoding: str, allowed: set[InstructionClass]
) -> None:
    text = (TABLES / f"{encoding}.inc").read_text()
    mnemonics = re.findall(r"^\w+\(0x[0-9a-f]+, (\w+)", text, re.MULTILINE)
    assert mnemonics
    assert {m: instruction_class(m) for m in mnemonics if instruction_class(m) not in allowed} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", C.MFMA),
        ("v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", C.MFMA),
        ("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", C.MFMA),
        ("v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20", C.MFMA),
        ("v_accvgpr_read_b32 v0, a0", C.VALU),
        ("v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5", C.VALU),
        ("s_cbranch_scc1 65532", C.BRANCH),
        ("s_branch 58", C.BRANCH),
        ("s_endpgm", C.BRANCH),
        ("s_swappc_b64 s[30:31], s[4:5]", C.BRANCH),
        ("s_getpc_b64 s[0:1]", C.SALU),
        ("s_add_u32 s0, s1, s2", C.SALU),
        ("s_load_dwordx2 s[2:3], s[0:1], 0x0", C.SMEM),
        ("s_buffer_load_dword s0, s[4:7], 0x0", C.SMEM),
        ("s_waitcnt vmcnt(0)", C.SYNC),
        ("s_wait_loadcnt 0x0", C.SYNC),
        ("s_barrier", C.SYNC),
        ("s_barrier_signal -1", C.SYNC),
        ("s_nop 0", C.SYNC),
        ("s_sleep 1", C.SYNC),
        ("buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen", C.VMEM),
        ("scratch_store_dword off, v0, s32", C.VMEM),
        ("image_sample v[0:3], v[4:5], s[0:7], s[8:11]", C.VMEM),
        ("ds_write_b16 v0, v1", C.LDS),
        ("exp mrt0 v0, v0, v0, v0 done vm", C.OTHER),
        ("", C.OTHER),
    ],
)
def test_classes(text: str, expected: InstructionClass) -> None:
    assert instruction_class(text) is expected


@pytest.mark.parametrize("dispatch", [1, 2])
def test_classes_are_those_of_the_decoder(dispatch: int, known: Known) -> None:
    parent = known("mi300x-batched-gemm-trace")
    trace = read_thread_trace(parent / f"ui_output_agent_5600_dispatch_{dispatch}")
    texts = {line.line: line.text for line in trace.code}
    seen = {
        (category, texts[line])
        for wave in trace.waves
        for category, line in zip(wave.steps.category.tolist(), wave.steps.line.tolist())
    }
    assert {category for category, _ in seen} >= {1, 2, 6, 7, 8, 9, 11}
    for category, text in seen:
        assert instruction_class(text) in CATEGORIES[category], text


def line(text: str, hits: int, latency: int) -> CodeLine:
    return CodeLine(text, 0, "", 0, 0, hits, latency, 0, 0)


def test_shares_are_by_executions_and_not_by_rows() -> None:
    mix = instruction_mix(
        [
            line("v_nop", 9, 10),
            line("s_nop 0", 1, 30),
            line("s_barrier", 0, 0),
            line("ds_nop", 0, 0),
        ]
    )
    assert mix.hit_share(C.VALU) == 0.9
    assert mix.latency_share(C.VALU) == 0.25
    assert mix.hit_share(C.LDS) == 0
    assert mix.opcode_latency_share("s_nop") == 0.75
    assert list(mix.by_opcode) == ["v_nop", "s_nop"]
    assert set(mix.by_class) == {C.VALU, C.SYNC}
    with pytest.raises(ValueError, match="no instruction was executed"):
        instruction_mix([line("v_nop", 0, 0)])
