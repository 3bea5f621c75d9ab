"""The questions one asks of a capture: is it whole, does it replay, what do other versions do."""

from __future__ import annotations

import re
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Optional

from rocm_perf_lab.collect.doctor.environment import installed_version
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ReplayRefused, UsageError
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.plan import ReplayOptions, runs_in_place
from rocm_perf_lab.replay.replay_schema import (
    SCHEMA_VERSION,
    CheckDocument,
    CheckedRegion,
    Execution,
    RaceDocument,
    ReplayDocument,
    ReplayedKernel,
    ReplayEnvironment,
    Timing,
)
from rocm_perf_lab.replay.replayer import Place, ReplayerResult, run_replayer
from rocm_perf_lab.replay.variant import VariantCode, variant_code
from rocm_perf_lab.replay.verify import Tolerance, Verification, verify
from rocm_perf_lab.trace.files.temporary import temporary_folder

_NS_PER_US = 1000.0
# Read by the virtual device; a real one orders its waves as it likes anyway.
_ORDER = "VROCM_ORDER"
_CHECK = "VROCM_CHECK"
_RACE = re.compile(r"^VROCM_CHECK: race: (.*)$", re.MULTILINE)


def check(capture: Capture, prefix: Prefix, options: ReplayOptions) -> CheckDocument:
    """Whether all addresses can be had. The capture itself was checked when it was read."""
    result = run_replayer(capture, prefix, options, check_only=True)
    return CheckDocument(
        schema_version=SCHEMA_VERSION,
        kernel=capture.dispatch.demangled_name,
        regions=len(capture.regions),
        memory_bytes=capture.memory_bytes,
        stored_bytes=capture.stored_bytes,
        places=tuple(_checked(place, started=result.agent is not None) for place in result.places),
        unsupported=capture.dispatch.unsupported,
        warnings=capture.warnings,
    )


def replay(
    capture: Capture,
    prefix: Prefix,
    options: ReplayOptions,
    *,
    hsaco: Optional[Path] = None,
    tolerance: Optional[Tolerance] = None,
    allow_unsupported: bool = False,
) -> ReplayDocument:
    """Run the dispatch again and compare the memory it leaves with what the application left."""
    refuse_unsupported(capture, allow_unsupported)
    with temporary_folder("replay") as folder:
        code = None if hsaco is None else variant_code(hsaco, capture, Path(folder))
        dump = _dump_folder(Path(folder), 1) if tolerance is not None else None
        result = run_replayer(capture, prefix, options, (code,), dump=dump)
        verification = verify(
            capture, result.variants[0], tolerance, None if dump is None else dump / "0"
        )
    in_place = hsaco is None and runs_in_place(capture)
    return ReplayDocument(
        schema_version=SCHEMA_VERSION,
        kernel=_kernel(capture, hsaco, in_place),
        execution=Execution(
            iterations=options.iterations,
            warmup=options.warmup,
            mode="stateless" if options.recopy else "stateful",
            attempts=result.attempts,
        ),
        timing=_timing(result.variants[0].samples_ns),
        environment=_environment(result, prefix),
        verification=verification,
        unsupported=capture.dispatch.unsupported,
        warnings=(*capture.warnings, *_variable_note(capture, in_place)),
    )


def race_check(
    capture: Capture,
    prefix: Prefix,
    replays: int,
    options: ReplayOptions,
    *,
    allow_unsupported: bool = False,
) -> RaceDocument:
    """Replay in several processes, each with another order of waves, and compare the memory."""
    refuse_unsupported(capture, allow_unsupported)
    if replays < 2:
        raise UsageError("--race-check needs at least 2 replays")
    verdicts, outcomes, orders, worst = [], set(), [], 0
    reported: list[str] = []
    for number in range(replays):
        variables = {_ORDER: str(number)}
        if number == 0:
            variables[_CHECK] = "race"
        result = run_replayer(capture, prefix, options, variables=variables)
        reported += sorted(set(_RACE.findall(result.said)))
        comparison = result.variants[0].first
        verdicts.append(verify(capture, result.variants[0]).verdict)
        orders.append(str(number))
        outcomes.add(comparison.differences)
        worst = max(worst, sum(d.bytes for d in comparison.differences))
    return RaceDocument(
        schema_version=SCHEMA_VERSION,
        kernel=capture.dispatch.demangled_name,
        replays=replays,
        deterministic=len(outcomes) == 1 and not reported and "different" not in verdicts,
        orders=tuple(orders),
        verdicts=tuple(verdicts),
        racing_bytes=worst,
        reported=tuple(reported),
    )


@dataclass(frozen=True)
class Version:
    """What one version of a kernel did, alternately with the others."""

    hsaco_path: str
    timing: Timing
    verification: Verification


@dataclass(frozen=True)
class Versions:
    """Round by round: the n-th times of all versions were taken in sequence."""

    kernel: str
    versions: tuple[Version, ...]
    environment: ReplayEnvironment


def run_versions(
    capture: Capture,
    prefix: Prefix,
    options: ReplayOptions,
    hsacos: Sequence[Optional[Path]],
    *,
    tolerance: Optional[Tolerance] = None,
    allow_unsupported: bool = False,
) -> Versions:
    """In one process; ``None`` is the captured code. Nothing is decided here."""
    refuse_unsupported(capture, allow_unsupported)
    with temporary_folder("compare") as folder:
        code = [None if file is None else _code(file, capture, Path(folder)) for file in hsacos]
        dump = _dump_folder(Path(folder), len(code))
        result = run_replayer(capture, prefix, options, code, dump=dump)
        checked = [
            verify(capture, run, tolerance, dump / str(number))
            for number, run in enumerate(result.variants)
        ]
    return Versions(
        kernel=capture.dispatch.demangled_name,
        versions=tuple(
            Version(str(file or capture.folder / "kernel.hsaco"), _timing(run.samples_ns), verdict)
            for file, run, verdict in zip(hsacos, result.variants, checked)
        ),
        environment=_environment(result, prefix),
    )


def _code(file: Path, capture: Capture, folder: Path) -> VariantCode:
    return variant_code(file, capture, Path(tempfile.mkdtemp(dir=folder)))


def _kernel(capture: Capture, hsaco: Optional[Path], in_place: bool) -> ReplayedKernel:
    dispatch = capture.dispatch
    return ReplayedKernel(
        name=dispatch.demangled_name,
        symbol=dispatch.mangled_name,
        hsaco_path=str(hsaco or capture.folder / "kernel.hsaco"),
        code="in_place" if in_place else "loaded",
        grid=dispatch.grid,
        block=dispatch.block,
    )


def _variable_note(capture: Capture, in_place: bool) -> tuple[str, ...]:
    if in_place or not capture.variables:
        return ()
    return (
        f"the code was loaded elsewhere; pointers in memory to its {len(capture.variables)} "
        "variable(s) lead to the captured ones, not to its own",
    )


def refuse_unsupported(capture: Capture, allowed: bool) -> None:
    if capture.dispatch.unsupported and not allowed:
        what = "; ".join(f"{one.kind}: {one.detail}" for one in capture.dispatch.unsupported)
        raise ReplayRefused(
            f"the kernel may use what the capture does not hold ({what})",
            "replay it all the same with --allow-unsupported",
        )


def _dump_folder(folder: Path, variants: int) -> Path:
    dump = folder / "dump"
    for number in range(variants):
        (dump / str(number)).mkdir(parents=True)
    return dump


def _checked(place: Place, *, started: bool) -> CheckedRegion:
    """Before the runtime started, a problem means that the address was in use: another may do."""
    status: Literal["OK", "FAIL", "RELOCATED"]
    if place.problem:
        status = "FAIL" if started else "RELOCATED"
    else:
        status = "OK" if place.got == place.base or not started else "RELOCATED"
    detail = place.problem or ("" if status == "OK" else f"came to lie at 0x{place.got:x}")
    return CheckedRegion(base=place.base, size=place.size, status=status, detail=detail)


def _timing(samples_ns: Sequence[float]) -> Timing:
    samples = [sample / _NS_PER_US for sample in samples_ns]
    median = statistics.median(samples)
    return Timing(
        unit="microseconds",
        average=statistics.fmean(samples),
        min=min(samples),
        max=max(samples),
        median=median,
        mad=statistics.median([abs(sample - median) for sample in samples]),
        raw_ns=tuple(samples_ns),
    )


def _environment(result: ReplayerResult, prefix: Prefix) -> ReplayEnvironment:
    assert result.agent is not None
    return ReplayEnvironment(
        gpu_agent=result.agent.name,
        gpu_product=result.agent.product,
        isa=result.agent.isa,
        rocm_version=installed_version(prefix),
        rocm_kind=prefix.kind,
        pid=result.pid,
    )
