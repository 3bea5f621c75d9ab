"""One kernel that does what its arguments say: phases of work, one behind the other.

A program is a list of (kind of work, rounds). One workgroup, or every n-th one, may have a program
of its own, so that a test can put heavy work wherever it likes without compiling anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Optional

from exec_support import Argument, Buffer, Code, DispatchResult, assembly_kernel

# What one round of each kind executes, besides the three instructions of the loop.
BODIES = {
    "fma": "".join(f"  v_fma_f32 v{16 + n}, v6, v7, v{16 + n}\n" for n in range(8)),
    "exp": "".join(f"  v_exp_f32 v{16 + n}, v6\n" for n in range(4)),
    "packed": "".join(
        f"  v_pk_add_f32 v[{16 + 2 * n}:{17 + 2 * n}], v[6:7], v[6:7]\n" for n in range(4)
    ),
    "matrix": "".join(
        f"  v_mfma_f32_16x16x16_f16 a[{4 * n}:{4 * n + 3}], v[8:9], v[10:11], "
        f"a[{4 * n}:{4 * n + 3}]\n"
        for n in range(4)
    ),
    "scalar": "".join(f"  s_add_u32 s{40 + n}, s{40 + n}, s3\n" for n in range(8)),
    "lds": "  ds_read_b128 v[16:19], v5\n" * 2,
    "lds_wait": "  ds_read_b32 v16, v1\n  s_waitcnt lgkmcnt(0)\n",
    "constants": "  s_load_dword s40, s[4:5], 0x0\n" * 8,
    "constant": "  s_load_dword s40, s[4:5], 0x0\n  s_waitcnt lgkmcnt(0)\n",
    "load": """
  v_add_u32 v4, s15, v1
  v_and_b32 v4, s6, v4
  s_add_u32 s15, s15, s20
  global_load_dword v16, v4, s[4:5]
""",
    "load_wait": """
  v_add_u32 v4, s15, v1
  v_and_b32 v4, s6, v4
  s_add_u32 s15, s15, s20
  global_load_dword v16, v4, s[4:5]
  s_waitcnt vmcnt(0)
""",
    "stream": """
  v_add_u32 v4, s15, v5
  v_and_b32 v4, s6, v4
  s_add_u32 s15, s15, s20
  global_load_dwordx4 v[16:19], v4, s[4:5]
""",
    "few_lanes": "  s_mov_b64 exec, 1\n"
    + "  global_load_ubyte v16, v1, s[4:5]\n" * 8
    + "  s_mov_b64 exec, -1\n",
    "load_same": "  global_load_dwordx4 v[16:19], v5, s[4:5]\n" * 2,
    "store": """
  v_add_u32 v4, s15, v5
  v_and_b32 v4, s6, v4
  s_add_u32 s15, s15, s20
  global_store_dwordx4 v4, v[8:11], s[4:5]
""",
    "store_same": "  global_store_dwordx4 v5, v[8:11], s[4:5]\n" * 2,
    "gather": """
  v_add_u32 v4, s15, v12
  v_and_b32 v4, s6, v4
  s_add_u32 s15, s15, s20
  global_load_dword v16, v4, s[4:5]
""",
    "atomic": "  global_atomic_add v13, v14, s[4:5]\n",
    "barrier": "  s_barrier\n",
    "idle": "  s_nop 15\n",
    "jump": "  s_branch 1f\n  s_nop 0\n1:\n" * 4,
}
KINDS = tuple(BODIES)
MOST_PHASES = 6
LDS_BYTES = 16384
MEMORY_BYTES = 1 << 26

Program = Sequence[tuple[str, int]]


def _rounds(name: str, number: int, body: str) -> str:
    return f"""
{name}_is_{number}:
  s_cmp_lg_u32 s10, {number}
  s_cbranch_scc1 {name}_is_{number + 1}
{name}_round_{number}:
{body}
  s_sub_u32 s11, s11, 1
  s_cmp_lg_u32 s11, 0
  s_cbranch_scc1 {name}_round_{number}
  s_branch {name}_next
"""


def phase_kernel(name: str, lead_in: str = "", rename: int = 0) -> str:
    """``lead_in`` moves the code; ``rename`` takes other registers for the work."""
    bodies = {kind: _renamed(body, rename) for kind, body in BODIES.items()}
    phases = "".join(_rounds(name, n, body) for n, body in enumerate(bodies.values()))
    return assembly_kernel(
        name,
        f"""
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[20:21], s[0:1], 0x10
  v_lshlrev_b32 v1, 2, v0
  v_lshlrev_b32 v5, 4, v0
  v_mov_b32 v6, 1.0
  v_mov_b32 v7, 0
  v_lshlrev_b32 v12, 8, v0
  v_mov_b32 v13, 0
  v_mov_b32 v14, 1
{lead_in}
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s15, s2, 13
  s_add_u32 s16, s0, 0x20
  s_addc_u32 s17, s1, 0
  s_mov_b32 s3, 0
  s_and_b32 s22, s2, s21
  s_cmp_lg_u32 s22, s7
  s_cbranch_scc1 {name}_next
  s_add_u32 s16, s16, {8 * (MOST_PHASES + 1)}
  s_addc_u32 s17, s17, 0
{name}_next:
  s_load_dwordx2 s[10:11], s[16:17], 0x0
  s_add_u32 s16, s16, 8
  s_addc_u32 s17, s17, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 {name}_end
{phases}
{name}_is_{len(bodies)}:
{name}_end:
  s_endpgm
""",
        vgprs=64,
        sgprs=64,
        lds=LDS_BYTES,
        accum_offset=48,
    )


def _renamed(body: str, by: int) -> str:
    """With other names for v16 and above, which hold nothing that matters."""

    def moved(number: str) -> int:
        return int(number) + (by if int(number) >= 16 else 0)

    body = re.sub(r"\bv(\d+)", lambda found: f"v{moved(found[1])}", body)
    return re.sub(
        r"\bv\[(\d+):(\d+)\]", lambda found: f"v[{moved(found[1])}:{moved(found[2])}]", body
    )


@dataclass(frozen=True)
class Launch:
    program: Program
    groups: int = 1
    waves: int = 1
    heavy: Program = ()  # of workgroups n with n & mask == position
    position: int = 0
    mask: int = 0xFFFFFFFF
    step: int = 8192  # bytes that loads and stores of a workgroup go on by, round by round
    memory_bytes: int = MEMORY_BYTES

    def run(
        self,
        code: Code,
        memory: Buffer,
        kernel: str = "phases",
        arguments_in: Optional[Buffer] = None,
    ) -> DispatchResult:
        position = self.position if self.heavy else 0xFFFFFFFF
        mask = self.mask if self.heavy else 0
        arguments: list[Argument] = [
            memory,
            self.memory_bytes - 1 | position << 32,
            self.step | mask << 32,
            0,
            *_packed(self.program),
            *_packed(self.heavy),
        ]
        lanes = 64 * self.waves
        return code.run(kernel, lanes * self.groups, lanes, arguments, arguments_in=arguments_in)

    def with_(self, **changes: object) -> Launch:
        return replace(self, **changes)  # type: ignore[arg-type]


def _packed(program: Program) -> list[int]:
    """Kind and rounds, and a phase of none behind the last one."""
    assert len(program) <= MOST_PHASES
    words = [KINDS.index(kind) | rounds << 32 for kind, rounds in program if rounds]
    return words + [0] * (MOST_PHASES + 1 - len(words))
