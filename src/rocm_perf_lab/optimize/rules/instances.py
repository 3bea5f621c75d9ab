"""Rules on a template of which the program has one instance.

Rules see its types. What a rule would write for the template as it stands, it may write; what it
writes because of these types holds for this instance alone, so the compiler has to check it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Union

from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Rule, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indentation
from rocm_perf_lab.optimize.source.model import Span


def looked(rule: Rule, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
    instance = situation.instance
    if instance is None:
        yield from rule.look(situation)
        return
    template = replace(situation, kernel=instance.pattern, instance=None)
    for_all = {found.edits for found in rule.look(template) if isinstance(found, Change)}
    for found in rule.look(situation):
        if isinstance(found, CannotChange) or found.edits in for_all:
            yield found
        else:
            yield replace(found, relies_on=instance.promise)


def assertion(situation: Situation, change: Change) -> tuple[Edit, ...]:
    """What a change relies on, at the start of the body if it is not there already."""
    data, body, promise = situation.data, situation.kernel.body, change.relies_on
    if promise is None or _letters(promise.encode()) in _letters(body.of(data)):
        return ()
    indent = indentation(data, situation.kernel.span.start) + indent_step(data, situation.kernel)
    line = f'static_assert({promise}, "the body was changed for this instance");'
    place = Span(body.start + 1, body.start + 1)
    return (Edit(place, b"\n" + indent + line.encode()),)


def _letters(text: bytes) -> bytes:
    return b"".join(text.split())
