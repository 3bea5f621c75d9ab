"""Hardware counters of one process of a rocpd database, summed over hardware instances."""

from __future__ import annotations

import numpy as np

from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import UNKNOWN, Counters, FloatColumn, IndexColumn, IntColumn
from rocm_perf_lab.trace.rocpd.process import RocpdProcess
from rocm_perf_lab.trace.vocabulary import NAME_NOT_RECORDED

_TABLE = "rocpd_pmc_event"


def has_counters(recorded: RocpdProcess) -> bool:
    return next(recorded.rows(_TABLE, ("id",)), None) is not None


def read_counters(recorded: RocpdProcess, dispatch_events: IntColumn) -> Counters:
    """Counters of the dispatches with these event ids, which stand in dispatch order."""
    rows = recorded.numbers.read(
        recorded.tables.get(_TABLE), ("event_id", "pmc_id", "sample_id"), ("value",)
    )
    event = rows.integers("event_id", UNKNOWN)
    value: FloatColumn = rows.values["value"].astype(np.float64)
    dispatch = positions_of(event, dispatch_events)
    name = recorded.indexes_of_named(rows.integers("pmc_id", UNKNOWN), "rocpd_info_pmc", "name")
    # Rows with a sample id are points of a streaming series (SPM), not totals of a dispatch.
    is_total = rows.is_null("sample_id")
    usable = is_total & (event != UNKNOWN) & (dispatch != UNKNOWN) & np.isfinite(value)
    usable &= ~rows.is_null("value") & (name != recorded.strings.add(NAME_NOT_RECORDED))
    unusable = int((is_total & ~usable).sum())
    if unusable:
        recorded.warnings.append(
            f"{recorded.path.name}: left out {unusable} counter values that have no number, "
            "no name or no dispatch"
        )
    return sum_instances(dispatch[usable], name[usable], value[usable])


def sum_instances(dispatch: IntColumn, name: IndexColumn, value: FloatColumn) -> Counters:
    """Add up the rows that share dispatch and counter name (one per XCC, channel or bank)."""
    if not len(value):
        return Counters()
    names = int(name.max()) + 1
    key, group = np.unique(dispatch * names + name, return_inverse=True)
    return Counters(
        dispatch=(key // names).astype(np.int32),
        name=(key % names).astype(np.int32),
        value=np.bincount(group, weights=value).astype(np.float64),
    )
