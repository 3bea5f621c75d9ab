"""Folders as ROCm's trace decoder writes them: a small one made by hand, and recorded ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fakes.recordings import recording

HEADER = "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle"
LABEL, LOAD, SPILL, WAIT, FMA, BRANCH, BARRIER, END = range(8)

# Two executions of a loop; the wait ends 520 and 640 cycles after the issue of the load.
STEPS: list[list[int]] = [
    [110, 3, 0, 4, LOAD],
    [114, 3, 0, 4, SPILL],
    [118, 9, 512, 512, WAIT],
    [630, 6, 0, 4, FMA],
    [634, 7, 0, 4, BRANCH],
    [650, 3, 8, 12, LOAD],
    [662, 3, 0, 4, SPILL],
    [666, 9, 632, 632, WAIT],
    [1298, 6, 2, 6, FMA],
    [1304, 8, 0, 4, BRANCH],
    [1308, 9, 92, 92, BARRIER],
    [1400, 11, 0, 4, END],
]
CODE: list[list[Any]] = [
    ["; _Z4loopPf", 0, LABEL, "loop(float*)", 1, 256, 0, 0, 0, 0],
    ["global_load_dword v1, v0, s[0:1]", 0, LOAD, "a.hip:3", 1, 256, 2, 16, 8, 22],
    ["scratch_load_dword v2, off, s0", 0, SPILL, "a.hip:3", 1, 260, 2, 8, 0, 0],
    ["s_waitcnt vmcnt(0)", 0, WAIT, "b.h:7 -> a.hip:4", 1, 264, 2, 1144, 1144, 0],
    ["v_fma_f32 v3, v1, v2, v3", 0, FMA, "b.h:7 -> a.hip:4", 1, 268, 2, 10, 2, 0],
    ["s_cbranch_scc1 65532", 0, BRANCH, "a.hip:2", 1, 272, 2, 8, 0, 0],
    ["s_barrier", 0, BARRIER, "", 1, 276, 1, 92, 92, 0],
    ["s_endpgm", 0, END, ";", 1, 280, 1, 4, 0, 0],
    ["v_mov_b32_e32 v0, 0", 0, END + 1, "", 1, 284, 0, 0, 0, 0],
]
WAITS: list[Any] = [[WAIT, [[LOAD, 0], [SPILL, 0]]], [WAIT, [[LOAD, 0], [SPILL, 0]]]]


def documents() -> dict[str, Any]:
    """By file name, free to be changed."""
    wave = {
        "cu": 1, "id": 0, "simd": 2, "slot": 3, "begin": 100, "end": 1404,
        "instructions": STEPS, "timeline": [[1, 10], [2, 1294]], "waitcnt": WAITS,
    }  # fmt: skip
    content = {
        "code.json": {"code": CODE, "header": HEADER, "version": "3.0.0"},
        "se0_sm2_sl3_wv0.json": {
            "name": "SE0",
            "duration": 1304,
            "num_insts": len(STEPS),
            "num_stitched": len(STEPS),
            "wave": wave,
        },
        "occupancy.json": {
            "0": [[100, 1, 2, 3, 1, 1], [140, 2, 0, 0, 1, 1], [540, 2, 0, 0, 0, 1],
                  [1404, 1, 2, 3, 0, 1]],
            "dispatches": {"0": "0 / 0x0", "1": "_Z4loopPf"},
            "version": "3.0.0",
        },
        "realtime.json": {
            "SE0": [[0, 10**14], [2000, 10**14 + 100]],
            "metadata": {"descriptor": "[gfx_clock, realtime_clock]", "frequency": 100_000_000},
        },
    }  # fmt: skip
    copied: dict[str, Any] = json.loads(json.dumps(content))
    return copied


def write_folder(parent: Path, content: dict[str, Any]) -> Path:
    folder = parent / "ui_output_agent_7_dispatch_1"
    folder.mkdir(parents=True)
    for name, document in content.items():
        (folder / name).write_text(json.dumps(document))
    return folder


def unpacked(archive: str, to: Path) -> Path:
    """The decoder folder in a recorded archive; skips where nothing can unpack it."""
    path = recording(f"mi325x-gemm-thread-traces/{archive}.tar.zst")
    zstandard = pytest.importorskip("zstandard", reason="not installed: pip install zstandard")
    packed = to / "packed.tar"
    with path.open("rb") as source, packed.open("wb") as target:
        zstandard.ZstdDecompressor().copy_stream(source, target)
    shutil.unpack_archive(str(packed), str(to))
    (folder,) = to.rglob("ui_output_*/")
    return folder
