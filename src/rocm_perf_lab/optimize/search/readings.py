"""A kernel as it stands, and as it reads with one of its loops written as ``for``.

Rules read loops that count from the header of a ``for``. A change that they make to such a reading
is a change of that loop; what they find elsewhere they find without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Callable, Optional, Union

from rocm_perf_lab.optimize.refusal import Location
from rocm_perf_lab.optimize.rules.instances import looked
from rocm_perf_lab.optimize.rules.reading.loop_shape import NOT_FOR, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Rule, Situation
from rocm_perf_lab.optimize.rules.writing.as_for import as_for, other_loops
from rocm_perf_lab.optimize.source.model import Node, Span

MOST_LOOPS = 4  # of one kernel that are read in another form
ReadWith = Callable[[Situation, Edit], Optional[Situation]]


@dataclass(frozen=True)
class Reading:
    situation: Situation
    loop: Optional[Span] = None  # that is rewritten in it; None: the text as it is

    def look(self, rule: Rule) -> Iterator[Union[Change, CannotChange]]:
        for found in looked(rule, self.situation):
            if self.loop is None or self._is_about(found, self.loop):
                yield found

    def _is_about(self, found: Union[Change, CannotChange], loop: Span) -> bool:
        if isinstance(found, Change):
            return any(
                edit.span.start < loop.end and loop.start <= edit.span.end for edit in found.edits
            )
        path, data = self.situation.kernel.path, self.situation.data
        return found.location == Location.of(path, data, loop.start)


class Readings:
    """Of one version of a kernel, the text as it is first."""

    def __init__(self, situation: Situation, read_with: ReadWith) -> None:
        self._read_with = read_with
        self._said: dict[Optional[Location], Optional[CannotChange]] = {}
        self.all = (Reading(situation), *self._others(situation))

    def reason(self, found: CannotChange) -> Optional[CannotChange]:
        """What to say where a rule saw no ``for``: why it cannot be read as one, or nothing."""
        return self._said.get(found.location, found) if found.why == NOT_FOR else found

    def _others(self, situation: Situation) -> Iterator[Reading]:
        left = MOST_LOOPS
        for node in other_loops(situation):
            edit = as_for(situation, node)
            if isinstance(edit, CannotChange):
                self._said[edit.location] = edit
            elif left > 0:
                left -= 1
                reading = self._read(situation, node, edit)
                if reading is not None:
                    yield reading

    def _read(self, situation: Situation, node: Node, edit: Edit) -> Optional[Reading]:
        place = cannot(situation, node, NOT_FOR)
        read = self._read_with(situation, edit)
        span = Span(edit.span.start, edit.span.start + len(edit.text))
        loops = [] if read is None else [n for n in read.kernel.loops() if n.span.start in span]
        if read is None or not loops:
            return None
        counted = counted_loop(read, loops[0])
        if isinstance(counted, CannotChange):
            self._said[place.location] = CannotChange(counted.why, place.location)
            return None
        self._said[place.location] = None
        return Reading(read, Span(loops[0].span.start, span.end))
