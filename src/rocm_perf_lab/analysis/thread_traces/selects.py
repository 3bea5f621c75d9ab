"""Elements of an array in registers that an index of data picks: it is compared with every place.

Registers have no addresses. What looks like ``counts[digit]`` becomes a comparison and a choice for
each element, all of which are executed for the one that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.analysis.code.data_flow import Flow
from rocm_perf_lab.analysis.code.register_operands import operands_of

_PLACES = 6  # that one index is compared with: fewer are cases of a program
_COMPARED = re.compile(r"v_cmp_(?:eq|ne)_[ui](?:32|16)")
_CHOSEN = ("v_cndmask_",)


def picked_by_comparison(flows: Sequence[Flow]) -> set[int]:
    """The comparisons, and the choices by them."""
    writer: dict[int, int] = {}
    compared: dict[int, dict[str, list[int]]] = {}  # by index: constants, and where
    choices: list[tuple[int, list[int]]] = []
    for place, flow in enumerate(flows):
        if _COMPARED.match(flow.opcode):
            constant, index = _constant(flow), [r for source in flow.sources for r in source]
            if constant is not None and len(index) == 1 and index[0] in writer:
                found = compared.setdefault(writer[index[0]], {})
                found.setdefault(constant, []).append(place)
        elif flow.opcode.startswith(_CHOSEN):
            by = [writer[r] for source in flow.sources for r in source if r in writer]
            choices.append((place, by))
        for register in flow.writes:
            writer[register] = place
    places = {
        place
        for found in compared.values()
        if len(found) >= _PLACES
        for at in found.values()
        for place in at
    }
    used = {part for _, by in choices for part in by if part in places}
    return used | {place for place, by in choices if any(part in used for part in by)}


def _constant(flow: Flow) -> Optional[str]:
    read = operands_of(flow.text).read
    numbers = [text for text in read if text.lstrip("-")[:1].isdigit()]
    return numbers[0] if len(numbers) == 1 else None
