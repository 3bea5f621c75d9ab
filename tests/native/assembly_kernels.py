"""Hand-written kernels: assembly text whose descriptor says nothing about its arguments."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CLANG = shutil.which("clang-19") or "clang-19"
TARGET = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-mcode-object-version=5")

needs_assembler = pytest.mark.skipif(shutil.which("clang-19") is None, reason="clang-19 is missing")

# s[0:1] holds the address of the arguments; v0 the number of the lane.
_TEXT = """
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .protected {name}
  .globl {name}
  .p2align 8
  .type {name},@function
{name}:
{body}
  s_endpgm
.Lend:
  .size {name}, .Lend-{name}
  .rodata
  .p2align 6
  .amdhsa_kernel {name}
    .amdhsa_group_segment_fixed_size {lds}
    .amdhsa_kernarg_size 0
    .amdhsa_user_sgpr_count 2
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr {vgprs}
    .amdhsa_next_free_sgpr 48
    .amdhsa_accum_offset {vgprs}
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: {bytes}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: 1024
    .args:
{arguments}
...
  .end_amdgpu_metadata
"""


def _listed(kinds: str) -> str:
    """'pi': a pointer, then a number; each at a multiple of 16 bytes, as AMD's kernels have it."""
    entries = {
        "p": "{{ .offset: {at}, .size: 8, .value_kind: global_buffer, .address_space: global }}",
        "i": "{{ .offset: {at}, .size: 4, .value_kind: by_value }}",
    }
    return "\n".join("      - " + entries[k].format(at=16 * i) for i, k in enumerate(kinds))


def assembly(name: str, body: str, arguments: str, *, lds: int = 0, vgprs: int = 16) -> str:
    return _TEXT.format(
        name=name, body=body, lds=lds, vgprs=vgprs, bytes=16 * len(arguments),
        arguments=_listed(arguments),
    )  # fmt: skip


def assembled(folder: Path, name: str, text: str) -> Path:
    """The code object of the text."""
    source, code = folder / f"{name}.s", folder / f"{name}.co"
    source.write_text(text)
    command = [CLANG, *TARGET, "-x", "assembler", str(source), "-o", str(code)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return code


# out[lane] = number + lane
ADD_LANE = assembly(
    "add_lane",
    """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dword s6, s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v1, s6, v0
  v_lshlrev_b32_e32 v2, 2, v0
  global_store_dword v2, v1, s[4:5]
""",
    "pi",
)
