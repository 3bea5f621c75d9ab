"""``python -m benchmarks.walls``: does the ladder of walls name what a change takes away?

Of the labelled pairs whose change is one to a kernel 40 were drawn by lot. The ladder of the slow
program's kernel (the one with the most time) is climbed twice: does the first or the second wall
belong to the label of the pair, and is its worth within 25 % of what the change gains? Which walls
belong to a label is what ``analysis.diagnosis.remedies`` says. Seed and table were fixed before the
first run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Optional

from benchmarks.verdicts.measure import compile_program
from benchmarks.verdicts.pair import Pair
from benchmarks.verdicts.pairs import BY_NAME
from rocm_perf_lab.analysis.diagnosis.ladder import Climbed
from rocm_perf_lab.analysis.diagnosis.remedies import REMEDIES
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.options import SILENT, CollectOptions
from rocm_perf_lab.collect.rocprof.run import Recorder, collect_runs
from rocm_perf_lab.measure.process_times import process_times
from rocm_perf_lab.measure.walls.walls import Subject, walls_of
from rocm_perf_lab.vrocm.prefix import ensure_prefix

SEED = 39
# In the order of the lot, which was drawn from the names that pairs had then.
LOT = (
    "narrow_workgroups",
    "block_sharpening",
    "lds_matmul",
    "polynomial",
    "body_slices",
    "packet_check",
    "genome_reads",
    "mountain_light",
    "depth_pictures",
    "scale_and_shift",
    "mill_yields",
    "run_lengths",
    "pipe_networks",
    "text_similarity",
    "long_row",
    "convolution_3x3",
    "map_slopes",
    "seismic_filter",
    "tile_columns",
    "heated_bars",
    "median_5x5",
    "lower_case",
    "finite_elements",
    "lu_factors",
    "hashed_gather",
    "packed_tiles",
    "long_row_matvec",
    "grid_stride_map",
    "word_tree",
    "neutron_cells",
    "star_blur",
    "face_matches",
    "sparse_matvec",
    "well_distances",
    "sea_flashes",
    "ledger_pages",
    "option_values",
    "option_tree",
    "ray_lists",
    "island_ways",
)
ROOT = Path(__file__).resolve().parent
RESULT = ROOT / "walls.json"
_LONGEST_S = 600.0  # of one ladder
_WALLS = 2
_NEAR = 0.25
_OTHERS = ("prepare", "__amd_rocclr")  # kernels that make data


@dataclass(frozen=True)
class Row:
    pair: str
    mend: str
    gain: float  # of the change: time of the kernels before over that after it
    walls: tuple[tuple[str, float], ...]  # names, and times faster on top of the ones before
    replayed: bool
    why_none: Optional[str] = None

    @property
    def found(self) -> Optional[int]:
        """Which wall belongs to the label, from 0."""
        for number, (names, _) in enumerate(self.walls):
            if any(self.mend in REMEDIES[name].mends for name in names.split("+")):
                return number
        return None

    @property
    def is_near(self) -> bool:
        return self.found is not None and abs(self.walls[self.found][1] / self.gain - 1) <= _NEAR


def drawn() -> list[Pair]:
    """In the order of the lot: the first few are a lot, too."""
    return [BY_NAME[name] for name in LOT]


def measured(pair: Pair, program: Path, prefix: Prefix, space: Path) -> Row:
    times = []
    options = CollectOptions(runs=1, app_stdout=Stdout.DISCARD, echo_stderr=False)
    for variant in "01":
        folder = space / variant
        folder.mkdir()
        argv = (str(program), pair.letter, variant)
        (run,) = collect_runs(prefix, argv, options, folder)
        kernels = {
            name: sum(found)
            for name, found in process_times(run.trace).kernels.items()
            if not any(other in name for other in _OTHERS)
        }
        times.append((run, argv, kernels))
    (slow, argv, kernels), (_, _, mended) = times
    gain = sum(kernels.values()) / sum(mended.values())
    subject = Subject(
        argv,
        prefix,
        max(kernels, key=lambda name: kernels[name]),
        slow.trace,
        space,
        partial(Recorder, prefix, argv, options, space),
        slow.wall_ns / 1e9,
    )
    return _row(pair, gain, walls_of(subject, SILENT, _LONGEST_S, most=_WALLS))


def _row(pair: Pair, gain: float, found: Any) -> Row:
    if not isinstance(found, Climbed):
        return Row(pair.name, pair.mend, gain, (), False, found.reason)
    walls, before = [], found.ladder.now_ns
    for wall in found.ladder.walls:
        walls.append(("+".join(wall.together), before / wall.ns if wall.ns else float("inf")))
        before = wall.ns
    return Row(pair.name, pair.mend, gain, tuple(walls), found.launch is not None)


def summary(rows: Sequence[Row]) -> str:
    found = sum(row.found is not None for row in rows)
    first = sum(row.found == 0 for row in rows)
    near = sum(row.is_near for row in rows)
    return (
        f"Of {len(rows)} pairs drawn by lot the wall that the change takes away is the first in "
        f"{first}, the first or second in {found}; its worth is within 25 % of the gain in {near}."
    )


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| pair | label | gain of the change | first wall | second wall | |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [f"{names} {worth:.2f}x" for names, worth in row.walls] + ["-", "-"]
        said = "**missed**" if row.found is None else "" if row.is_near else "worth differs"
        lines.append(
            f"| {row.pair} | {row.mend} | {row.gain:.2f}x | {cells[0]} | {cells[1]} | {said} |"
        )
    return "\n".join(lines)


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def _write(rows: Sequence[Row]) -> None:
    document = {
        "date": datetime.date.today().isoformat(),
        "commit": _commit(),
        "seed": SEED,
        "drawn": len(LOT),
        "rows": [asdict(row) for row in rows],
    }
    beside = RESULT.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    beside.replace(RESULT)


def read_rows(path: Path = RESULT) -> list[Row]:
    rows = json.loads(path.read_text("utf-8"))["rows"]
    return [Row(**{**row, "walls": tuple(tuple(wall) for wall in row["walls"])}) for row in rows]


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.walls", description=__doc__)
    parser.add_argument("--table", action="store_true", help="show what was measured last")
    if parser.parse_args(words).table:
        rows = read_rows()
    else:
        prefix = find_prefix(ensure_prefix(lambda step: print(step, file=sys.stderr)))
        rows = []
        for pair in drawn():
            with tempfile.TemporaryDirectory() as folder:
                program = compile_program(pair.program, prefix.path, Path(folder))
                rows.append(measured(pair, program, prefix, Path(folder)))
            print(rows[-1], file=sys.stderr)
            _write(rows)
    print(f"{summary(rows)}\n\n{table(rows)}")


if __name__ == "__main__":
    main(sys.argv[1:])
