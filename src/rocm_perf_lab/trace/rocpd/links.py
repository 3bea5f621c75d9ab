"""``rocpd_event``: what links a GPU operation to the API call that caused it.

``stack_id`` is rocprofiler's internal correlation id and the only usable link;
``correlation_id`` is the external one and says nothing about the launching call.
"""

from __future__ import annotations

from functools import cached_property
from typing import Optional, Union

from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn
from rocm_perf_lab.trace.rocpd.process import RocpdProcess, pick


class EventLinks:
    """Looks up events by id; the table is read once, when first needed."""

    def __init__(self, recorded: RocpdProcess) -> None:
        self._recorded = recorded
        self._asked: Optional[IntColumn] = None
        self._positions: Union[IntColumn, slice]

    @cached_property
    def _events(self) -> dict[str, IntColumn]:
        names = ("id", "category_id", "stack_id", "parent_stack_id")
        return self._recorded.integers("rocpd_event", names)

    def stack_ids(self, event_ids: IntColumn) -> IntColumn:
        return self._column(event_ids, "stack_id")

    def parent_stack_ids(self, event_ids: IntColumn) -> IntColumn:
        return self._column(event_ids, "parent_stack_id")

    def categories(self, event_ids: IntColumn) -> IndexColumn:
        """Indexes into the trace's strings: HIP_RUNTIME_API_EXT, MARKER_CORE_RANGE_API, ..."""
        ids = self._column(event_ids, "category_id")
        if self._recorded.tables.has("rocpd_info_category"):
            return self._recorded.indexes_of_named(ids, "rocpd_info_category", "name")
        return self._recorded.text_indexes(ids)

    def _column(self, event_ids: IntColumn, name: str) -> IntColumn:
        if event_ids is not self._asked:  # several columns of the same events are usual
            self._asked = event_ids
            self._positions = _in_a_row(positions_of(event_ids, self._events["id"]))
        if isinstance(self._positions, slice):
            return self._events[name][self._positions]
        return pick(self._events[name], self._positions)


def _in_a_row(positions: IntColumn) -> Union[IntColumn, slice]:
    """As a slice where each stands behind the other, as events of one table do: a view will do."""
    if not len(positions) or positions[0] == UNKNOWN:
        return positions
    if (positions[1:] - positions[:-1] != 1).any():
        return positions
    return slice(int(positions[0]), int(positions[-1]) + 1)
