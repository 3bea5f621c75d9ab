"""Whether a value stays the same while a piece of code runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.aliasing import may_overlap
from rocm_perf_lab.optimize.rules.reading.purity import Access, Effects, effects_of, why_fixed
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.source.model import Node


def why_it_varies(
    values: Iterable[Node], during: Effects, situation: Situation, changing: Iterable[str] = ()
) -> Optional[str]:
    """None when it cannot change; ``changing`` are variables that change besides ``during``."""
    used = effects_of(values, situation.unit)
    if not used.is_value:
        return "it is more than a value"
    changed = sorted(used.reads & {*during.writes, *changing})
    if changed:
        return f"{changed[0]} changes"
    if used.loads:
        fixed = why_fixed(during, situation.unit)
        if fixed is not None:
            return f"memory is read, and {fixed[1]}"
    for load in used.loads:
        for store in during.stores:
            if may_overlap(load, store, situation.kernel):
                return meeting(load, store)
    return None


def meeting(load: Access, store: Access) -> str:
    return (
        f"the store to {store.root or 'an address that is not clear'} may change "
        f"what is read from {load.root or 'an address that is not clear'}"
    )


def overlapping_pairs(
    values: Iterable[Node], during: Effects, situation: Situation
) -> list[tuple[Access, Access]]:
    """Loads of ``values`` with the stores that may change what they read."""
    used = effects_of(values, situation.unit)
    return [
        (load, store)
        for load in used.loads
        for store in during.stores
        if may_overlap(load, store, situation.kernel)
    ]
