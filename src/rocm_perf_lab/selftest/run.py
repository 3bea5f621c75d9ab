"""Runs steps in sequence, each as a process of its own, and says what holds."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Protocol

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.errors import EXIT_CODES, EXIT_TOOL_MISSING
from rocm_perf_lab.selftest.result import FAILS, HOLDS, NOT_HERE, NOT_RUN, Status, StepResult
from rocm_perf_lab.selftest.seen import Lacks, NotHere, Seen
from rocm_perf_lab.selftest.steps import BUILD, Step

LOGS = "logs"
_MOST_STDOUT = 64 * 1024 * 1024
_EXTRA = re.compile(r"rocm-perf-lab\[[a-z,]+\]")  # how errors name packages that are optional


class Progress(Protocol):
    def started(self, name: str, position: int, total: int) -> None: ...

    def ended(self, result: StepResult) -> None: ...


@dataclass(frozen=True)
class _Verdict:
    status: Status
    reason: Optional[str] = None
    next_step: Optional[str] = None


@dataclass
class Runner:
    """``folder``: of work; everything that steps write lies in it."""

    prefix: Prefix
    target: str
    folder: Path
    progress: Progress
    _stdout: dict[str, str] = field(default_factory=dict)
    _results: dict[str, StepResult] = field(default_factory=dict)

    def run(self, steps: Sequence[Step]) -> tuple[StepResult, ...]:
        (self.folder / LOGS).mkdir(exist_ok=True)
        for position, step in enumerate(steps, 1):
            self.progress.started(step.name, position, len(steps))
            result = self._held_back(step) or self._run(step)
            self._results[step.name] = result
            self.progress.ended(result)
        return tuple(self._results[step.name] for step in steps)

    def _held_back(self, step: Step) -> Optional[StepResult]:
        """What a step needs and is not there: it would fail for a reason that is not its own."""
        for need in step.needs:
            before = self._results.get(need)
            if before is not None and before.status != HOLDS:
                status = NOT_HERE if before.status == NOT_HERE else NOT_RUN
                return self._result(step, _Verdict(status, f"it needs the step '{need}'"), None, 0)
        return None

    def _run(self, step: Step) -> StepResult:
        began = time.monotonic()
        log = self.folder / LOGS / step.name.replace(" ", "-")
        try:
            ended = run_process(
                self._argv(step),
                cwd=self.folder,
                timeout_s=step.seconds,
                stdout=Stdout.CAPTURE,
                echo_stderr=False,
                stdin_closed=True,
                most_stdout=_MOST_STDOUT,
            )
        except OSError as error:
            verdict = _Verdict(FAILS, f"it cannot be started: {error.strerror}")
            return self._result(step, verdict, None, time.monotonic() - began)
        log.with_suffix(".stdout").write_bytes(ended.stdout)
        log.with_suffix(".stderr").write_text(ended.stderr_tail, "utf-8")
        self._stdout[step.name] = ended.answer
        verdict = self._judged(step, ended)
        shown = log.with_suffix(".stderr" if ended.stderr_tail.strip() else ".stdout")
        return self._result(step, verdict, shown, time.monotonic() - began)

    def _judged(self, step: Step, ended: ProcessResult) -> _Verdict:
        if ended.timed_out:
            return _Verdict(FAILS, f"it did not end within {step.seconds:g} s")
        if ended.signal is not None:
            return _Verdict(FAILS, f"it was ended by {ended.ending}")
        if ended.exit_code != step.exit_code:
            return _refusal(step, ended)
        try:
            reason = step.look(Seen(self.folder, ended.answer, self._stdout))
        except NotHere as absent:
            return _Verdict(NOT_HERE, absent.reason, absent.next_step)
        except Lacks as lacks:
            return _Verdict(FAILS, str(lacks))
        return _Verdict(HOLDS) if reason is None else _Verdict(FAILS, reason)

    def _result(
        self, step: Step, verdict: _Verdict, log: Optional[Path], seconds: float
    ) -> StepResult:
        words = self._words(step)
        command = words if step.verb == BUILD else ("rocm-perf", *words)
        failed = verdict.status == FAILS
        again = f"cd {shlex.quote(str(self.folder))} && {shlex.join(command)}" if failed else None
        return StepResult(
            name=step.name,
            verb=step.verb,
            says=step.says,
            status=verdict.status,
            reason=verdict.reason,
            command=shlex.join(command),
            log=str(log) if log is not None and failed else None,
            next_step=verdict.next_step or again,
            seconds=round(seconds, 2),
        )

    def _argv(self, step: Step) -> list[str]:
        own = [] if step.verb == BUILD else [sys.executable, "-m", "rocm_perf_lab.cli.main"]
        return [*own, *self._words(step)]

    def _words(self, step: Step) -> tuple[str, ...]:
        places = {"prefix": str(self.prefix.path), "target": self.target}
        return tuple(word.format(**places) for word in step.words)


def _refusal(step: Step, ended: ProcessResult) -> _Verdict:
    """Another exit code than expected: what the verb says of it itself, else its last words."""
    said = _error_of(ended.answer)
    code = f"exit code {ended.exit_code}"
    cure = said.get("next_step") or "" if said is not None else ended.stderr_tail
    extra = _EXTRA.search(cure)
    if ended.exit_code == EXIT_TOOL_MISSING and extra:
        install = f"pip install '{extra[0]}'"
        return _Verdict(NOT_HERE, "a package that rocm-perf does without is missing", install)
    if said is not None:
        return _Verdict(FAILS, f"{said['cause']} ({code})", said.get("next_step"))
    lines = ended.stderr_tail.strip().splitlines()
    errors = [line for line in lines if "error:" in line]
    words = (errors or lines or [EXIT_CODES.get(ended.exit_code or 0, "no message")])[-1]
    expected = f", {step.exit_code} was expected" if step.exit_code else ""
    return _Verdict(FAILS, f"{code}{expected}: {words.strip()}")


def _error_of(text: str) -> Optional[Mapping[str, str]]:
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return None
    return error if isinstance(error, dict) and "cause" in error else None
