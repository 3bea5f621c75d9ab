"""What limits each kernel, what is left to gain, and how much that would matter end to end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.verdicts.bottleneck import Verdict, judge
from rocm_perf_lab.analysis.verdicts.formulas import launch_floor
from rocm_perf_lab.analysis.verdicts.headroom import Headroom, headroom_of, optimisation_score
from rocm_perf_lab.analysis.verdicts.measured import MeasuredKernel
from rocm_perf_lab.analysis.verdicts.timing import Timing
from rocm_perf_lab.errors import NothingRecorded

_MOST_NAMED, _NAME_WIDTH = 5, 60


@dataclass(frozen=True)
class KernelVerdict:
    kernel: MeasuredKernel
    verdict: Verdict
    headroom: Optional[Headroom]
    criticality: float  # share of the critical path, or of the time of all kernels
    stands_for: int = 1  # more: the sum of so many kernels with too little time to be judged

    @property
    def score(self) -> Optional[float]:
        return optimisation_score(self.headroom, self.criticality) if self.headroom else None


def judge_kernels(kernels: Sequence[MeasuredKernel], timing: Timing) -> tuple[KernelVerdict, ...]:
    """The one that is most worth working on first."""
    path = timing.trusted_path
    found = []
    for kernel in kernels:
        verdict = judge(kernel.facts)
        on_path = path.kernels.get(kernel.name) if path else None
        beside = 0.0 if path else kernel.share
        found.append(
            KernelVerdict(
                kernel=kernel,
                verdict=verdict,
                headroom=headroom_of(kernel.facts.reached, verdict.metrics),
                criticality=on_path.fraction if on_path else beside,
            )
        )
    return tuple(sorted(found, key=_order))


def named(verdicts: Sequence[KernelVerdict], kernel: Optional[str]) -> Optional[KernelVerdict]:
    """Of those whose name matches the regular expression the one with the largest part of the
    time."""
    if kernel is None:
        return None
    pattern = re.compile(kernel)
    found = [one for one in verdicts if one.stands_for == 1 and pattern.search(one.kernel.name)]
    if not found:
        names = ", ".join(one.kernel.name[:_NAME_WIDTH] for one in verdicts[:_MOST_NAMED])
        raise NothingRecorded(
            f"no kernel matches --kernel '{kernel}'", f"recorded kernels: {names}"
        )
    return max(found, key=lambda one: (one.criticality, one.kernel.total_ns))


def not_judged(kernel: MeasuredKernel, stands_for: int) -> KernelVerdict:
    """With its part of launching, which tells what fusing all kernels would gain."""
    floor = launch_floor(kernel.facts, {})
    known = {} if floor is None else {"launch_floor": floor}
    verdict = Verdict(None, None, None, False, 0.0, (), (), known)
    return KernelVerdict(kernel, verdict, None, 0.0, stands_for)


def _order(found: KernelVerdict) -> tuple[float, float, str]:
    score = found.criticality if found.score is None else found.score
    return (-score, -found.criticality, found.kernel.name)
