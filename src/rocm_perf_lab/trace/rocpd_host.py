"""What the host did: API calls and markers of one process of a rocpd database."""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np

from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import ApiCalls, IntColumn, Markers
from rocm_perf_lab.trace.rocpd_links import EventLinks
from rocm_perf_lab.trace.rocpd_process import RocpdProcess, pick

_MARKER_CATEGORY = "MARKER_CORE"  # ranges and marks; CONTROL and NAME calls carry no text


def read_api_calls(recorded: RocpdProcess, links: EventLinks) -> ApiCalls:
    rows = recorded.timed("rocpd_region", ("name_id", "event_id"))
    return ApiCalls(
        start=rows["start"],
        end=rows["end"],
        name=recorded.text_indexes(rows["name_id"]),
        category=links.categories(rows["event_id"]),
        process=np.zeros(len(rows["start"]), dtype=np.int32),
        thread=rows["tid"],
        stack_id=links.stack_ids(rows["event_id"]),
        parent_stack_id=links.parent_stack_ids(rows["event_id"]),
        event_id=rows["event_id"],
    )


def read_markers(recorded: RocpdProcess, links: EventLinks) -> Markers:
    """ROCTx ranges (regions) and marks (samples) with the text the application gave them."""
    ranges = recorded.timed("rocpd_region", ("name_id", "event_id"))
    marks = _read_marks(recorded)
    rows = {name: np.concatenate([ranges[name], marks[name]]) for name in marks}
    category = links.categories(rows["event_id"])
    names = recorded.strings.as_tuple()
    is_marker = np.array([name.startswith(_MARKER_CATEGORY) for name in names], dtype=bool)
    chosen = is_marker[category] if len(category) else np.zeros(0, dtype=bool)
    rows = {name: column[chosen] for name, column in rows.items()}
    messages = _messages(recorded, set(rows["event_id"].tolist()))
    fallback = recorded.text_indexes(rows["name_id"])
    texts = recorded.strings.as_tuple()
    return Markers(
        start=rows["start"],
        end=rows["end"],
        message=recorded.strings.add_all(
            [
                messages.get(event) or texts[name]
                for event, name in zip(rows["event_id"].tolist(), fallback.tolist())
            ]
        ),
        process=np.zeros(len(rows["start"]), dtype=np.int32),
        thread=rows["tid"],
    )


def _read_marks(recorded: RocpdProcess) -> dict[str, IntColumn]:
    """Calls without a duration, such as roctxMark, are rows of ``rocpd_sample``."""
    names = ("track_id", "timestamp", "timestamp_id", "event_id")
    samples = recorded.integers("rocpd_sample", names)
    track = recorded.integers("rocpd_track", ("id", "tid", "name_id"))
    position = positions_of(samples["track_id"], track["id"])
    time = samples["timestamp"]
    if recorded.tables.has("rocpd_timestamp"):
        times = recorded.integers("rocpd_timestamp", ("id", "value"))
        time = pick(times["value"], positions_of(samples["timestamp_id"], times["id"]))
    return {
        "start": time,
        "end": time,
        "tid": pick(track["tid"], position),
        "name_id": pick(track["name_id"], position),
        "event_id": samples["event_id"],
    }


def _messages(recorded: RocpdProcess, event_ids: set[int]) -> dict[int, str]:
    if not event_ids:
        return {}
    messages = {}
    for event_id, extdata in recorded.rows("rocpd_event", ("id", "extdata")):
        if event_id in event_ids:
            message = _message(extdata)
            if message:
                messages[event_id] = message
    return messages


def _message(extdata: Any) -> Optional[str]:
    try:
        message = json.loads(extdata)["message"]
    except (TypeError, ValueError, KeyError, RecursionError):
        return None
    return message if isinstance(message, str) else None
