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
from rocm_perf_lab.analysis.thread_traces.taken import Taken

_PLACES = 6  # that one index is compared with: fewer are cases of a program
_COMPARED = re.compile(r"v_cmp_(?:eq|ne)_[ui](?:32|16)")
_CHOSEN = "v_cndmask_"


def picked_by_comparison(flows: Sequence[Flow], taken: Sequence[Taken]) -> set[int]:
    """The comparisons, and the choices by them."""
    compared: dict[int, dict[str, list[int]]] = {}  # by index: constants, and where
    choices: list[tuple[int, list[int]]] = []
    for place, (flow, took) in enumerate(zip(flows, taken)):
        parts = [part for source in took.sources for part in source]
        if flow.opcode.startswith(_CHOSEN):
            choices.append((place, parts))
        elif _COMPARED.match(flow.opcode):
            constant = _constant(flow)
            if constant is not None and len(parts) == 1:
                compared.setdefault(parts[0], {}).setdefault(constant, []).append(place)
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
