"""Which bounds decided times of the virtual device: notes beside the events of dispatches.

Notes lie in a column that readers of rocpd pass by. A tag says that there are any, so that nobody
has to look through millions of events for them.
"""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np

from rocm_perf_lab.trace.model import IntColumn, TimeBounds
from rocm_perf_lab.trace.rocpd.process import RocpdProcess

BOUNDS_TAG = "rocm_perf_lab_time_bounds"


def bound_note(name: str, simulated_ns: int) -> str:
    return json.dumps({"bound": {"name": name, "simulated_ns": simulated_ns}})


def has_bounds(recorded: RocpdProcess) -> bool:
    return any(tag == BOUNDS_TAG for (tag,) in recorded.rows("rocpd_metadata", ("tag",)))


def read_bounds(recorded: RocpdProcess, dispatch_events: IntColumn) -> TimeBounds:
    """Those of the dispatches with these event ids, which stand in dispatch order."""
    row_of = {event: row for row, event in enumerate(dispatch_events.tolist())}
    notes = recorded.rows("rocpd_event", ("id", "extdata"), "extdata <> '{}'")
    read = ((row_of.get(event), _bound(extdata)) for event, extdata in notes)
    found = sorted((row, *bound) for row, bound in read if row is not None and bound)
    return TimeBounds(
        dispatch=np.array([row for row, _, _ in found], dtype=np.int32),
        name=recorded.strings.add_all([name for _, name, _ in found]),
        simulated=np.array([simulated for _, _, simulated in found], dtype=np.int64),
    )


def _bound(extdata: Any) -> Optional[tuple[str, int]]:
    try:
        bound = json.loads(extdata)["bound"]
        return str(bound["name"]), int(bound["simulated_ns"])
    except (TypeError, ValueError, KeyError, RecursionError):
        return None
