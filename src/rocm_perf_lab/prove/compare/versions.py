"""Two versions of a captured kernel in one process: equal, and which is faster?

A round launches A, the same code again, and B, in random order: a block of the judge. Launches of
one process share its clock and its addresses, so that this says nothing of other processes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.compare.versions_schema import (
    SCHEMA_VERSION,
    ComparedVersion,
    OfTimes,
    Outcome,
    TimesJudged,
    VersionsDocument,
)
from rocm_perf_lab.prove.judge import Block, Samples, Verdict, judge
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.replay.replay import Version, run_versions
from rocm_perf_lab.replay.verify import Tolerance

_ORDER_SEED = 1
_WORDS: dict[str, OfTimes] = {
    "ACCEPT": "faster",
    "REJECT": "slower",
    "NO_CHANGE": "no_change",
    "INCONCLUSIVE": "inconclusive",
}


def compare_versions(
    capture: Capture,
    prefix: Prefix,
    options: ReplayOptions,
    hsacos: Sequence[Path],
    *,
    tolerance: Optional[Tolerance] = None,
    allow_unsupported: bool = False,
) -> VersionsDocument:
    """The captured code or the first file (A) against another (B)."""
    if not 1 <= len(hsacos) <= 2:
        hint = "one is compared with the captured code"
        raise UsageError("compare takes one or two --hsaco", hint)
    first = hsacos[0] if len(hsacos) == 2 else None
    ran = run_versions(
        capture,
        prefix,
        replace(options, shuffle_seed=_ORDER_SEED),
        (first, first, hsacos[-1]),
        tolerance=tolerance,
        allow_unsupported=allow_unsupported,
    )
    times = judged_times(*(version.timing.raw_ns for version in ran.versions))
    verdict, reason = _outcome(ran.versions, times)
    a, again, b = (
        ComparedVersion(hsaco_path=v.hsaco_path, timing=v.timing, verification=v.verification)
        for v in ran.versions
    )
    return VersionsDocument(
        schema_version=SCHEMA_VERSION,
        kernel=ran.kernel,
        verdict=verdict,
        reason=reason,
        variants=(a, b),
        again=again,
        order_seed=_ORDER_SEED,
        judgement=times,
        environment=ran.environment,
    )


def judged_times(a: Sequence[float], again: Sequence[float], b: Sequence[float]) -> TimesJudged:
    rounds = (Block((one,), (two,), (three,)) for one, two, three in zip(a, again, b))
    verdict = judge(Samples("ns", tuple(rounds)))
    return TimesJudged(
        verdict=_WORDS[verdict.verdict],
        speedup=verdict.effect,
        low=verdict.low if verdict.low > 0 else None,
        high=verdict.high if math.isfinite(verdict.high) else None,
        p=verdict.p,
        rounds=verdict.blocks,
        reason=_reason(verdict),
        needed=None if verdict.needed is None else verdict.needed.replace("blocks", "rounds"),
    )


def _reason(verdict: Verdict) -> str:
    return verdict.reason.replace("blocks", "rounds").replace("processes", "launches")


def _outcome(versions: Sequence[Version], times: TimesJudged) -> tuple[Outcome, str]:
    """How fast a version is counts only when all of them compute what they should."""
    for verdict in ("different", "unverified"):  # the worst first
        for name, version in zip(("A", "A again", "B"), versions):
            one = version.verification
            if one.verdict == verdict:
                return one.verdict, f"the output of {name}: {one.reason}; its time proves nothing"
    return times.verdict, times.reason
