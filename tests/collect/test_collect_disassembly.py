"""Kernels that clang made, disassembled: whole, with source lines, and what the code shows."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from llvm_support import LLVM, NEEDS_LLVM, llvm_prefix

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, instruction_class
from rocm_perf_lab.analysis.code.static_code import static_code
from rocm_perf_lab.codeobject import CodeObjectFile, read_code_objects
from rocm_perf_lab.collect.disassembly import DISASSEMBLER, disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ToolFailed, ToolMissing

C = InstructionClass
SOURCE = """\
kernel void axpy(global float* restrict x, global const float* y, float a) {
  int i = __builtin_amdgcn_workitem_id_x();
  x[i] += a * y[i];
}
kernel void crowded(global int* x, int n) {
  int kept[64];
  for (int i = 0; i < n; i++) kept[i & 63] = x[i];
  x[n] = kept[n & 63];
}
"""
ASSEMBLY = """\
.amdhsa_code_object_version 5
.globl k
.p2align 8
.type k,@function
k:
  s_mov_b32 s6, 10
  .rept 8
  s_nop 0
  .endr
loop:
  s_add_i32 s6, s6, -1
  s_cbranch_scc1 loop
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 7
  .amdhsa_accum_offset 4
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {.name: k, .symbol: k.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64,
     .sgpr_count: 7, .vgpr_count: 1, .max_flat_workgroup_size: 256}
...
.end_amdgpu_metadata
"""
pytestmark = NEEDS_LLVM


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Prefix:
    return llvm_prefix(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def code_object(tmp_path_factory: pytest.TempPathFactory) -> CodeObjectFile:
    folder = tmp_path_factory.mktemp("code")
    source, output = folder / "kernels.cl", folder / "kernels.co"
    source.write_text(SOURCE)
    target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-cl-std=CL2.0"]
    options = [*target, "-O2", "-gline-tables-only", str(source), "-o", str(output)]
    subprocess.run([str(LLVM / "bin" / "clang"), *options], check=True)
    (found,) = read_code_objects(output)
    return found


def test_a_kernel_is_listed_to_its_end(prefix: Prefix, code_object: CodeObjectFile) -> None:
    kernel = code_object.kernel("axpy")
    assert kernel is not None
    listing = disassemble(prefix, code_object, kernel)
    assert listing[-1].text == "s_endpgm"
    assert kernel.code_size == listing[-1].address + 4 - listing[0].address
    assert {Path(i.source.rpartition(":")[0]).name for i in listing} == {"kernels.cl"}
    (store,) = (i for i in listing if i.text.startswith("global_store"))
    assert store.source.endswith(":3")
    found = static_code(kernel, listing)
    expected = Counter(instruction_class(instruction.text) for instruction in listing)
    assert found.by_class == expected
    assert expected[C.VMEM] == 3
    assert found.share(C.VMEM) == 3 / len(listing)
    assert (found.scratch_accesses, found.scratch_lines, found.vgpr_spills) == (0, (), 0)


def test_labels_inside_a_kernel_do_not_end_it(prefix: Prefix, tmp_path: Path) -> None:
    """Those of hand-written code are symbols; branches to them show their names."""
    source, output = tmp_path / "k.s", tmp_path / "k.co"
    source.write_text(ASSEMBLY)
    target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942"]
    subprocess.run(
        [str(LLVM / "bin" / "clang"), *target, str(source), "-o", str(output)], check=True
    )
    (code,) = read_code_objects(output)
    listing = disassemble(prefix, code, code.kernels[0])
    first = listing[0].address
    assert [(i.address - first, i.text) for i in listing] == [
        (0, "s_mov_b32 s6, 10"),
        *((4 + 4 * n, "s_nop 0") for n in range(8)),
        (36, "s_add_i32 s6, s6, -1"),
        (40, "s_cbranch_scc1 65534"),
        (44, "s_endpgm"),
    ]


def test_scratch_is_found_by_line(prefix: Prefix, code_object: CodeObjectFile) -> None:
    kernel = code_object.kernel("crowded")
    assert kernel is not None
    found = static_code(kernel, disassemble(prefix, code_object, kernel))
    assert found.scratch_bytes >= 64 * 4
    assert found.scratch_accesses == sum(line.stores + line.loads for line in found.scratch_lines)
    lines = {line.source.rpartition(":")[2]: line for line in found.scratch_lines}
    assert set(lines) == {"7", "8"}
    assert (lines["7"].loads, lines["8"].stores, lines["8"].loads) == (0, 0, 1)
    assert lines["7"].stores >= 1


def test_failures_have_a_cure(prefix: Prefix, code_object: CodeObjectFile, tmp_path: Path) -> None:
    kernel = code_object.kernels[0]
    with pytest.raises(ToolMissing) as missing:
        disassemble(Prefix(tmp_path, "rocm", "test"), code_object, kernel)
    assert str(DISASSEMBLER) in missing.value.cause
    damaged = CodeObjectFile("damaged.co", "gfx942", 4, (1, 2), (kernel,), b"\x7fELF")
    with pytest.raises(ToolFailed) as failed:
        disassemble(prefix, damaged, kernel)
    assert "did not disassemble" in failed.value.cause
    assert failed.value.next_step
