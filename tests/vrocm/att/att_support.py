"""Thread traces for tests: those of recordings, and a small one made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from rocm_perf_lab.vrocm.att.file import (
    STEP,
    Function,
    Instruction,
    OccupancyEvent,
    ThreadTrace,
    TracedWave,
)

LOAD, WAIT, ADD, BRANCH, END = range(5)
CODE = (
    "global_load_dword v1, v0, s[0:1]",
    "s_waitcnt vmcnt(0)",
    "v_add_u32_e32 v1, v1, v1",
    "s_cbranch_scc1 65532",
    "s_endpgm",
)
# (time, stall, duration, row, category): a loop that runs twice.
LOOP = (
    (120, 0, 4, LOAD, 4),
    (124, 500, 500, WAIT, 9),
    (624, 0, 4, ADD, 6),
    (628, 0, 4, BRANCH, 7),
    (640, 8, 12, LOAD, 4),
    (652, 300, 300, WAIT, 9),
    (952, 4, 8, ADD, 6),
    (960, 0, 4, BRANCH, 8),
    (964, 0, 36, END, 11),
)
WAVE_BEGIN, WAVE_END = 100, 1000


def document(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def wave_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("se*_sm*_sl*_wv*.json"))


def trace_of_folder(folder: Path) -> ThreadTrace:
    """What the device must have told for this folder to be written. One function only."""
    label, *rows = document(folder, "code.json")["code"]
    instructions = tuple(Instruction(row[5], row[0], row[3]) for row in rows)
    function = Function(0, label[0][2:], label[3], instructions)
    waves = []
    for name in wave_files(folder):
        wave = document(folder, name)["wave"]
        steps = np.array(
            [(time, stall, cycles, line - 1, category)
             for time, category, stall, cycles, line in wave["instructions"]],
            dtype=STEP,
        )  # fmt: skip
        engine = int(name[2 : name.index("_")])
        place = (engine, wave["cu"], wave["simd"], wave["slot"])
        waves.append(TracedWave(*place, wave["begin"], wave["end"], steps))
    occupancy = tuple(
        OccupancyEvent(int(engine), time, cu, simd, slot, bool(begins))
        for engine, events in document(folder, "occupancy.json").items()
        if engine.isdigit()
        for time, cu, simd, slot, begins, _kernel in events
    )
    return ThreadTrace(2.1, 0, 0, (function,), tuple(waves), occupancy)


def header_of_loop(**changes: Any) -> dict[str, Any]:
    """The first line of a file whose steps are ``LOOP``."""
    rows = [[256 + 4 * n, text, f"app.hip:{n + 1}"] for n, text in enumerate(CODE)]
    function = {
        "base": 8192,
        "symbol": "_Z4loopPi",
        "demangled": "loop(int*)",
        "rows": rows,
    }
    return {
        "format": 1,
        "clock_ghz": 2.1,
        "lost": 0,
        "cut_waves": 0,
        "functions": [function],
        "waves": [[0, 1, 2, 3, WAVE_BEGIN, WAVE_END, 0, len(LOOP)]],
        "occupancy": [[0, WAVE_BEGIN, 1, 2, 3, 1], [0, WAVE_END, 1, 2, 3, 0]],
        "steps": len(LOOP),
        **changes,
    }


def file_of_loop(**changes: Any) -> bytes:
    """A file as the device writes it."""
    steps = np.array(list(LOOP), dtype=STEP)
    return json.dumps(header_of_loop(**changes)).encode() + b"\n" + steps.tobytes()


def file_without_waves() -> bytes:
    """Nothing ran on the CU that was to be traced."""
    header = header_of_loop(waves=[], functions=[], steps=0)
    return json.dumps(header).encode() + b"\n"
