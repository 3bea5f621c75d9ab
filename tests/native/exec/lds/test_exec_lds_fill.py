"""VROCM_CHECK=uninit knows what loads straight into the LDS write there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, assembly_kernel, compile_kernels, importing, load, needs_harness

pytestmark = needs_harness

BUFFER = "buffer_load_{0} v1, s[8:11], 0 offen lds"
GLOBAL = "global_load_lds_{0} v1, s[4:5]"

# Fills the dwords 16 to 79 of the LDS, waits, and reads them, and where asked the one behind them.
BODY = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b32 m0, 64
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s4
  s_mov_b32 s9, s5
  s_mov_b32 s10, 0x100
  s_mov_b32 s11, 0x20000
  {fill}
  s_waitcnt vmcnt(0)
  ds_read_b32 v2, v1 offset:{offset}
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm
"""

FILLS = [
    *(BUFFER.format(kind) for kind in ("dword", "ushort", "sbyte")),
    *(GLOBAL.format(kind) for kind in ("dword", "ubyte", "sshort")),
]


def launch(code_object: str) -> None:
    """Runs in a child process."""
    inputs = Buffer(np.full(64, 0x01010101, dtype=np.uint32), "in")
    out = Buffer(np.zeros(64, dtype=np.uint32), "out")
    load(Path(code_object).read_bytes()).run("fill", 64, 64, [inputs, out])
    print(*{hex(value) for value in out.array})


def _run(folder: Path, fill: str, offset: int) -> subprocess.CompletedProcess[str]:
    text = assembly_kernel("fill", BODY.format(fill=fill, offset=offset), lds=1024)
    (folder / "code.co").write_bytes(compile_kernels(text, folder, "assembler"))
    script = importing(__file__) + (
        f"import test_exec_lds_fill as t\nt.launch({str(folder / 'code.co')!r})\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "VROCM_CHECK": "memory,uninit,race,waitcnt"},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("fill", FILLS)
def test_what_a_load_filled_may_be_read(tmp_path: Path, fill: str) -> None:
    done = _run(tmp_path, fill, offset=64)
    wide = {"dword": "0x1010101", "short": "0x101"}
    value = next((wide[kind] for kind in wide if kind in fill), "0x1")
    assert (done.stdout.split(), done.stderr) == ([value], "")


@pytest.mark.parametrize("fill", FILLS)
def test_the_dword_behind_is_still_unwritten(tmp_path: Path, fill: str) -> None:
    done = _run(tmp_path, fill, offset=68)
    assert "lane 63 reads LDS that nobody wrote" in done.stderr
