"""How many threads a block has at most is promised to the compiler, when the user asks for it.

Without a promise the compiler reserves for blocks of 1024 threads: four waves on each SIMD, 128
vector registers a thread, and what does not fit goes to scratch memory. A smaller block leaves room
for more. The promise does not follow from the source: it is what all launches that were seen keep
to, and a launch with a larger block fails from then on. So it is only made with
``--allow launch-bounds``, and it is the one change outside of a body.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH, UNDER_OCCUPIED
from rocm_perf_lab.optimize.guards.scope import has_launch_bounds
from rocm_perf_lab.optimize.rules.reading.place import cannot
from rocm_perf_lab.optimize.rules.rule import LAUNCH_BOUNDS, CannotChange, Change, Situation

_UNBOUNDED = 1024  # threads, what the compiler assumes


class LaunchBounds:
    name = "launch-bounds"
    helps = (LATENCY, UNDER_OCCUPIED, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        if LAUNCH_BOUNDS not in situation.allowed:
            return
        why = _why_not(situation)
        threads = situation.largest_block
        if why is not None or threads is None:
            yield cannot(situation, situation.kernel.tree, why or "no launch of it was seen")
            return
        yield Change(
            (),
            f"promise blocks of at most {threads} threads for {situation.kernel.name}",
            f"no launch that was seen has more than {threads} threads in a block",
            threads,
        )


def _why_not(situation: Situation) -> Optional[str]:
    kernel = situation.kernel
    tokens = situation.unit.files[kernel.path].tokens
    if has_launch_bounds(tokens, kernel):
        return "it has launch bounds already"
    if not any(t.name == "__global__" and t.span.start in kernel.span for t in tokens):
        return "its __global__ comes from a macro"
    if situation.largest_block is not None and situation.largest_block >= _UNBOUNDED:
        return f"its blocks have {_UNBOUNDED} threads, which the compiler assumes already"
    return None
