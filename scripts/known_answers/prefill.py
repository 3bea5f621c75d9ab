"""A prefill of llama.cpp on gfx1151: its dispatches, its few calls, and two counter passes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from known_answers.files import Files
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load

_FOLDER = "rocprofv3-csv/gfx1151-prefill"


def prefill(recordings: Path) -> Files:
    folder = recordings / _FOLDER
    files: Files = {}
    run = [folder / f"prefill_{kind}.csv" for kind in ("kernel_trace", "hip_api_trace")]
    for prefix, sources in (
        ("prefill", run),
        ("prefill_fetch", [folder / "prefill_fetch_counter_collection.csv"]),
        ("prefill_stall", [folder / "prefill_stall_counter_collection.csv"]),
    ):
        with tempfile.TemporaryDirectory() as written:
            trace = load(sources)
            for path in write_csv(trace, Path(written), prefix, kernel_trace=prefix == "prefill"):
                if not path.name.endswith("agent_info.csv"):  # they recorded none
                    files[f"{_FOLDER}/{path.name}.gz"] = path.read_text(encoding="utf-8")
    return files
