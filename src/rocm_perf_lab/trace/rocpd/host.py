"""What the host did: API calls and markers of one process of a rocpd database."""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import ApiCalls, IndexColumn, IntColumn, Markers
from rocm_perf_lab.trace.rocpd.links import EventLinks
from rocm_perf_lab.trace.rocpd.process import RocpdProcess, pick
from rocm_perf_lab.trace.vocabulary import is_marker

_NAMES = ("name_id", "event_id")


class HostCalls:
    """The regions of the host, split into API calls and ROCTx ranges."""

    def __init__(self, recorded: RocpdProcess, links: EventLinks) -> None:
        self._recorded = recorded
        self._links = links
        rows = recorded.timed("rocpd_region", _NAMES)
        self._category = links.categories(rows["event_id"])
        self._regions = rows
        self._is_marker = self._marks_markers(self._category)

    def api_calls(self) -> ApiCalls:
        rows, category = self._regions, self._category
        if self._is_marker.any():
            rows = {name: column[~self._is_marker] for name, column in rows.items()}
            category = category[~self._is_marker]
        return ApiCalls(
            start=rows["start"],
            end=rows["end"],
            name=self._recorded.text_indexes(rows["name_id"]),
            category=category,
            process=np.zeros(len(rows["start"]), dtype=np.int32),
            thread=rows["tid"],
            stack_id=self._links.stack_ids(rows["event_id"]),
            parent_stack_id=self._links.parent_stack_ids(rows["event_id"]),
            event_id=rows["event_id"],
        )

    def markers(self) -> Markers:
        """ROCTx ranges (regions) and marks (samples) with the text the application gave them."""
        marks = self._read_marks()
        rows = {
            name: np.concatenate([self._regions[name][self._is_marker], marks[name]])
            for name in marks
        }
        messages = self._messages(set(rows["event_id"].tolist()))
        names = self._recorded.text_indexes(rows["name_id"]).tolist()
        strings = self._recorded.strings
        texts = strings.as_tuple()
        events = rows["event_id"].tolist()
        return Markers(
            start=rows["start"],
            end=rows["end"],
            message=strings.add_all(
                [messages.get(event) or texts[name] for event, name in zip(events, names)]
            ),
            process=np.zeros(len(rows["start"]), dtype=np.int32),
            thread=rows["tid"],
        )

    def _marks_markers(self, category: IndexColumn) -> npt.NDArray[np.bool_]:
        names = self._recorded.strings.as_tuple()
        by_string = np.array([is_marker(name) for name in names] or [False], dtype=bool)
        return np.asarray(by_string[category], dtype=bool)

    def _read_marks(self) -> dict[str, IntColumn]:
        """Calls without a duration, such as roctxMark, are rows of ``rocpd_sample``."""
        recorded = self._recorded
        samples = recorded.integers(
            "rocpd_sample", ("track_id", "timestamp", "timestamp_id", "event_id")
        )
        track = recorded.integers("rocpd_track", ("id", "tid", "name_id"))
        position = positions_of(samples["track_id"], track["id"])
        time = samples["timestamp"]
        if recorded.tables.has("rocpd_timestamp"):
            times = recorded.integers("rocpd_timestamp", ("id", "value"))
            time = pick(times["value"], positions_of(samples["timestamp_id"], times["id"]))
        rows = {
            "start": time,
            "end": time,
            "tid": pick(track["tid"], position),
            "name_id": pick(track["name_id"], position),
            "event_id": samples["event_id"],
        }
        wanted = self._marks_markers(self._links.categories(rows["event_id"])) & (time >= 0)
        return {name: column[wanted] for name, column in rows.items()}

    def _messages(self, event_ids: set[int]) -> dict[int, str]:
        if not event_ids:
            return {}
        rows = self._recorded.rows("rocpd_event", ("id", "extdata"), "extdata <> '{}'")
        found = {row_id: _message(extdata) for row_id, extdata in rows if row_id in event_ids}
        return {event_id: message for event_id, message in found.items() if message}


def _message(extdata: Any) -> Optional[str]:
    try:
        message = json.loads(extdata)["message"]
    except (TypeError, ValueError, KeyError, RecursionError):
        return None
    return message if isinstance(message, str) else None
