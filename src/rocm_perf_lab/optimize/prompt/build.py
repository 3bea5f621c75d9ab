"""The messages: deterministic text from measured facts, limits, attempts and code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.gate.gate import Gate
from rocm_perf_lab.optimize.prompt import document as models
from rocm_perf_lab.optimize.prompt.contract import CONTRACT
from rocm_perf_lab.optimize.prompt.facts import KernelFacts
from rocm_perf_lab.optimize.prompt.fence import without_folders
from rocm_perf_lab.optimize.prompt.text import user_text
from rocm_perf_lab.optimize.providers.provider import Message
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.redaction import redacted_text
from rocm_perf_lab.strict_json import replace

_LONGEST_FILE = 400  # lines; a longer one is shown only when it is asked for
_FEWER_ATTEMPTS = 3


@dataclass(frozen=True)
class PromptStyle:
    compact: bool = False  # what limits it, its limits, the last attempts and the kernel alone
    full_source: bool = False  # the whole file, however long it is


@dataclass(frozen=True)
class Repair:
    """A reply that does not compile, and what the compiler wrote."""

    code: str
    compiler: str


def build_prompt(
    gate: Gate,
    request: OptimizeRequest,
    style: PromptStyle = PromptStyle(),
    repair: Optional[Repair] = None,
) -> models.PromptDocument:
    situation = gate.situation()
    names = [path.rpartition("/")[2] for path in situation.unit.files]
    bare = _facts(gate.profile, gate.profiled, situation, request, style)
    attempts = gate.attempts[-_FEWER_ATTEMPTS:] if style.compact else gate.attempts
    bare = replace(bare, attempts=tuple(_attempt(found, names) for found in attempts))
    if repair is not None:
        repair = Repair(repair.code, without_folders(repair.compiler, names))
    said = (repair.code, repair.compiler) if repair else None
    text = redacted_text(user_text(bare, said, compact=style.compact))
    messages = (
        models.MessageModel(role="system", text=CONTRACT),
        models.MessageModel(role="user", text=text),
    )
    return replace(bare, messages=messages)


def messages_of(document: models.PromptDocument) -> Sequence[Message]:
    return [Message(message.role, message.text) for message in document.messages]


def _facts(
    profile: ProfileDocument,
    profiled: str,
    situation: Situation,
    request: OptimizeRequest,
    style: PromptStyle,
) -> models.PromptDocument:
    facts = KernelFacts(profile, profiled, situation)
    resources, occupancy = facts.resources_and_occupancy()
    return models.PromptDocument(
        schema_version=models.SCHEMA_VERSION,
        tool_version=__version__,
        hardware=facts.hardware(),
        kernel=facts.kernel(),
        runtime=facts.runtime(),
        roofline=facts.roofline(),
        critical_path=facts.critical_path(),
        att=facts.att(),
        hot_lines=facts.hot_lines(),
        resources=resources,
        occupancy=occupancy,
        bottleneck=facts.bottleneck(),
        headroom_fraction=facts.headroom(),
        limits=_limits(request),
        attempts=(),
        source=_source(situation, style),
        messages=(),
    )


def _limits(request: OptimizeRequest) -> models.LimitsModel:
    most = request.thresholds
    return models.LimitsModel(
        min_improvement=request.min_improvement,
        runtime=most.runtime,
        vgpr=most.vgpr,
        occupancy=most.occupancy,
        lds=most.lds,
        dram_bytes=most.dram_bytes,
        growth_waiver=most.growth_waiver,
        spills=most.spills,
        allowed=tuple(sorted(request.allowed)),
    )


def _source(situation: Situation, style: PromptStyle) -> models.SourceModel:
    kernel, data = situation.kernel, situation.data
    text = data.decode("utf-8", "replace")
    short = data.count(b"\n") < _LONGEST_FILE and not style.compact
    shown = style.full_source or (short and _uses_its_file(situation))
    return models.SourceModel(
        path=kernel.path.rpartition("/")[2],
        line=data[: kernel.span.start].count(b"\n") + 1,
        kernel_name=kernel.qualified_name,
        code=kernel.span.of(data).decode("utf-8", "replace"),
        file=text if shown else None,
    )


def _uses_its_file(situation: Situation) -> bool:
    """Functions, constants or macros that are declared outside of the kernel."""
    kernel = situation.kernel
    names = (node.referent for node in kernel.tree.walk() if node.referent is not None)
    declared = any(
        found.at_namespace_scope and found.path in situation.unit.files for found in names
    )
    return declared or any(use.words for use in kernel.macros)


def _attempt(found: Attempt, names: Sequence[str]) -> models.PromptAttemptModel:
    return models.PromptAttemptModel(
        kernel=found.kernel,
        proposal=found.proposal,
        stage=found.stage.value,
        verdict=found.verdict,
        reason=without_folders(found.reason, names),
        speedup=found.speedup,
    )
