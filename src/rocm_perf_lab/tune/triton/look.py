"""The first run of the program: which configurations its kernel has, which keys it is launched
with, and the code of all of them, compiled on every core before anything is measured."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.collect.rocprof.application import (
    application_failure,
    cannot_start,
    check_application,
)
from rocm_perf_lab.errors import NothingRecorded, PerfLabError, ToolMissing, UsageError
from rocm_perf_lab.redaction import redacted_words
from rocm_perf_lab.tune.triton.report import Report, read_report
from rocm_perf_lab.tune.triton.shim import sitecustomize as shim
from rocm_perf_lab.tune.triton.target import TritonTarget


@dataclass(frozen=True)
class Looker:
    """Who runs it, and where the code goes: a folder of its own."""

    target: TritonTarget
    prefix: Prefix
    code: Path
    as_code: bool = False  # the table has to be Python
    timeout_s: Optional[float] = None
    echo_stderr: bool = False

    def look(self, argv: Sequence[str]) -> Report:
        check_application(argv)
        self.code.mkdir()
        log = self.code / "log.jsonl"
        environment = {**self.target.environment(log, self.prefix), shim.CODE: str(self.code)}
        try:
            result = run_process(
                argv,
                env={**os.environ, **environment},
                timeout_s=self.timeout_s,
                stdout=Stdout.DISCARD,
                echo_stderr=self.echo_stderr,
            )
        except OSError as error:
            raise cannot_start(argv, error) from error
        report = read_report(log)
        problem = self._problem(report, argv, result)
        if problem is not None:
            raise problem
        return report

    def _problem(
        self, report: Report, argv: Sequence[str], result: ProcessResult
    ) -> Optional[PerfLabError]:
        kernel, alone = self.target.kernel, shlex.join(redacted_words(argv))
        if report.no_triton and not report.autotuned:
            return ToolMissing(
                f"the Python of '{alone}' has no package triton",
                "install it there (python -m pip install triton), or name another Python: "
                f"rocm-perf autotune --triton {self.target.file.name}:{kernel} -- PYTHON ...",
            )
        if not result.ok:
            return application_failure(argv, result, self.timeout_s)
        if not report.started:
            return UsageError(
                f"'{alone}' starts no Python that reads PYTHONPATH",
                "start the program with python itself, without -I, -E or -S",
            )
        if not report.configs:
            return self._not_autotuned(report)
        if len(report.configs) < 2:
            return UsageError(
                f"{kernel} has one configuration: there is nothing to tune",
                f"add triton.Config(...) to its @triton.autotune in {self.target.file.name}",
            )
        if self.as_code and not all(config.exact for config in report.configs):
            return UsageError(
                f"a configuration of {kernel} has a pre_hook or a value that Python code cannot "
                "repeat",
                "write JSON instead: --write FILE.json",
            )
        if not report.launches:
            return NothingRecorded(
                f"'{alone}' never launches {kernel}",
                "give it arguments with which it does, after --",
            )
        return None

    def _not_autotuned(self, report: Report) -> PerfLabError:
        """Other kernels of the program may be."""
        others = ", ".join(report.autotuned)
        said = f"; autotuned are {others}" if others else ""
        return UsageError(
            f"{self.target.kernel} of {self.target.file.name} has no @triton.autotune{said}",
            "write @triton.autotune(configs=[triton.Config(...), ...], key=[...]) before "
            "@triton.jit",
        )
