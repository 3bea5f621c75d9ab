"""``autotune`` as a function of a request: what verbs, agents and reports call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.errors import PerfLabError, UsageError
from rocm_perf_lab.prove.evidence.place import evidence_folder
from rocm_perf_lab.redaction import redacted_words
from rocm_perf_lab.tune.finalist import Finalist, Judgement
from rocm_perf_lab.tune.journal import Journal, header_of
from rocm_perf_lab.tune.measurement import Evaluator
from rocm_perf_lab.tune.recorded import read_recorded
from rocm_perf_lab.tune.run.cluster import cluster
from rocm_perf_lab.tune.run.compiled import compiled
from rocm_perf_lab.tune.run.gpus import gpus
from rocm_perf_lab.tune.run.program import Program, ProgramOptions
from rocm_perf_lab.tune.run.spec import Commands as Commands
from rocm_perf_lab.tune.run.spec import ProgramSpec, TritonProgram
from rocm_perf_lab.tune.run.template import read_template
from rocm_perf_lab.tune.run.workers import Workers
from rocm_perf_lab.tune.search.features import StaticFeatures
from rocm_perf_lab.tune.search.search import SearchOptions
from rocm_perf_lab.tune.space import Codes, Space
from rocm_perf_lab.tune.space.space_file import explicit_space, read_space
from rocm_perf_lab.tune.transfer import best_elsewhere
from rocm_perf_lab.tune.triton.look import Looker
from rocm_perf_lab.tune.triton.report import Report
from rocm_perf_lab.tune.triton.target import TritonTarget, chosen_by
from rocm_perf_lab.tune.tuning import Tuner, Tuning, TuningProgress, budget_of

_CODE = "triton"  # folder of what a Triton program compiled
CLUSTER_AHEAD = 8  # questions under way on a cluster, however many workers there are


@dataclass(frozen=True)
class TuneRequest:
    """A recorded space (``simulate``), a space and commands, or a Triton kernel and the command
    of its program."""

    space: Optional[Path] = None
    triton: Optional[TritonTarget] = None
    as_code: bool = False  # its table has to be Python
    commands: Optional[Commands] = None
    simulate: Optional[Path] = None
    budget: Optional[str] = None
    objective: str = "runtime"
    kernel: Optional[str] = None
    default: Mapping[str, str] = field(default_factory=dict)  # instead of the space's own
    journal: Optional[Path] = None
    resume: bool = False
    elsewhere: Optional[Path] = None  # results of another GPU or size
    compile_first: bool = False  # everything, so that the search knows the code
    search: SearchOptions = field(default_factory=SearchOptions)
    program: ProgramOptions = field(default_factory=ProgramOptions)
    rocm: Optional[Path] = None
    jobs: int = 1  # GPUs of this machine
    scheduler: Optional[str] = None  # of a cluster
    ahead: Optional[int] = None  # questions under way; jobs, or CLUSTER_AHEAD, when not said
    judge: bool = True
    evidence: Optional[Path] = None
    progress: Optional[TuningProgress] = None

    @property
    def under_way(self) -> int:
        return self.ahead or (CLUSTER_AHEAD if self.scheduler else self.jobs)


@dataclass(frozen=True)
class Tuned:
    tuning: Tuning
    unit: str
    virtual: bool
    header: Mapping[str, Any]
    judgement: Optional[Judgement] = None
    not_judged: Optional[str] = None  # why there is none
    looked: Optional[Report] = None  # at a Triton program, before the search


def autotune(request: TuneRequest) -> Tuned:
    if request.simulate is not None:
        recorded = read_recorded(request.simulate)
        space = _with_default(recorded.space, request.default)
        tuner, header = _tuner(request, space, recorded, {"simulate": True})
        return Tuned(tuner.run(), "ms", False, header, not_judged="nothing ran")
    with recording_space() as folder:
        looked = None if request.triton is None else _look(request, request.triton, folder)
        space, spec = _read(request) if looked is None else _of_triton(request, looked, folder)
        program = spec.open(folder)
        assert request.commands is not None
        tuner, header = _tuner(request, space, program, _said(request.commands))
        if request.compile_first:
            tuner.static = _compiled(request, space, program)
        with _workers(request, spec, folder) as workers:
            tuner.workers = workers
            tuning = tuner.run()
        virtual = program.prefix is not None and program.prefix.kind == "virtual"
        found = Tuned(tuning, program.objective.unit, virtual, header, looked=looked)
        return _judged(request, found, program)


def _compiled(request: TuneRequest, space: Space, program: Program) -> StaticFeatures:
    if program.builds is None:
        raise UsageError("--compile-first has nothing to compile", "give --build-template")
    progress = None if request.progress is None else request.progress.compiling
    return compiled(space, program.builds, progress)


@contextmanager
def opened_program(request: TuneRequest, space: Space) -> Iterator[Program]:
    """What measures a configuration, with a folder for builds and recordings until the end."""
    with recording_space() as folder:
        yield _spec(request, space).open(folder)


def _read(request: TuneRequest) -> tuple[Space, ProgramSpec]:
    if request.space is None or request.commands is None:
        raise UsageError(
            "neither a space with a command nor a recorded space was given",
            'rocm-perf autotune --space space.json --cmd-template "./kernel {BLOCK}"',
        )
    space = _with_default(read_space(request.space), request.default)
    return space, _spec(request, space)


def _look(request: TuneRequest, target: TritonTarget, folder: Path) -> Report:
    assert request.commands is not None
    if request.progress is not None:
        request.progress.looking(target.kernel)
    argv = read_template(request.commands.command, "--triton", frozenset()).filled({})
    options = request.program
    prefix = find_prefix(request.rocm)
    limits = options.timeout_s, options.echo_stderr
    return Looker(target, prefix, folder / _CODE, request.as_code, *limits).look(argv)


def _of_triton(request: TuneRequest, looked: Report, folder: Path) -> tuple[Space, ProgramSpec]:
    """The first configuration of the decorator is the default."""
    assert request.triton is not None
    assert request.commands is not None
    rows = [dict(config.row) for config in looked.configs]
    space = _with_default(explicit_space(rows), request.default)
    commands = replace(request.commands, environment=chosen_by(rows[0]))
    spec = _spec(replace(request, commands=commands, kernel=request.triton.kernel), space)
    return space, replace(
        spec, triton=TritonProgram(request.triton, looked.configs, folder / _CODE)
    )


def _spec(request: TuneRequest, space: Space) -> ProgramSpec:
    assert request.commands is not None
    names = tuple(parameter.name for parameter in space.parameters)
    return ProgramSpec(
        request.commands, names, request.objective, request.kernel, request.program, request.rocm
    )


def _tuner(
    request: TuneRequest, space: Space, evaluator: Evaluator, said: Mapping[str, Any]
) -> tuple[Tuner, Mapping[str, Any]]:
    if not space.size:
        raise UsageError("no configuration meets the conditions", "loosen one of them")
    budget = budget_of(request.budget, space.size)
    if request.triton is not None and request.budget is None:
        budget = space.size  # a list that somebody wrote is short
    first: Sequence[Codes] = ()
    if request.elsewhere is not None:
        first = best_elsewhere(space, read_recorded(request.elsewhere), request.elsewhere)
    header = header_of(space, request.objective, said)
    journal = Journal(header)
    if request.journal is not None:
        journal = Journal.open(request.journal, header, resume=request.resume)
    tuner = Tuner(space, evaluator, journal, budget, request.search, request.progress)
    tuner.ahead, tuner.first = request.under_way, first
    return tuner, header


@contextmanager
def _workers(request: TuneRequest, spec: ProgramSpec, folder: Path) -> Iterator[Optional[Workers]]:
    if request.scheduler is not None:
        with cluster(spec, request.scheduler) as remote:
            yield remote
    elif request.jobs > 1:
        with gpus(spec, folder, request.jobs) as local:
            yield local
    else:
        yield None


def _judged(request: TuneRequest, found: Tuned, program: Program) -> Tuned:
    """What the search found stays, whatever becomes of the judge."""
    best, default = found.tuning.best, found.tuning.default
    reason: Optional[str] = None
    if not request.judge:
        reason = "not asked for (--no-judge)"
    elif request.scheduler is not None:
        reason = "measured on a cluster: rocm-perf compare judges it on one of its machines"
    elif best is None or default is None:
        reason = "the default configuration was not measured (--default names another one)"
    elif best.configuration == default.configuration:
        reason = "the default is the best"
    if reason is not None or best is None or default is None:
        return replace(found, not_judged=reason)
    named = request.space if request.triton is None else request.triton.file
    place = evidence_folder(request.evidence, named or Path("autotune"))
    finalist = Finalist(
        program,
        default.configuration,
        best.configuration,
        place / "finalist",
        request.search.seed,
        request.progress,
    )
    try:
        return replace(found, judgement=finalist.judge())
    except PerfLabError as error:
        return replace(found, not_judged=error.cause)


def _with_default(space: Space, default: Mapping[str, str]) -> Space:
    """``--default``: values as they are written in the space."""
    if not default:
        return space
    unknown = sorted(set(default) - {p.name for p in space.parameters})
    if unknown:
        raise UsageError(f"--default: {unknown[0]} is not a parameter of the space")
    parameters = []
    for parameter in space.parameters:
        text = default.get(parameter.name, str(parameter.default))
        value = next((one for one in parameter.values if str(one) == text), None)
        if value is None:
            raise UsageError(
                f"--default: {parameter.name} cannot be {text}",
                f"its values are {', '.join(map(str, parameter.values[:8]))}",
            )
        parameters.append(replace(parameter, stated=value))
    changed = replace(space, parameters=tuple(parameters))
    if changed.default is None:
        raise UsageError("--default does not meet the conditions of the space")
    return changed


def _said(words: Commands) -> dict[str, Any]:
    """For the journal; what looks like a secret is not kept."""
    texts = {"command": words.command, "build": words.build, "verify": words.verify}
    texts.update({f"env {name}": text for name, text in words.environment.items()})
    return {n: " ".join(redacted_words(t.split())) for n, t in texts.items() if t is not None}
