"""Keeping what was measured last in the file that verbs quote it from."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from rocm_perf_lab.arch.fidelity import FIDELITY_FILE, Fidelity, RecordedTable, Share, load_fidelity


def publish_shares(pairs: Share, timings: Share) -> None:
    _write(replace(_now(), pairs=pairs, timings=timings))


def publish_table(name: str, table: RecordedTable) -> None:
    known = _now()
    _write(replace(known, tables={**known.tables, name: table}))


def _now() -> Fidelity:
    load_fidelity.cache_clear()
    return load_fidelity(FIDELITY_FILE)


def _write(fidelity: Fidelity) -> None:
    beside = FIDELITY_FILE.with_suffix(".new")
    beside.write_text(json.dumps(asdict(fidelity), indent=2) + "\n", "utf-8")
    beside.replace(FIDELITY_FILE)
    load_fidelity.cache_clear()
