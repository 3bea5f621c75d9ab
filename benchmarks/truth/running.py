"""All rows of a table, several processes at a time, each row once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from benchmarks.truth.journal import Journal
from benchmarks.truth.programs import run_row
from benchmarks.truth.table import Row, Table


def run_rows(
    table: Table, rows: Sequence[Row], program: Path, journal: Journal, jobs: int, seconds: float
) -> None:
    """What the journal has already is not run again. An interruption loses the rows under way."""
    keys = {row.key(table.columns): row for row in rows}
    left = [key for key in keys if key not in journal.known]
    with ThreadPoolExecutor(jobs) as pool:
        asked = {pool.submit(run_row, table, keys[key], program, seconds): key for key in left}
        try:
            for number, done in enumerate(as_completed(asked), 1):
                journal.add(asked[done], done.result())
                print(f"\r{table.name}: {number} of {len(left)}", end="", file=sys.stderr)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    if left:
        print(file=sys.stderr)
