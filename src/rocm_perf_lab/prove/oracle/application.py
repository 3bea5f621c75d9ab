"""The application's whole output: is it the same with the candidate? And the user's own check."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.application import cannot_start
from rocm_perf_lab.collect.application import check_application as check_argv
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.prove.oracle.report import OracleReport, Stage, decide

_REFERENCE = "the output of the baseline application"


@dataclass(frozen=True)
class ApplicationRequest:
    """Two commands that should print and write the same."""

    baseline: Sequence[str]
    candidate: Sequence[str]
    files: Sequence[Path] = ()  # that both write; relative to the current directory
    check: Optional[Sequence[str]] = None  # the user's own; never enough by itself
    timeout_s: float = 600.0


@dataclass(frozen=True)
class Output:
    """What one run left."""

    ending: str
    ok: bool
    stdout: bytes
    files: dict[str, Optional[bytes]]


def check_application(request: ApplicationRequest) -> OracleReport:
    first = _run(request.baseline, request)
    if not first.ok:
        stage = Stage("application", "unverified", f"the baseline itself ended: {first.ending}")
        return decide([stage], _REFERENCE)
    second = _run(request.baseline, request)
    stages = compare_outputs(first, second, _run(request.candidate, request))
    if request.check is not None:
        stages.append(_user_check(request))
    return decide(stages, _REFERENCE)


def compare_outputs(first: Output, second: Output, candidate: Output) -> list[Stage]:
    """Two runs of the baseline tell what of its output is always the same. Pure."""
    if not candidate.ok:
        return [Stage("application", "fail", f"the candidate ended: {candidate.ending}")]
    stages = [_compared("stdout", first.stdout, second.stdout, candidate.stdout)]
    for name, content in first.files.items():
        found, again = candidate.files[name], second.files[name]
        if content is None or again is None:
            stages.append(Stage(f"file {name}", "unverified", "the baseline does not write it"))
        elif found is None:
            stages.append(Stage(f"file {name}", "fail", "the candidate does not write it"))
        else:
            stages.append(_compared(f"file {name}", content, again, found))
    answered = [stage for stage in stages if stage.verdict in ("pass", "fail")]
    return answered or stages


def _compared(name: str, first: bytes, second: bytes, found: bytes) -> Stage:
    if not first and not found:
        return Stage(name, "unverified", "there is no output")
    if first == second:
        return _exactly(name, first, found)
    own, again, new = (text.split(b"\n") for text in (first, second, found))
    if len(own) != len(again):
        return Stage(name, "unverified", "the baseline prints another number of lines every time")
    steady = [at for at, (one, other) in enumerate(zip(own, again)) if one == other and one]
    if not steady:
        return Stage(name, "unverified", "no line of the baseline is the same twice")
    if len(new) != len(own):
        return Stage(name, "fail", f"{len(new)} lines instead of {len(own)}")
    for at in steady:
        if new[at] != own[at]:
            return Stage(name, "fail", f"line {at + 1} differs: {_shown(new[at])}", different=1)
    compared = sum(len(own[at]) for at in steady)
    rest = len(own) - len(steady)
    detail = f"{len(steady)} lines are the same; {rest} vary in the baseline too, or are empty"
    return Stage(name, "pass", detail, True, compared)


def _exactly(name: str, expected: bytes, found: bytes) -> Stage:
    if expected == found:
        return Stage(name, "pass", "the same byte by byte", True, len(expected))
    for number, (one, other) in enumerate(zip(expected.split(b"\n"), found.split(b"\n")), start=1):
        if one != other:
            return Stage(name, "fail", f"line {number} differs: {_shown(other)}", different=1)
    return Stage(name, "fail", f"{len(found)} bytes instead of {len(expected)}", different=1)


def _shown(line: bytes) -> str:
    text = line[:80].decode("utf-8", errors="replace")
    return "".join(char if char.isprintable() else "?" for char in text)


def _run(argv: Sequence[str], request: ApplicationRequest) -> Output:
    check_argv(argv)
    for path in request.files:  # what an earlier run left is no output of this one
        path.unlink(missing_ok=True)
    result = _started(argv, request.timeout_s)
    files = {str(path): path.read_bytes() if path.is_file() else None for path in request.files}
    return Output(result.ending, result.ok, result.stdout, files)


def _user_check(request: ApplicationRequest) -> Stage:
    assert request.check is not None
    check_argv(request.check)
    result = _started(request.check, request.timeout_s)
    if result.ok:
        return Stage("user check", "pass", "the given command ended with 0")
    return Stage("user check", "fail", f"the given command ended: {result.ending}")


def _started(argv: Sequence[str], timeout_s: float) -> ProcessResult:
    try:
        return run_process(
            argv,
            env=dict(os.environ),
            timeout_s=timeout_s,
            stdout=Stdout.CAPTURE,
            stdin_closed=True,
        )
    except OSError as error:
        raise cannot_start(argv, error) from error
