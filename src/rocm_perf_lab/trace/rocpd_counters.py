"""Hardware counters of one process of a rocpd database, summed over hardware instances."""

from __future__ import annotations

import numpy as np

from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import UNKNOWN, Counters, FloatColumn, IndexColumn, IntColumn
from rocm_perf_lab.trace.rocpd_process import RocpdProcess

_TABLE = "rocpd_pmc_event"


def has_counters(recorded: RocpdProcess) -> bool:
    return next(recorded.rows(_TABLE, ("id",)), None) is not None


def read_counters(recorded: RocpdProcess, dispatch_events: IntColumn) -> Counters:
    """Counters of the dispatches with these event ids, which stand in dispatch order."""
    rows = recorded.numbers.read(
        recorded.tables.get(_TABLE), ("event_id", "pmc_id", "sample_id"), ("value",)
    )
    event = rows.values["event_id"].astype(np.int64)
    value: FloatColumn = rows.values["value"].astype(np.float64)
    # Rows with a sample id are points of a streaming series (SPM), not totals of a dispatch.
    is_total = rows.nulls.get("sample_id", np.zeros(rows.rows, dtype=bool))
    dispatch = positions_of(event, dispatch_events)
    name = recorded.indexes_of_named(
        rows.values["pmc_id"].astype(np.int64), "rocpd_info_pmc", "name"
    )
    has_value = ~rows.nulls.get("value", np.zeros(rows.rows, dtype=bool)) & np.isfinite(value)
    usable = is_total & (dispatch != UNKNOWN) & has_value
    unusable = int((is_total & ~usable).sum())
    if unusable:
        recorded.warnings.append(
            f"{recorded.path.name}: left out {unusable} counter values that have no number "
            "or belong to no dispatch"
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
