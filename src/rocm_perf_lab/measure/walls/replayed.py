"""One launch, captured once and replayed with mechanisms of the device free."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.diagnosis.ladder import Freed
from rocm_perf_lab.arch.ideal import load_place
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.collect.rocprof.options import Progress, Step
from rocm_perf_lab.errors import ReplayRefused
from rocm_perf_lab.measure.walls.climbing import check_known, environment_of
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.isolate import IsolateOptions, isolate
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.replay.replay import refuse_unsupported
from rocm_perf_lab.replay.replayer import ReplayerResult, run_replayer
from rocm_perf_lab.replay.variant import VariantCode, variant_code

_MOST_BYTES = 4 << 30  # of memory that is written to disk for the ladder alone
_UNLIKE = 0.1  # of the time in the application: other memory in the caches, another hand-over
_UNTIMED = {"VROCM_TIMING": "0"}  # a capture holds memory, and no times


@dataclass(frozen=True)
class Replay:
    """``warm``: the caches hold what the launch before left, which was the same one."""

    capture: Capture
    prefix: Prefix
    warm: bool
    code: Optional[VariantCode] = None  # loaded as a program does it; None: where it was

    def __call__(self, freed: Freed, number: int, progress: Progress) -> float:
        step = Step(f"walls, replay {number}", 1, 1)
        progress.started(step, ("replay", str(self.capture.folder)))
        ns = self.at("", freed)
        progress.finished(step, 0)
        return ns

    def at(self, line: str, freed: Freed) -> float:
        """With the instructions of the line free, too, if one is given."""
        found = run_replayer(
            self.capture,
            self.prefix,
            ReplayOptions(warmup=int(self.warm)),
            (self.code,),
            variables={**environment_of(freed), load_place().variable: line},
        )
        check_known(freed, found.agent.product if found.agent else None)
        return found.variants[0].samples_ns[0]

    def loaded(self, folder: Path) -> Replay:
        """The same with its code loaded from a file, which has the lines of its source."""
        folder.mkdir(exist_ok=True)
        code = variant_code(self.capture.folder / "kernel.hsaco", self.capture, folder)
        return replace(self, code=code)


def twice(capture: Capture, prefix: Prefix) -> ReplayerResult:
    """Its first time has cold caches, its second one warm ones."""
    refuse_unsupported(capture, allowed=False)
    options = ReplayOptions(iterations=2)
    return run_replayer(capture, prefix, options, variables=environment_of(frozenset()))


def like_the_application(capture: Capture, prefix: Prefix, launch_ns: float) -> Replay:
    """The replay whose time is the one that the launch takes in its application."""
    cold, warm = twice(capture, prefix).variants[0].samples_ns
    nearest = min(cold, warm, key=lambda ns: abs(ns - launch_ns))
    if abs(nearest - launch_ns) > _UNLIKE * launch_ns:
        raise ReplayRefused(
            f"a replay of the launch takes {nearest / 1e3:.4g} us, but {launch_ns / 1e3:.4g} us in "
            "the application"
        )
    return Replay(capture, prefix, warm=nearest == warm and cold != warm)


def captured(
    argv: Sequence[str],
    prefix: Prefix,
    symbol: str,
    launch: int,
    folder: Path,
    timeout_s: Optional[float],
) -> Capture:
    """``launch`` counts from 1 over the launches of this symbol, or of this demangled name."""
    options = IsolateOptions(
        kernel=f"^{re.escape(symbol)}(\\.kd| \\[clone \\.kd\\])?$",
        dispatch=launch - 1,
        out=folder,
        max_bytes=_MOST_BYTES,
        timeout_s=timeout_s,
        start=_start_silently,
    )
    return isolate(argv, prefix, options).capture


def _start_silently(
    argv: Sequence[str],
    *,
    env: Optional[Mapping[str, str]] = None,
    cwd: Optional[Path] = None,
    timeout_s: Optional[float] = None,
    stdout: Stdout = Stdout.DISCARD,
    echo_stderr: bool = False,
) -> ProcessResult:
    """What the application says was read before, when its times were taken."""
    del stdout, echo_stderr
    return run_process(
        argv,
        env={**(env or {}), **_UNTIMED},
        cwd=cwd,
        timeout_s=timeout_s,
        stdout=Stdout.DISCARD,
        echo_stderr=False,
    )
