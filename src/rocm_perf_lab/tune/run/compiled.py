"""Everything compiled before the search: what the model may know of each configuration beside its
parameters, and which ones need no measurement because they do not build."""

from __future__ import annotations

from typing import Callable, Optional

import numpy as np

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.measurement import CodeFacts
from rocm_perf_lab.tune.run.builds import Made
from rocm_perf_lab.tune.search.features import StaticFeatures, unit
from rocm_perf_lab.tune.search.search import ALL
from rocm_perf_lab.tune.space import Space

_MOST_BUILDS = 2_000  # an hour and more
Compiling = Callable[[int, int], None]  # how many of how many


def compiled(space: Space, builds: Made, progress: Optional[Compiling] = None) -> StaticFeatures:
    if space.size > ALL:
        raise UsageError(
            f"--compile-first: {space.size} configurations are too many",
            "narrow the space, or leave it out",
        )
    rows = space.all_rows()
    configurations = [space.configuration(row) for row in rows]
    keys = [builds.key(one) for one in configurations]
    different = dict(zip(keys, configurations))
    if len(different) > _MOST_BUILDS:
        raise UsageError(
            f"--compile-first: {len(different)} different builds are too many (at most"
            f" {_MOST_BUILDS})",
            "narrow the space, or leave it out",
        )
    found: dict[str, Optional[tuple[float, ...]]] = {}
    for number, (key, configuration) in enumerate(different.items(), 1):
        if progress is not None:
            progress(number, len(different))
        problem = builds.build(configuration).problem
        found[key] = None if problem else _numbers(builds.facts(configuration))
    works = [i for i, key in enumerate(keys) if found[key] is not None]
    table = np.array([found[keys[i]] for i in works], float).reshape(len(works), len(_NAMES))
    varies = [i for i, column in enumerate(table.T) if len(set(column)) > 1]
    scaled = np.array([unit(table[:, i]) for i in varies]).T
    names = tuple(_NAMES[i] for i in varies)
    return StaticFeatures(
        names, {rows[i].tobytes(): tuple(scaled[k]) if names else () for k, i in enumerate(works)}
    )


_NAMES = ("vgprs", "LDS", "scratch", "spills", "occupancy")


def _numbers(facts: Optional[CodeFacts]) -> tuple[float, ...]:
    """Without GPU code nothing is known, and that is the same for all."""
    if facts is None:
        return (0.0,) * len(_NAMES)
    amounts = (facts.vgprs, facts.lds_bytes, facts.scratch_bytes, facts.spills)
    return (*(float(np.log2(1 + amount)) for amount in amounts), facts.occupancy or 0.0)
