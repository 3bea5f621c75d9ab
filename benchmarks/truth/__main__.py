"""Command line: one table, its rows run and compared, or the reason why not."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.fidelity import publish_table
from benchmarks.truth import report
from benchmarks.truth.bundle import bundle_table, is_bundle, measured_now
from benchmarks.truth.figures import Pair
from benchmarks.truth.journal import Journal
from benchmarks.truth.programs import Outcome, program_of, why_absent
from benchmarks.truth.running import run_rows
from benchmarks.truth.split import HALVES, drawn, sample
from benchmarks.truth.table import HERE, RECORDINGS, Row, Table, TableError, load_rows, load_table


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth", description=__doc__)
    parser.add_argument("table", help="a name of tables/*.json, a file of that form, or a bundle")
    parser.add_argument("--programs", type=Path, help="folder with TABLE/run in it")
    recordings = os.environ.get("ROCM_PERF_RECORDINGS")
    parser.add_argument("--recordings", type=Path, default=Path(recordings or RECORDINGS))
    parser.add_argument("--half", choices=[*HALVES, "all"], default="fitted")
    parser.add_argument("--only", action="append", default=[], metavar="COLUMN=VALUE,...")
    parser.add_argument("--sample", type=int, metavar="ROWS", help="about so many, drawn by lot")
    parser.add_argument("--seed", type=int, default=0, help="of that draw")
    parser.add_argument("--journal", type=Path, help="default: truth-TABLE.jsonl here")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300, help="that a row may take")
    parser.add_argument("--kind", action="append", default=[], help="a column, or time")
    parser.add_argument("--misses", type=int, default=10)
    parser.add_argument("--publish", metavar="KIND", help="quote the result, of what is this kind")
    parser.add_argument("--again", action="store_true", help="rows of a bundle: run them now")
    parser.add_argument("--no-run", action="store_true", help="what the journal has already")
    return parser.parse_args(argv)


def _keep(rows: Sequence[Row], conditions: Sequence[str]) -> list[Row]:
    kept = list(rows)
    for condition in conditions:
        column, _, values = condition.partition("=")
        if rows and column not in rows[0].values:
            raise TableError(f"--only {condition}: no column {column}")
        kept = [row for row in kept if row.values[column] in values.split(",")]
    return kept


def _show(
    table: Table, rows: Sequence[Row], times: Mapping[str, Outcome], options: argparse.Namespace
) -> int:
    known = [(row, times.get(row.key(table.columns))) for row in rows]
    pairs = [Pair(row, one.time) for row, one in known if one and one.time is not None]
    failed = [(row, one.reason) for row, one in known if one and one.time is None]
    print(f"{table.name}: {table.chip}, {table.conditions}; {options.half} half, times in", end=" ")
    print(f"{table.unit}; {len(pairs)} of {len(rows)} rows, {len(failed)} without a time\n")
    for row, reason in failed[: options.misses]:
        print(f"* {row.key(table.columns)}: {reason}")
    if not pairs:
        return 1
    print(report.by_group(table, pairs))
    if options.publish:
        publish_table(table.name, report.published(table, pairs, len(rows), options.publish))
    for column in options.kind:
        print(f"\n{report.by_kind(pairs, column)}")
    if options.misses > 0:
        print(f"\n{report.misses(table, pairs, options.misses)}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    options = _arguments(argv)
    path = Path(options.table)
    if is_bundle(path):
        return _show_bundle(path, options)
    try:
        table = load_table(path if path.suffix else HERE / "tables" / f"{path.name}.json")
        if not (options.recordings / table.rows).exists():
            print(f"{table.name}: skipped, {options.recordings / table.rows} is absent")
            return 0
        every = _keep(load_rows(table, options.recordings), options.only)
        rows = drawn(table, every, options.half)
    except (TableError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.sample:
        rows = sample(table, rows, options.sample, options.seed)
    journal = Journal(options.journal or Path(f"truth-{table.name}.jsonl"))
    if not options.no_run:
        program = program_of(table, options.programs)
        if program is None:
            print(f"{table.name}: skipped, {why_absent(table, options.programs)}")
            return 0
        run_rows(table, rows, program, journal, options.jobs, options.seconds)
    return _show(table, rows, journal.known, options)


def _show_bundle(path: Path, options: argparse.Namespace) -> int:
    """It needs no program: its own times of the virtual device, or those of now."""
    try:
        table, every, times = bundle_table(path)
        rows = drawn(table, _keep(every, options.only), options.half)
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    return _show(table, rows, measured_now(rows) if options.again else times, options)


if __name__ == "__main__":
    sys.exit(main())
