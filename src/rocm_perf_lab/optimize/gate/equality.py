"""Why an accepted change computes the same: proven for all inputs, or equal in trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.optimize.workshop.workshop import Workshop
from rocm_perf_lab.prove.oracle.executed.plain import PlainBuilds
from rocm_perf_lab.prove.symbolic import SymbolicReport, prove_equal

FOR_ALL_INPUTS = "proven for all inputs"


@dataclass(frozen=True)
class Proof:
    """``words`` are for people; the two kinds are never mixed."""

    words: str
    for_all_inputs: bool = False
    not_varied: tuple[str, ...] = ()  # by the trials; nothing where no trial was needed


def symbolic_proof(
    workshop: Workshop,
    source: Path,
    kernel: str,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
) -> SymbolicReport:
    """Without running anything; what does not even compile that way is not proven."""
    try:
        old, new = (workshop.tree.device_ir(one, source) for one in (before, after))
    except PerfLabError as error:
        return SymbolicReport(False, error.cause, (), 0, 0)
    return prove_equal(old, new, kernel)


def plain_builds(
    workshop: Workshop, source: Path, contents: Mapping[str, bytes]
) -> Optional[PlainBuilds]:
    """None where it does not compile alone, with the flags that are known."""
    old, new = (workshop.tree.plain_code(one, source).file for one in ({}, contents))
    return None if old is None or new is None else PlainBuilds(old, new)
