"""The application's whole output: is it the same with the candidate? And the user's own check."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.box import Limits, device_variables, prepare_run_folder, run_boxed
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.collect.rocprof.application import cannot_start
from rocm_perf_lab.collect.rocprof.application import check_application as check_argv
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.oracle.report import OracleReport, Stage, decide
from rocm_perf_lab.trace.files.temporary import temporary_folder

_REFERENCE = "the output of the baseline application"
_NO_ROCM = Path("/opt/rocm")  # where it would be; a program that needs none runs without


@dataclass(frozen=True)
class ApplicationRequest:
    """Two commands that should print and write the same. Each runs in the box, in a folder of its
    own with links to what lies in the current one; ``boxed`` off: here, with the user's rights."""

    baseline: Sequence[str]
    candidate: Sequence[str]
    files: Sequence[Path] = ()  # that both write; relative to where they run
    check: Optional[Sequence[str]] = None  # the user's own; never enough by itself
    timeout_s: float = 600.0
    boxed: bool = True
    rocm: Optional[Path] = None

    def __post_init__(self) -> None:
        for path in self.files:
            if self.boxed and (path.is_absolute() or ".." in path.parts or not path.parts):
                raise UsageError(
                    f"--file {path} is not below the folder in which the programs run",
                    "name it relative to here, or run them with your own rights: --unboxed",
                )


@dataclass(frozen=True)
class Output:
    """What one run left."""

    ending: str
    ok: bool
    stdout: bytes
    files: dict[str, Optional[bytes]]


def check_application(request: ApplicationRequest) -> OracleReport:
    with temporary_folder("verify") as folder:
        place = Path(folder).resolve() / "run" if request.boxed else None
        return _checked(request, _Runs(request, place))


def _checked(request: ApplicationRequest, runs: _Runs) -> OracleReport:
    first = runs.output(request.baseline)
    if not first.ok:
        stage = Stage("application", "unverified", f"the baseline itself ended: {first.ending}")
        return decide([stage], _REFERENCE, notes=runs.notes())
    second = runs.output(request.baseline)
    candidate = runs.output(request.candidate)
    stages = compare_outputs(first, second, candidate)
    if request.check is not None:
        stages.append(_user_check(request, runs.folder_of_check(candidate)))
    return decide(stages, _REFERENCE, notes=runs.notes())


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


class _Runs:
    """Runs of both commands. ``place`` is the box's folder, None without one."""

    def __init__(self, request: ApplicationRequest, place: Optional[Path]) -> None:
        self._request = request
        self.place = place
        self._not_enforced: set[str] = set()

    def notes(self) -> list[str]:
        if self.place is None:
            return ["both commands ran with your own rights: --unboxed"]
        return [f"the box could not hold: {one}" for one in sorted(self._not_enforced)]

    def output(self, argv: Sequence[str]) -> Output:
        check_argv(argv)
        if self.place is None:
            return self._free(argv)
        return self._boxed(argv, self.place)

    def folder_of_check(self, candidate: Output) -> Optional[Path]:
        """The user's files and what was named of the candidate's; the check itself runs with the
        user's rights, so that nothing else of the candidate may lie there."""
        if self.place is None:
            return None
        folder = self.place.with_name("check")
        prepare_run_folder(folder, Path.cwd(), written=self._request.files)
        for name, content in candidate.files.items():
            if content is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
        return folder

    def _free(self, argv: Sequence[str]) -> Output:
        for path in self._request.files:  # what an earlier run left is no output of this one
            path.unlink(missing_ok=True)
        result = _started(argv, self._request.timeout_s)
        return Output(result.ending, result.ok, result.stdout, self._files(Path()))

    def _boxed(self, argv: Sequence[str], place: Path) -> Output:
        request, inputs = self._request, Path.cwd()
        program = Path(os.path.abspath(shutil.which(argv[0]) or argv[0]))
        limits = Limits(seconds=request.timeout_s)
        done = run_boxed(
            [str(program), *argv[1:]],
            prepare_run_folder(place, inputs, written=request.files),
            request.rocm or _NO_ROCM,
            limits=limits,
            readable=[inputs, program.parent],
            environment=device_variables(os.environ),
            most_output=limits.file_bytes,  # all that it may write
        )
        self._not_enforced.update(done.not_enforced)
        return Output(done.ending, done.ok, done.stdout, self._files(place))

    def _files(self, place: Path) -> dict[str, Optional[bytes]]:
        found = {str(path): place / path for path in self._request.files}
        return {
            name: path.read_bytes() if path.is_file() and not path.is_symlink() else None
            for name, path in found.items()
        }


def _user_check(request: ApplicationRequest, folder: Optional[Path]) -> Stage:
    assert request.check is not None
    check_argv(request.check)
    result = _started(request.check, request.timeout_s, folder)
    if result.ok:
        return Stage("user check", "pass", "the given command ended with 0")
    return Stage("user check", "fail", f"the given command ended: {result.ending}")


def _started(argv: Sequence[str], timeout_s: float, folder: Optional[Path] = None) -> ProcessResult:
    try:
        return run_process(
            argv,
            env=dict(os.environ),
            cwd=folder,
            timeout_s=timeout_s,
            stdout=Stdout.CAPTURE,
            stdin_closed=True,
        )
    except OSError as error:
        raise cannot_start(argv, error) from error
