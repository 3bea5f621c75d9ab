"""Running the replayer and reading its result."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.box import Limits, run_boxed
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.errors import AddressTaken, ForeignDevice, ReplayFailed, ToolMissing
from rocm_perf_lab.redaction import kept_variables
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.native_tools import native_tools
from rocm_perf_lab.replay.plan import ReplayOptions, plan_lines
from rocm_perf_lab.replay.variant import VariantCode
from rocm_perf_lab.strict_json import NotStrict, Strict, read_strict, replace
from rocm_perf_lab.trace.files.temporary import temporary_folder

RUNTIME = Path("lib") / "libhsa-runtime64.so.1"
_FOREIGN = 3
_LAUNCHES = ("scene", "again")  # lines of a plan that each mean one
_SETUP_SECONDS = 600.0  # on top of the kernels' own time limit: copies and comparisons


class Agent(Strict):
    name: str
    product: str
    isa: str
    hsa_version: str


class Place(Strict):
    base: int
    size: int
    got: int
    problem: str


class Difference(Strict):
    base: int
    bytes: int
    first_offset: int
    expected: int
    found: int
    runs: tuple[tuple[int, int], ...]


class Comparison(Strict):
    regions: int
    bytes: int
    changed_bytes: int
    differences: tuple[Difference, ...]


class VariantRun(Strict):
    samples_ns: tuple[float, ...]
    first: Comparison
    last: Optional[Comparison]


class ReplayerResult(Strict):
    attempts: int
    pid: int
    agent: Optional[Agent]
    places: tuple[Place, ...]
    variants: tuple[VariantRun, ...]
    said: str = ""  # the end of what the replayer and the runtime wrote to stderr
    not_enforced: tuple[str, ...] = ()  # of a box: what this machine does not offer


def run_replayer(
    capture: Capture,
    prefix: Prefix,
    options: ReplayOptions,
    code: Sequence[Optional[VariantCode]] = (None,),
    *,
    check_only: bool = False,
    dump: Optional[Path] = None,
    variables: Optional[Mapping[str, str]] = None,
    boxed: bool = False,
    more_lines: Sequence[str] = (),
) -> ReplayerResult:
    """One process that replays. Raises when the replay did not happen exactly as captured.

    ``boxed``: code that nobody has looked at runs where it can do no harm (``box/``). Its memory is
    then written to ``dump`` by the box, which holds nothing else. ``more_lines`` end the plan.
    """
    runtime = prefix.path / RUNTIME
    if not runtime.exists():
        raise ToolMissing(f"{runtime} is not there", "name a ROCm prefix with --rocm")
    tools = native_tools(prefix)
    with temporary_folder("replay") as own:
        folder = dump if boxed and dump is not None else Path(own)
        plan, result = folder / "plan", folder / "result.json"
        lines = list(
            plan_lines(
                capture,
                options,
                runtime=runtime,
                result=result,
                code=code,
                check_only=check_only,
                dump=dump,
            )
        )
        lines += more_lines
        plan.write_text("".join(f"{line}\n" for line in lines))
        launches = sum(line in _LAUNCHES for line in more_lines) or 1
        rounds = (options.iterations + options.warmup) * max(1, len(code)) * launches
        start = _Start(
            argv=(str(tools.replayer), str(plan)),
            variables=variables or {},
            timeout_s=_SETUP_SECONDS + options.timeout_s * rounds,
        )
        missing: tuple[str, ...] = ()
        if boxed:
            room = capture.memory_bytes * launches
            done, missing = _run_boxed(start, folder, prefix, lines, room)
        else:
            done = _run(start)
        found = _read(result)
    if not (check_only and found is not None):  # a check reports every place by itself
        _raise_for(done, found, capture)
    assert found is not None
    return replace(found, said=done.stderr_tail, not_enforced=missing)


@dataclass(frozen=True)
class _Start:
    argv: tuple[str, ...]
    variables: Mapping[str, str]
    timeout_s: float


def _run(start: _Start) -> ProcessResult:
    return run_process(
        start.argv,
        env={**os.environ, **start.variables},
        timeout_s=start.timeout_s,
        stdout=Stdout.TO_STDERR,
        echo_stderr=False,
        stdin_closed=True,
    )


def _run_boxed(
    start: _Start, folder: Path, prefix: Prefix, lines: Sequence[str], dumped_bytes: int
) -> tuple[ProcessResult, tuple[str, ...]]:
    """It reads what the plan names, and writes to its folder. Also what was not enforced."""
    named = {Path(line[line.index(" /") + 1 :]) for line in lines if " /" in line}
    places = {place.parent for path in named for place in (path, path.resolve())}
    room = Limits().file_bytes + 2 * dumped_bytes
    began = time.perf_counter_ns()
    ran = run_boxed(
        start.argv,
        folder,
        prefix.path,
        limits=Limits(
            seconds=start.timeout_s,
            memory_bytes=Limits().memory_bytes + 4 * dumped_bytes,
            file_bytes=room,
            disk_bytes=2 * room,
        ),
        readable=sorted(places),
        environment={**kept_variables(os.environ), **start.variables},
    )
    done = ProcessResult(
        argv=start.argv,
        exit_code=ran.exit_code,
        signal=ran.signal,
        timed_out=ran.ended_by == "time",
        wall_ns=time.perf_counter_ns() - began,
        stderr_tail=(ran.stdout + ran.stderr).decode("utf-8", "replace")
        + ("" if ran.ended_by is None else f"\n{ran.ending}"),
        stdout=b"",
    )
    return done, ran.not_enforced


def _read(path: Path) -> Optional[ReplayerResult]:
    try:
        return read_strict(ReplayerResult, path.read_bytes())
    except FileNotFoundError:
        return None
    except NotStrict as error:
        raise ReplayFailed(f"the replayer wrote a result that makes no sense: {error}") from error


def _raise_for(done: ProcessResult, found: Optional[ReplayerResult], capture: Capture) -> None:
    if done.ok and found is not None:
        return
    said = done.stderr_tail.strip()
    if done.exit_code == _FOREIGN:
        raise ForeignDevice(said, "choose another device with --device, or capture it here")
    if found is not None:
        _raise_for_places(found)
    last = said.splitlines()[-1] if said else done.ending
    raise ReplayFailed(
        f"the replay of {capture.dispatch.demangled_name} failed: {last}",
        f"check the capture: rocm-perf replay check {capture.folder}",
    )


def _raise_for_places(found: ReplayerResult) -> None:
    wrong = [place for place in found.places if place.problem or place.got != place.base]
    if not wrong:
        return
    first = wrong[0]
    where = f"0x{first.base:x} ({first.size} bytes)"
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    tried = f" in {found.attempts} process(es)"
    if first.problem and found.agent is not None:
        raise ReplayFailed(f"the memory at {where} is not available: {first.problem}{more}")
    got = f"it came to lie at 0x{first.got:x}" if first.got else first.problem
    raise AddressTaken(
        f"the address {where} is not free{tried}: {got}{more}",
        "try again; other libraries in LD_PRELOAD or address limits may be in the way",
    )
