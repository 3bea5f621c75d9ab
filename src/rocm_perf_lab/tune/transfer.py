"""``--from-journal``: what was best elsewhere (another GPU, another size) is measured first.

Times of another machine are never given to the model: only where to look.
"""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.recorded import Recorded
from rocm_perf_lab.tune.space import Codes, Space

TAKEN = 6


def best_elsewhere(space: Space, other: Recorded, path: Path) -> list[Codes]:
    """The fastest ones of the other results that are configurations of this space."""
    names = [parameter.name for parameter in space.parameters]
    found: list[Codes] = []
    good = [one for one in other.answers.values() if one.value is not None]
    for one in sorted(good, key=lambda one: one.value or 0.0):
        try:
            row = space.row_of({name: one.configuration[name] for name in names})
        except (KeyError, UsageError):
            continue  # a value that this space does not have
        if _is_in(space, row) and not any((row == other_row).all() for other_row in found):
            found.append(row)
        if len(found) == TAKEN:
            break
    if not found:
        raise UsageError(
            f"no configuration of {path} is one of this space",
            "the parameters need the same names and values",
        )
    return found


def _is_in(space: Space, row: Codes) -> bool:
    if space.rows is not None:
        return bool((space.rows == row).all(axis=1).any())
    return bool(space.allows(row[None, :])[0])
