"""Running a scene in a process of its own and reading the memory that it leaves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ReplayFailed
from rocm_perf_lab.prove.oracle.element_type import Bytes
from rocm_perf_lab.prove.oracle.scene import StagedScene
from rocm_perf_lab.replay.capture_schema import PAGE_BYTES
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.replay.replayer import Comparison, run_replayer
from rocm_perf_lab.replay.variant import VariantCode
from rocm_perf_lab.trace.files.temporary import temporary_folder

# Read by the virtual device. How long it takes is not asked here.
_NO_TIMING = {"VROCM_TIMING": "0"}
_FINDING = re.compile(r"^VROCM_CHECK: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Played:
    """The regions that a run changed, as they are afterwards; or why there is nothing."""

    first: Mapping[int, Bytes] = field(default_factory=dict)  # by base of the region
    last: Mapping[int, Bytes] = field(default_factory=dict)  # after the last of several launches
    failure: Optional[str] = None
    findings: tuple[str, ...] = ()  # of the checks of the virtual device
    not_enforced: tuple[str, ...] = ()  # of the box, around code that is not the captured one


@dataclass(frozen=True)
class Player:
    prefix: Prefix
    device: int
    timeout_s: float

    def play(
        self,
        staged: StagedScene,
        code: Optional[VariantCode],
        *,
        launches: int = 1,
        variables: Optional[Mapping[str, str]] = None,
    ) -> Played:
        """Faults and endless loops are answers too. Other troubles are raised."""
        options = ReplayOptions(iterations=launches, device=self.device, timeout_s=self.timeout_s)
        with temporary_folder("oracle") as folder:
            dump = Path(folder)
            for name in ("0", "0-last"):
                (dump / name).mkdir()
            try:
                result = run_replayer(
                    staged.capture,
                    self.prefix,
                    options,
                    (code,),
                    dump=dump,
                    variables={**_NO_TIMING, **(variables or {})},
                    boxed=code is not None,  # the captured code ran before, in the application
                )
            except ReplayFailed as error:
                return Played(failure=error.cause)
            run = result.variants[0]
            first = _images(staged, run.first, dump / "0")
            last = first if run.last is None else _images(staged, run.last, dump / "0-last")
        findings = tuple(sorted(set(_FINDING.findall(result.said))))
        return Played(first, last, None, findings, result.not_enforced)


def _images(staged: StagedScene, comparison: Comparison, dump: Path) -> dict[int, Bytes]:
    """Whole regions: what was there before, and the changed pages over it."""
    images = {}
    for difference in comparison.differences:
        image = staged.before(difference.base)
        pages = np.fromfile(dump / f"region_{difference.base:x}.bin", dtype=np.uint8)
        at = 0
        for first, count in difference.runs:
            begin = first * PAGE_BYTES
            end = min(begin + count * PAGE_BYTES, len(image))
            image[begin:end] = pages[at : at + end - begin]
            at += end - begin
        images[difference.base] = image
    return images
