"""The application, every version of it, in a box: the same empty folder, the same environment.

What lies where the user starts it is there as links, which can be read and not written. Whatever a
run leaves behind is gone before the next one, so that no version learns from another.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.box import BoxResult, Limits, device_variables, prepare_run_folder, run_boxed
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult
from rocm_perf_lab.collect.rocprof.options import StartOptions
from rocm_perf_lab.prove.oracle.application import Output

if TYPE_CHECKING:
    from typing_extensions import Unpack

_RECORDINGS = "recordings"
_CAPTURE_VARIABLES = ("ROCM_PERF_CAPTURE_", "HSA_TOOLS_")
_CAPTURE_BYTES = 1 << 40  # all memory that a dispatch can reach is written; the disk is the limit
_PROFILER_SECONDS = 60.0  # on top of the application's own limit


@dataclass(frozen=True)
class BoxedApplication:
    """``inputs`` is where the user starts it, ``programs`` where the versions were built."""

    prefix: Prefix
    folder: Path
    inputs: Path
    programs: Path
    limits: Limits
    not_enforced: set[str] = field(default_factory=set)  # by any run so far, with the reason

    @property
    def recordings(self) -> Path:
        """Where a profiler in the box may write."""
        return self.folder / _RECORDINGS

    def start(self, argv: Sequence[str], **options: Unpack[StartOptions]) -> ProcessResult:
        """As ``run_process``; of ``env`` only what steers the device is passed on."""
        began = time.perf_counter_ns()
        kept = device_variables(options.get("env") or {})
        done = self._run(argv, kept, options.get("timeout_s"), self.limits)
        return _process(argv, done, time.perf_counter_ns() - began)

    def capture(self, argv: Sequence[str], **options: Unpack[StartOptions]) -> ProcessResult:
        """As ``start``, with the capture library in it, which writes below ``recordings``."""
        began = time.perf_counter_ns()
        given = options.get("env") or {}
        own = {k: v for k, v in given.items() if k.startswith(_CAPTURE_VARIABLES)}
        kept = {**device_variables(given), **own}
        libraries = [Path(word).parent for word in kept.get("HSA_TOOLS_LIB", "").split()]
        limits = replace(self.limits, file_bytes=_CAPTURE_BYTES, disk_bytes=_CAPTURE_BYTES)
        done = self._run(argv, kept, options.get("timeout_s"), limits, libraries)
        return _process(argv, done, time.perf_counter_ns() - began)

    def output(
        self,
        argv: Sequence[str],
        timeout_s: Optional[float] = None,
        variables: Optional[Mapping[str, str]] = None,
    ) -> Output:
        """What a run without a profiler prints; at most the end of it, as the box keeps it."""
        environment = {**device_variables(os.environ), **(variables or {})}
        done = self._run(argv, environment, timeout_s, self.limits)
        return Output(done.ending, done.ok, done.stdout, {})

    def prepared(self) -> Path:
        """The folder, as a run finds it."""
        prepare_run_folder(self.folder, self.inputs, kept=(_RECORDINGS,))
        self.recordings.mkdir(exist_ok=True)
        return self.folder

    def _run(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        timeout_s: Optional[float],
        limits: Limits,
        readable: Sequence[Path] = (),
    ) -> BoxResult:
        if timeout_s is not None:
            limits = replace(limits, seconds=timeout_s + _PROFILER_SECONDS)
        done = run_boxed(
            argv,
            self.prepared(),
            self.prefix.path,
            limits=limits,
            readable=[self.inputs, self.programs, *readable],
            environment=environment,
        )
        self.not_enforced.update(done.not_enforced)
        return done


def _process(argv: Sequence[str], done: BoxResult, wall_ns: int) -> ProcessResult:
    return ProcessResult(
        argv=tuple(argv),
        exit_code=done.exit_code if done.ended_by is None else None,
        signal=done.signal,
        timed_out=done.ended_by == "time",
        wall_ns=wall_ns,
        stderr_tail=_stderr(done),
        stdout=done.stdout,
    )


def _stderr(done: BoxResult) -> str:
    text = done.stderr.decode("utf-8", "replace")
    return f"{text}\n{done.ending}" if done.ended_by else text
