"""G3: what a version asks to see of its launch, and instructions that only tell or wait."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rocm_perf_lab.codeobject import CodeObjectFile, read_code_objects
from rocm_perf_lab.collect.disassembly import disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.guards.artifact import Artifact, Launch, artifact_of, check_artifact
from rocm_perf_lab.optimize.guards.instruction_counts import count_instructions

CONSTANT = "__attribute__((address_space(4)))"
# By the name of the kernel: the body and what is said of it beside ``out[i] = in[i]``.
BODIES = {
    "packet": (
        f"out[i] = ((const {CONSTANT} int*)__builtin_amdgcn_dispatch_ptr())[12];",
        ("dispatch", "it asks for dispatch_ptr, which tells launches apart"),
    ),
    "queue": (
        f"out[i] = ((const {CONSTANT} int*)__builtin_amdgcn_queue_ptr())[2];",
        ("dispatch", "it asks for hidden_queue_ptr, which tells launches apart"),
    ),
    "hidden": (
        f"out[i] = ((const {CONSTANT} int*)__builtin_amdgcn_implicitarg_ptr())[50];",
        ("dispatch", "it asks for hidden_queue_ptr, which tells launches apart"),
    ),
    "heap": (
        f"out[i] = ((const {CONSTANT} int*)__builtin_amdgcn_implicitarg_ptr())[24];",
        ("host-calls", "it asks for hidden_heap_v1: it prints, allocates or calls the host"),
    ),
    "timed": (
        "out[i] = __builtin_readcyclecounter();",
        ("instruction", "s_memtime is new, and tells or changes timing or place, not results"),
    ),
    "placed": (
        "out[i] = __builtin_amdgcn_s_getreg(63508);",
        (
            "instruction",
            "s_getreg_b32 HW_REG_XCC_ID is new, and tells or changes timing or place, not results",
        ),
    ),
    "trapped": (
        "if (n < 0) __builtin_trap(); out[i] = in[i];",
        ("instruction", "s_trap is new, and tells or changes timing or place, not results"),
    ),
    "sizes": ("out[i] = in[i] + blockDim.x + gridDim.y + blockDim.z;", None),
    "divides": ("out[i] = in[i] / in[i + 1] + sqrtf(in[i]);", None),
    "table": ("static const float t[4] = {1, 2, 3, 4}; out[i] = in[i] * t[n & 3];", None),
    "generic": (
        "__shared__ float s[64]; s[i] = in[i]; float* p = n > 3 ? s : out; p[i] = 1.0f;"
        " out[i] = s[i ^ 1];",
        None,
    ),
    "called": ("out[i] = half_of(in[i], n) + half_of(in[i + 1], n + 1);", None),
}
HEAD = """#include <hip/hip_runtime.h>
__device__ __noinline__ float half_of(float x, int n) { return n > 0 ? x * 0.5f : x; }
"""


def program(bodies: Sequence[tuple[str, str]]) -> str:
    return HEAD + "".join(
        f'extern "C" __global__ void {name}(float* out, const float* in, int n) {{\n'
        f"  int i = threadIdx.x;\n  {body}\n}}\n"
        for name, body in bodies
    )


class Codes:
    def __init__(self, prefix: Prefix, folder: Path) -> None:
        self._prefix = prefix
        self._folder = folder
        self.before = self._build("before", [(name, "out[i] = in[i];") for name in BODIES])
        self.after = self._build("after", [(name, body) for name, (body, _) in BODIES.items()])

    def _build(self, name: str, bodies: Sequence[tuple[str, str]]) -> CodeObjectFile:
        source, output = self._folder / f"{name}.hip", self._folder / f"{name}.co"
        source.write_text(program(bodies))
        hipcc = str(self._prefix.tool("hipcc"))
        subprocess.run([hipcc, "--genco", "-O3", str(source), "-o", str(output)], check=True)
        return read_code_objects(output)[0]

    def artifact(self, code: CodeObjectFile, name: str) -> Artifact:
        kernel = code.kernel(name)
        assert kernel is not None
        listing = [one.text for one in disassemble(self._prefix, code, kernel)]
        found = artifact_of(code, name, listing)
        assert found is not None
        return found


@pytest.fixture(scope="module")
def codes(rocm: Prefix, tmp_path_factory: pytest.TempPathFactory) -> Codes:
    return Codes(rocm, tmp_path_factory.mktemp("artifacts"))


@pytest.mark.native
@pytest.mark.parametrize("name", BODIES)
def test_what_is_said_of_each(codes: Codes, name: str) -> None:
    before, after = codes.artifact(codes.before, name), codes.artifact(codes.after, name)
    found = [
        (refusal.reason, refusal.message)
        for refusal in check_artifact(before, after, Launch(64)).refusals
        if refusal.reason != "no-loads"
    ]
    expected = BODIES[name][1]
    assert found == ([] if expected is None else [expected])


@pytest.mark.native
@pytest.mark.parametrize("name", BODIES)
def test_what_the_original_has_stays_allowed(codes: Codes, name: str) -> None:
    after = codes.artifact(codes.after, name)
    assert check_artifact(after, after, Launch(64)).refusals == ()


@pytest.mark.native
def test_each_register_of_the_launcher_is_told(codes: Codes) -> None:
    """Also those for which this compiler has no builtin."""
    plain = codes.artifact(codes.before, "sizes")
    assert plain.kernel.descriptor is not None
    for bit, name in ((1, "dispatch_ptr"), (2, "queue_ptr"), (4, "dispatch_id")):
        descriptor = replace(plain.kernel.descriptor, properties=8 | 1 << bit)
        asking = replace(plain, kernel=replace(plain.kernel, descriptor=descriptor))
        (refusal,) = check_artifact(plain, asking, Launch(64)).refusals
        assert refusal.message == f"it asks for {name}, which tells launches apart"


TIMING = {
    "s_memrealtime s[0:1]": "s_memrealtime",
    "s_getreg_b32 s4, hwreg(HW_REG_HW_ID, 0, 32)": "s_getreg_b32 HW_REG_HW_ID",
    "s_getreg_b32 s4, hwreg(HW_REG_MODE)": "s_getreg_b32 HW_REG_MODE",
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5": "s_setreg_imm32_b32 HW_REG_MODE",
    "s_sendmsg sendmsg(MSG_INTERRUPT)": "s_sendmsg",
    "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)": "s_sendmsg_rtn_b64",
    "s_cbranch_cdbgsys 4": "s_cbranch_cdbgsys",
    "s_mov_b32 s0, ttmp11": "ttmp",
    "s_mov_b64 s[0:1], ttmp[4:5]": "ttmp",
    "s_mov_b32 s0, src_pops_exiting_wave_id": "src_pops_exiting_wave_id",
}


@pytest.mark.parametrize("text", TIMING)
def test_instructions_that_only_tell_or_wait(text: str) -> None:
    assert count_instructions([text]).timing == {TIMING[text]}


@pytest.mark.parametrize(
    "text",
    [
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
        "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
        "s_mov_b64 s[2:3], src_shared_base",
        "s_getpc_b64 s[0:1]",
        "s_mov_b32 s0, tmabc",
        "s_barrier",
    ],
)
def test_what_compilers_write_by_themselves(text: str) -> None:
    assert count_instructions([text]).timing == frozenset()


def test_another_register_than_the_originals_is_new() -> None:
    mode = count_instructions(["s_getreg_b32 s0, hwreg(HW_REG_MODE)"]).timing
    place = count_instructions(["s_getreg_b32 s0, hwreg(HW_REG_XCC_ID)"]).timing
    assert place - mode == {"s_getreg_b32 HW_REG_XCC_ID"}
