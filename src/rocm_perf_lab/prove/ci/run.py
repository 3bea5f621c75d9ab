"""``ci`` as a function: two versions in, one document out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.ci import KINDS
from rocm_perf_lab.prove.ci import ci_schema as schema
from rocm_perf_lab.prove.ci.checks import Checked, check_command, new_findings
from rocm_perf_lab.prove.ci.versions import Project, built, checked_out, command_side
from rocm_perf_lab.prove.compare.compare import Compared, CompareRequest, compare
from rocm_perf_lab.prove.compare.document import given
from rocm_perf_lab.prove.compare.judgement import REGRESSION
from rocm_perf_lab.prove.compare.sides import CommandSide
from rocm_perf_lab.prove.compare.subjects import Subject
from rocm_perf_lab.prove.judge import Samples
from rocm_perf_lab.trace.files.temporary import temporary_folder

Say = Callable[[str], None]


@dataclass(frozen=True)
class CiRequest:
    base: str  # a commit where there is a project, else a command
    head: Optional[str]
    project: Optional[Project] = None
    checks: tuple[str, ...] = ()  # of KINDS
    threshold: float = 0.02
    blocks: int = 48
    seed: int = 0
    rocm: Optional[Path] = None
    timeout_s: Optional[float] = None
    progress: Progress = SILENT

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.checks if kind not in KINDS]
        if unknown:
            raise UsageError(
                f"'{unknown[0]}' is not a check", f"choose from {', '.join(KINDS)}, or all"
            )
        if self.project is None and self.head is None:
            raise UsageError(
                "without --command, BASE and HEAD are commands, and HEAD is missing",
                'rocm-perf ci main --command "./app 100", or rocm-perf ci "./old" "./new"',
            )


@dataclass(frozen=True)
class CiResult:
    document: schema.CiDocument
    samples: Mapping[Subject, Samples] = field(default_factory=dict)


def run_ci(request: CiRequest, say: Say) -> CiResult:
    """Checks before it compares: they are one run, and say whether HEAD runs at all."""
    prefix = find_prefix(request.rocm)
    with _sides(request, prefix, say) as (base, head):
        checked = _checked(request, prefix, base, head, say) if request.checks else None
        if checked and checked[1].dispatches is None:
            return CiResult(_document(request, base, head, checked, None))
        say("comparing")
        compared = compare(_comparison(request, base, head))
        return CiResult(_document(request, base, head, checked, compared), compared.samples)


@contextmanager
def _sides(
    request: CiRequest, prefix: Prefix, say: Say
) -> Iterator[tuple[CommandSide, CommandSide]]:
    if request.project is None:
        yield command_side(request.base, "BASE"), command_side(request.head or "", "HEAD")
        return
    with (
        temporary_folder("ci") as folder,
        checked_out(request.base, request.head, folder) as checkouts,
    ):
        sides = []
        for checkout in checkouts:
            if request.project.build:
                say(f"building {checkout.name}")
            sides.append(built(checkout, request.project, prefix))
        yield sides[0], sides[1]


def _checked(
    request: CiRequest, prefix: Prefix, base: CommandSide, head: CommandSide, say: Say
) -> tuple[Checked, Checked]:
    say(f"checking for {', '.join(request.checks)}")
    with recording_space(None) as space:
        found = []
        for name, side in (("base", base), ("head", head)):
            (space / name).mkdir()
            found.append(
                check_command(side.command, request.checks, prefix, space / name, request.timeout_s)
            )
    return found[0], found[1]


def _comparison(request: CiRequest, base: CommandSide, head: CommandSide) -> CompareRequest:
    return CompareRequest(
        base,
        head,
        threshold=request.threshold,
        blocks=request.blocks,
        seed=request.seed,
        rocm=request.rocm,
        timeout_s=request.timeout_s,
        progress=request.progress,
    )


def _document(
    request: CiRequest,
    base: CommandSide,
    head: CommandSide,
    checked: Optional[tuple[Checked, Checked]],
    compared: Optional[Compared],
) -> schema.CiDocument:
    checks = None if checked is None else _checks(request.checks, (base, head), checked)
    found: list[schema.Reason] = []
    if compared is not None and compared.document.verdict == REGRESSION:
        found.append("regression")
    if checks is not None and (compared is None or any(one.new for one in checks.head.findings)):
        found.append("finding")  # a HEAD that was not compared is never a pass
    return schema.CiDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=__version__,
        found=found,
        comparison=None if compared is None else compared.document,
        checks=checks,
    )


def _checks(
    kinds: Sequence[str],
    sides: tuple[CommandSide, CommandSide],
    checked: tuple[Checked, Checked],
) -> schema.ChecksModel:
    base, head = checked
    names = {**base.names, **head.names}  # a run that ended early has none
    return schema.ChecksModel(
        kinds=list(kinds),
        base=_model(sides[0], base, [False] * len(base.findings), names),
        head=_model(sides[1], head, new_findings(base, head), names),
    )


def _model(
    side: CommandSide, checked: Checked, new: Sequence[bool], names: Mapping[str, str]
) -> schema.CheckedModel:
    return schema.CheckedModel(
        given=given(side),
        dispatches=checked.dispatches,
        findings=[
            schema.FindingModel(
                what=one.what,
                kernel=names.get(one.kernel, one.kernel),
                where=list(one.where),
                new=is_new,
            )
            for one, is_new in zip(checked.findings, new)
        ],
    )
