"""``autotune`` as a function of a request: what verbs, agents and reports call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.space import recording_space
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.redaction import redacted_words
from rocm_perf_lab.tune.journal import Journal, header_of
from rocm_perf_lab.tune.measurement import Evaluator
from rocm_perf_lab.tune.recorded import read_recorded
from rocm_perf_lab.tune.run.builds import Builds
from rocm_perf_lab.tune.run.objective import read_objective
from rocm_perf_lab.tune.run.program import Program, ProgramOptions, Templates
from rocm_perf_lab.tune.run.template import OUTPUT, read_template
from rocm_perf_lab.tune.search.search import SearchOptions
from rocm_perf_lab.tune.space import Space
from rocm_perf_lab.tune.space.space_file import read_space
from rocm_perf_lab.tune.tuning import Tuner, Tuning, TuningProgress, budget_of


@dataclass(frozen=True)
class Commands:
    """The user's templates, as written."""

    command: str
    build: Optional[str] = None
    verify: Optional[str] = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TuneRequest:
    """A recorded space (``simulate``), or a space and commands."""

    space: Optional[Path] = None
    commands: Optional[Commands] = None
    simulate: Optional[Path] = None
    budget: Optional[str] = None
    objective: str = "runtime"
    kernel: Optional[str] = None
    journal: Optional[Path] = None
    resume: bool = False
    search: SearchOptions = field(default_factory=SearchOptions)
    program: ProgramOptions = field(default_factory=ProgramOptions)
    rocm: Optional[Path] = None
    progress: Optional[TuningProgress] = None


@dataclass(frozen=True)
class Tuned:
    tuning: Tuning
    unit: str
    virtual: bool
    header: Mapping[str, Any]


def autotune(request: TuneRequest) -> Tuned:
    if request.simulate is not None:
        recorded = read_recorded(request.simulate)
        return _tune(request, recorded.space, recorded, "ms", False, {"simulate": True})
    if request.space is None or request.commands is None:
        raise UsageError(
            "neither a space with a command nor a recorded space was given",
            'rocm-perf autotune --space space.json --cmd-template "./kernel {BLOCK}"',
        )
    space = read_space(request.space)
    with opened_program(request, space) as program:
        virtual = program.prefix is not None and program.prefix.kind == "virtual"
        said = _said(request.commands)
        return _tune(request, space, program, program.objective.unit, virtual, said)


def _tune(
    request: TuneRequest,
    space: Space,
    evaluator: Evaluator,
    unit: str,
    virtual: bool,
    said: Mapping[str, Any],
) -> Tuned:
    if not space.size:
        raise UsageError("no configuration meets the conditions", "loosen one of them")
    header = header_of(space, request.objective, said)
    journal = Journal(header)
    if request.journal is not None:
        journal = Journal.open(request.journal, header, resume=request.resume)
    budget = budget_of(request.budget, space.size)
    tuner = Tuner(space, evaluator, journal, budget, request.search, request.progress)
    return Tuned(tuner.run(), unit, virtual, header)


@contextmanager
def opened_program(request: TuneRequest, space: Space) -> Iterator[Program]:
    """What measures a configuration, with a folder for builds and recordings until the end."""
    with recording_space() as folder:
        yield _program(request, space, folder)


def _program(request: TuneRequest, space: Space, folder: Path) -> Program:
    assert request.commands is not None
    words = request.commands
    known = frozenset(parameter.name for parameter in space.parameters)
    runs = known | {OUTPUT} if words.build else known
    objective = read_objective(request.objective, request.kernel)
    templates = Templates(
        read_template(words.command, "--cmd-template", runs),
        {n: read_template(t, f"--env {n}", runs) for n, t in words.environment.items()},
        read_template(words.verify, "--verify", runs) if words.verify else None,
    )
    builds = None
    if words.build:
        template = read_template(words.build, "--build-template", known | {OUTPUT})
        if OUTPUT not in template.names:
            raise UsageError("--build-template has no {output}", "such as hipcc a.hip -o {output}")
        builds = Builds(template, folder)
    prefix = None if objective.pattern is not None else find_prefix(request.rocm)
    return Program(templates, objective, prefix, folder, builds, request.program)


def _said(words: Commands) -> dict[str, Any]:
    """For the journal; what looks like a secret is not kept."""
    texts = {"command": words.command, "build": words.build, "verify": words.verify}
    texts.update({f"env {name}": text for name, text in words.environment.items()})
    return {n: " ".join(redacted_words(t.split())) for n, t in texts.items() if t is not None}
