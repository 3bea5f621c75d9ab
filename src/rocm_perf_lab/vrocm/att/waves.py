"""The documents of single waves (``se0_sm0_sl0_wv0.json``) and of what waves have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rocm_perf_lab.vrocm.att.code import Code
from rocm_perf_lab.vrocm.att.file import ThreadTrace, TracedWave
from rocm_perf_lab.vrocm.att.timeline import Timeline, state_counts, wave_timeline
from rocm_perf_lab.vrocm.att.waitcnt import WaitLinks

VERSION = "3.0.0"  # of the layout that the viewers of thread traces know
_GFXIP = 9


@dataclass(frozen=True)
class WaveFile:
    """The file of one wave; ``number`` counts those that had the same slot, from 0."""

    wave: TracedWave
    number: int
    timeline: Timeline

    @property
    def name(self) -> str:
        wave = self.wave
        return f"se{wave.engine}_sm{wave.simd}_sl{wave.slot}_wv{self.number}.json"


def list_waves(trace: ThreadTrace) -> list[WaveFile]:
    """Waves of which nothing was kept have no file."""
    files = []
    numbers: Counter[tuple[int, int, int]] = Counter()
    for wave in sorted(trace.waves, key=lambda w: (w.engine, w.simd, w.slot, w.begin)):
        if len(wave.steps):
            place = (wave.engine, wave.simd, wave.slot)
            timeline = wave_timeline(wave.steps, wave.begin, wave.end)
            files.append(WaveFile(wave, numbers[place], timeline))
            numbers[place] += 1
    return files


def wave_document(file: WaveFile, code: Code, waits: WaitLinks) -> dict[str, Any]:
    wave, steps = file.wave, file.wave.steps
    lines = code.lines[steps["row"]]
    columns = (steps[name].tolist() for name in ("time", "category", "stall", "duration"))
    waitcnt = [
        [link.line, [[line, 0] for line in link.waited_for]] for link in waits.of_wave(lines)
    ]
    return {
        "name": f"SE{wave.engine}",
        "duration": wave.end - wave.begin,
        "num_insts": len(steps),
        "num_stitched": len(steps),
        "wave": {
            "cu": wave.cu,
            "id": file.number,
            "simd": wave.simd,
            "slot": wave.slot,
            "begin": wave.begin,
            "end": wave.end,
            "instructions": list(zip(*columns, lines.tolist())),
            "timeline": file.timeline.parts,
            "waitcnt": waitcnt or None,
        },
    }


def filenames_document(waves: Sequence[WaveFile]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for file in waves:
        wave = file.wave
        level = tree
        for key in (wave.engine, wave.simd, wave.slot):
            level = level.setdefault(str(key), {})
        level[str(file.number)] = [file.name, wave.begin, wave.end]
    return {
        "counter_names": [],
        "gfxip": _GFXIP,
        "gfxv": "vega",
        "global_begin_time": 0,
        "version": VERSION,
        "wave_filenames": tree or None,
    }


def occupancy_document(trace: ThreadTrace, kernel: str) -> dict[str, Any]:
    engines: dict[str, Any] = {}
    for event in trace.occupancy:
        row = [event.time, event.cu, event.simd, event.slot, int(event.begins), 1]
        engines.setdefault(str(event.engine), []).append(row)
    return {**engines, "dispatches": {"0": "0 / 0x0", "1": kernel}, "version": VERSION}


def state_documents(waves: Sequence[WaveFile]) -> dict[str, dict[str, Any]]:
    """``wstates<N>.json`` by name, of the states that occur."""
    counts = state_counts([file.timeline for file in waves])
    documents = {}
    for state, (times, number) in counts.items():
        name = f"wstates{state}.json"
        documents[name] = {"name": name, "state": number, "time": times}
    return documents
