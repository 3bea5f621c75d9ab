"""A bundle of ``rocm-perf selftest --calibrate`` as one more table: its rows hold both times."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.truth.programs import Outcome
from benchmarks.truth.table import Row, Table, TableError
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.selftest.calibrate.bundle import CalibrationBundle, read_bundle
from rocm_perf_lab.selftest.calibrate.rows import ROWS
from rocm_perf_lab.selftest.calibrate.side import Side
from rocm_perf_lab.selftest.calibrate.work import VIRTUAL_TARGET, plain_starter
from rocm_perf_lab.vrocm.prefix import ensure_prefix

COLUMNS = ("kind", "name", "parameter")


def is_bundle(path: Path) -> bool:
    """By what is in it, not by its name."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("content") == "rocm-perf calibration"


def bundle_table(path: Path) -> tuple[Table, list[Row], dict[str, Outcome]]:
    """The table, its rows with the chip's times, and the virtual times of then by row."""
    bundle = _read(path)
    chip = bundle.chip
    virtual = ", virtual" if chip.rocm_kind == "virtual" else ""
    table = Table(
        name=path.stem,
        rows=path.name,
        columns=COLUMNS,
        time="chip_us",
        unit="us",
        group_by=("kind",),
        split_by=("name", "parameter"),
        chip=f"{chip.product or chip.target}, {chip.compute_units} CUs{virtual}",
        conditions=f"medians of selftest --calibrate {bundle.tool_version}",
    )
    rows, then = [], {}
    for one in bundle.rows:
        values = {"kind": one.kind, "name": one.name, "parameter": str(one.parameter)}
        row = Row(values, one.chip_us)
        rows.append(row)
        then[row.key(COLUMNS)] = Outcome(one.virtual_us)
    return table, rows, then


def measured_now(rows: Sequence[Row]) -> dict[str, Outcome]:
    """The same rows on the virtual device as it is now, for a model that has changed since then."""
    prefix = Prefix(ensure_prefix(lambda _state: None), "virtual", "benchmarks")
    known = {(row.name, str(row.parameter)): row for row in ROWS}
    found = {row.key(COLUMNS): known.get(_named(row.values)) for row in rows}
    side = Side("the virtual device", prefix, 1, plain_starter(prefix.path))
    with tempfile.TemporaryDirectory() as space:
        wanted = [row for row in found.values() if row is not None]
        side.measure(VIRTUAL_TARGET, wanted, Path(space), _Telling())
    outcomes = {}
    for key, row in found.items():
        timed = side.timed.get(row) if row is not None else None
        reason = side.missing.get(row, "") if row is not None else "no such benchmark any more"
        outcomes[key] = Outcome(timed.median_us) if timed else Outcome(None, reason)
    return outcomes


class _Telling:
    def started(self, name: str, position: int, total: int) -> None:
        print(f"{name}, {position} of {total}", file=sys.stderr)


def _named(values: Mapping[str, str]) -> tuple[str, str]:
    return values["name"], values["parameter"]


def _read(path: Path) -> CalibrationBundle:
    try:
        return read_bundle(path)
    except PerfLabError as error:
        raise TableError(error.cause) from error
