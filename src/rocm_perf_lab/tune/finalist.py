"""The finalist against the default: fresh processes in blocks, the judge, and its evidence.

What the search measured chose the finalist, so that it flatters it. None of it is used here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.collect.doctor.environment import installed_version
from rocm_perf_lab.collect.rocprof.options import Step
from rocm_perf_lab.errors import ApplicationFailed, NothingRecorded
from rocm_perf_lab.measure.blocks import A2, A, B, order_of
from rocm_perf_lab.measure.meter import Command
from rocm_perf_lab.prove.evidence import Bundle, OracleSays
from rocm_perf_lab.prove.judge import DEFAULT_RULE, Block, JudgePlan, Look, Verdict, follow
from rocm_perf_lab.prove.oracle.application import Output, compare_outputs
from rocm_perf_lab.prove.oracle.report import decide
from rocm_perf_lab.tune.measurement import Configuration
from rocm_perf_lab.tune.run.program import Program
from rocm_perf_lab.tune.tuning import TuningProgress

PLAN = JudgePlan(DEFAULT_RULE, (Look(12, 0.5), Look(24, 0.5)))  # declared before the first block
_ROLES = (A, A2, B)
_CHECK = "reports/output.json"


# within_tolerance: by the user's check
OutputVerdict = Literal["equal", "within_tolerance", "unverified"]


@dataclass(frozen=True)
class Judgement:
    """``accepted``: faster, and the output proven to be the same."""

    verdict: Verdict
    processes: int  # started for it; none of them counts as search
    output: OutputVerdict
    output_reason: str
    accepted: bool
    evidence: Path


@dataclass(frozen=True)
class Finalist:
    """Who is judged, and where the evidence goes (a folder that is not there yet)."""

    program: Program
    default: Configuration
    best: Configuration
    folder: Path
    seed: int
    progress: Optional[TuningProgress] = None

    def judge(self) -> Judgement:
        """Raises what running an application can raise."""
        base, head = self.program.command(self.default), self.program.command(self.best)
        bundle = self._opened(head)
        verdict, samples = follow(PLAN, self._blocks(base, head), unit=self._unit)
        oracle, reason, checks = self._output(base, head)
        bundle.add_json(_CHECK, {"verdict": oracle, "reason": reason})
        decision = bundle.close(
            samples,
            oracle=OracleSays(verdict=oracle, report=_CHECK),
            candidates=1,  # one was chosen before the first block, and no other is judged
            plan=PLAN,
            order_seed=self.seed,
        )
        processes = len(_ROLES) * len(samples.blocks) + checks
        return Judgement(verdict, processes, oracle, reason, decision.accepted, self.folder)

    @property
    def _unit(self) -> str:
        return self.program.objective.unit or "number"

    def _opened(self, head: Command) -> Bundle:
        bundle = Bundle(self.folder)
        content = {
            "objective": self.program.objective.name,
            "default": dict(self.default),
            "best": dict(self.best),
        }
        bundle.add_json("proposal.json", content)
        bundle.add_command(head.argv)
        prefix = self.program.prefix
        tools = {"rocm_perf_lab": __version__}
        if prefix is not None:
            tools["rocm"] = installed_version(prefix) or "unknown"
            tools["rocm_kind"] = prefix.kind
        bundle.add_json("tools.json", tools)
        return bundle

    def _blocks(self, base: Command, head: Command) -> Iterator[Block]:
        most = PLAN.looks[-1].blocks
        commands = {A: base, A2: base, B: head}
        for number in range(1, most + 1):
            if self.progress is not None:
                self.progress.judging(number, most)
            times = {}
            for role in order_of(self.seed, number):
                value = self.program.read(commands[role], Step("judge", number, most)).value
                if value is None:
                    raise NothingRecorded(f"block {number} of the judge has no time")
                times[role] = (value,)
            yield Block(times[A], times[A2], times[B])

    def _output(self, base: Command, head: Command) -> tuple[OutputVerdict, str, int]:
        """Printed lines may name the parameters, so that other ones prove nothing."""
        if self.program.templates.verify is not None:
            return "within_tolerance", "the check (--verify) passed for both", 0
        try:
            runs = [self._printed(command) for command in (base, base, head)]
        except ApplicationFailed as error:
            return "unverified", error.cause, len(_ROLES)
        report = decide(compare_outputs(*runs), "the output of the default configuration")
        verdict: OutputVerdict = "equal" if report.verdict == "equal" else "unverified"
        return verdict, report.reason, len(_ROLES)

    def _printed(self, command: Command) -> Output:
        """Without the numbers that are made small."""
        text = self.program.output(command)
        for objective in (self.program.objective, self.program.second):
            if objective is not None and objective.pattern is not None:
                text = objective.pattern.sub("", text)
        return Output("exit code 0", True, text.encode(), {})
