"""The gate of one kernel: stages in their order, an answer and evidence for every candidate."""

from __future__ import annotations

import functools
from dataclasses import asdict, replace
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.optimize.attempt import Attempt, AttemptVerdict, refused
from rocm_perf_lab.optimize.gate import screening, trial
from rocm_perf_lab.optimize.gate.candidate import Candidate, Refused, Screened
from rocm_perf_lab.optimize.gate.claim import Claim
from rocm_perf_lab.optimize.gate.equality import Proof, plain_builds, symbolic_proof
from rocm_perf_lab.optimize.gate.instances import instances_of, typed
from rocm_perf_lab.optimize.gate.kernel_case import KernelCase
from rocm_perf_lab.optimize.gate.reply import candidate_file
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.proposal import Proposal
from rocm_perf_lab.optimize.reference import reference_of
from rocm_perf_lab.optimize.refusal import Refusal, Stage
from rocm_perf_lab.optimize.rules.rule import (
    LAUNCH_BOUNDS,
    UNSEEN,
    Bottleneck,
    Edit,
    Situation,
)
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.source.instance import Parse
from rocm_perf_lab.optimize.source.kernel_names import kernel_of
from rocm_perf_lab.optimize.source.model import Kernel, TranslationUnit
from rocm_perf_lab.optimize.source.splice import splice_body, splice_launch_bounds
from rocm_perf_lab.optimize.workshop.measured import Measured
from rocm_perf_lab.optimize.workshop.workshop import Workshop
from rocm_perf_lab.prove.evidence import Bundle, Decision, OracleSays
from rocm_perf_lab.prove.judge import Verdict, judge
from rocm_perf_lab.prove.oracle.reference import Reference, ReferenceMaker

_VERDICTS: dict[str, AttemptVerdict] = {
    "ACCEPT": "accept",
    "REJECT": "reject",
    "NO_CHANGE": "no_change",
    "INCONCLUSIVE": "inconclusive",
}
_SLOWER = 0.98  # of the best version's speed: below it, replay calls a candidate slower


class KernelGate:
    """See ``Gate``. ``profiled`` is the kernel's name in profiles, ``source`` its unit."""

    def __init__(
        self, workshop: Workshop, source: Path, profiled: str, case: KernelCase, measured: Measured
    ) -> None:
        self.workshop = workshop
        self.source = source
        self.profiled = profiled
        self.case = case
        self.measured = measured
        self.claim: Optional[Claim] = None
        self.speedup = 1.0  # of the best version, by replay, over the captured code
        self._proofs: dict[str, Proof] = {}  # by the name of the bundle
        self._best_for_all_inputs = True  # the best version so far, which is the original first
        self._read()
        case.reference = self._reference()
        case.seed = workshop.request.seed
        case.allow_unseen = UNSEEN in workshop.request.allowed
        self._instances = 0
        if self._kernel.is_template:
            program = workshop.base_program
            self._instances = instances_of(program, case.symbol, self._kernel.name)
        built = workshop.tree.code(workshop.best, source)
        self._baseline = None if built.file is None else case.artifact(built.file)

    # --- what an engine sees ----------------------------------------------------------------------

    @property
    def kernel(self) -> str:
        return self._kernel.qualified_name

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return tuple(self.workshop.attempts)

    @property
    def profile(self) -> ProfileDocument:
        return self.measured.profile

    def seconds_left(self) -> Optional[float]:
        return self.workshop.seconds_left()

    def situation(self) -> Situation:
        return self.situation_of(self._unit, self._kernel)

    def situation_of(self, unit: TranslationUnit, kernel: Kernel) -> Situation:
        """Of a version that is not accepted yet, for combinations."""
        verdict = self.measured.verdict_of(self.profiled).verdict
        labels = tuple(label for label in (verdict.label, verdict.runner_up) if label)
        read = typed(unit, kernel, self.profiled, self._instances, self._parse_beside(unit))
        return Situation(
            unit,
            read.kernel,
            self.case.launch(read.kernel),
            Bottleneck(labels, dict(verdict.metrics)),
            self.workshop.request.allowed,
            self._largest_block(),
            read.instance,
            read.unknown,
        )

    def situation_with(self, situation: Situation, edit: Edit) -> Optional[Situation]:
        """Of the same version with other text in its body; None for what clang does not read."""
        kernel, data = situation.kernel, situation.data
        text = splice_body(data, kernel, edited(data, kernel.body, (edit,)))
        unit = self._parse_beside(situation.unit)({kernel.path: text})
        found = kernel_of(unit.kernels, self.profiled)
        return None if unit.errors or found is None else self.situation_of(unit, found)

    def try_proposal(self, proposal: Proposal) -> Attempt:
        return self._try(self.candidate(proposal))

    def try_definition(
        self,
        definition: str,
        title: str,
        reason: str,
        allowed: Allowances = Allowances(),  # noqa: B008 (it is frozen)
    ) -> Attempt:
        data = candidate_file(self._file(), self._kernel, definition)
        contents = {**self.workshop.best, self._kernel.path: data}
        return self._try(Candidate(title, reason, contents, (), allowed))

    def note_refusal(self, title: str, refusal: Refusal) -> Attempt:
        attempt = refused(self.kernel, title, refusal)
        self.workshop.evidence.ended(attempt, None)
        return self.workshop.finished(attempt)

    # --- what a search needs besides --------------------------------------------------------------

    def candidate(self, proposal: Proposal) -> Candidate:
        data = splice_body(self._file(), self._kernel, proposal.body)
        if proposal.launch_bounds is not None:
            tokens = self._unit.files[self._kernel.path].tokens
            data = splice_launch_bounds(data, self._kernel, tokens, proposal.launch_bounds)
        return Candidate(
            proposal.title,
            proposal.reason,
            {**self.workshop.best, self._kernel.path: data},
            proposal.rules,
            replace(proposal.allowed, launch_bounds=self._agreed_bounds()),
        )

    def screen(self, candidate: Candidate) -> Screened:
        """Through the stages that need no run of the application. It ends here, or goes on."""
        workshop, path = self.workshop, self._kernel.path
        workshop.listener.doing(f"trying: {candidate.title}")
        base = {path: self._file()}
        shown = {path: candidate.contents[path]}
        bundle = workshop.evidence.open(self.kernel, candidate.title, candidate.reason, base, shown)
        if self._baseline is not None:
            bundle.add("code/baseline.co", self._baseline.code.data)
        try:
            unit, kernel = screening.check_text(
                workshop, self.source, self._unit, self._kernel, candidate
            )
            code = screening.build_code(workshop, self.source, candidate)
            screening.check_code(self.case, self._baseline, code, bundle, candidate.allowed)
            replayed = screening.replay_code(self.case, code, bundle)
            proof = None
            if replayed.different:  # other bits: a combination must not build on a wrong one
                proof = self._proven(candidate, code, bundle)
        except Refused as end:
            return Screened(candidate, bundle, self._ended(candidate, bundle, end))
        except screening.Unchanged:
            attempt = Attempt(
                self.kernel, candidate.title, Stage.SCOPE, "no_change", "the same code as before"
            )
            return Screened(candidate, bundle, self.end(attempt, bundle))
        return Screened(candidate, bundle, None, unit, kernel, code, replayed, proof)

    def prove(self, screened: Screened) -> Optional[Attempt]:
        """G5; None when it is proven equal."""
        assert screened.code is not None
        if screened.proof is not None:
            self._proofs[screened.bundle.folder.name] = screened.proof
            return None
        self.workshop.listener.doing(f"proving equal: {screened.candidate.title}")
        try:
            proof = self._proven(screened.candidate, screened.code, screened.bundle)
        except Refused as end:
            return self._ended(screened.candidate, screened.bundle, end)
        self._proofs[screened.bundle.folder.name] = proof
        return None

    def _proven(self, candidate: Candidate, code: Path, bundle: Bundle) -> Proof:
        """Symbolically for what rules change, while all before was proven so; by trials always."""
        for_all = False
        if candidate.rules and self._best_for_all_inputs:
            name, best = self.case.symbol_name, self.workshop.best
            report = symbolic_proof(self.workshop, self.source, name, best, candidate.contents)
            bundle.add_json("reports/symbolic.json", asdict(report))
            for_all = report.proven
        # Rules keep the original code for cases that no trial reaches: buffers that overlap.
        return screening.prove_code(
            self.case, code, bundle, for_all_inputs=for_all, allow_unseen=bool(candidate.rules),
            plain=lambda: plain_builds(self.workshop, self.source, candidate.contents),
        )  # fmt: skip

    def judge(self, screened: Screened) -> Attempt:
        """The application decides about a candidate that is proven equal."""
        candidate, bundle = screened.candidate, screened.bundle
        try:
            return self._judged(screened)
        except Refused as end:
            return self._ended(candidate, bundle, end)

    def set_aside(self, screened: Screened, over: float, why: str) -> Attempt:
        """It is not faster than ``over``, not by enough, or another one is faster still."""
        gain = screened.speedup / over
        attempt = Attempt(
            self.kernel,
            screened.candidate.title,
            Stage.JUDGE,
            "reject" if gain < _SLOWER else "no_change",
            f"{gain:.3f}x {why}",
            speedup=gain,
            rules=screened.candidate.rules,
        )
        return self.end(attempt, screened.bundle)

    def end(self, attempt: Attempt, bundle: Bundle) -> Attempt:
        attempt = replace(attempt, bundle=bundle.folder.name)
        self.workshop.evidence.ended(attempt, bundle)
        return self.workshop.finished(attempt)

    # --- inside -----------------------------------------------------------------------------------

    def _try(self, candidate: Candidate) -> Attempt:
        screened = self.screen(candidate)
        if screened.attempt is not None:
            return screened.attempt
        gain = screened.speedup / self.speedup
        least = 1.0 + self.workshop.request.min_improvement
        if gain < least:
            return self.set_aside(screened, self.speedup, f"by replay, less than {least:.3f}x")
        return self.prove(screened) or self.judge(screened)

    def _judged(self, screened: Screened) -> Attempt:
        workshop, candidate, bundle = self.workshop, screened.candidate, screened.bundle
        workshop.listener.doing(f"the application judges: {candidate.title}")
        program = trial.build_program(workshop, candidate)
        after = trial.measure_version(workshop, program)
        rules = bool(candidate.rules)
        capture = self.case.capture
        work = trial.counted_work(self.case.counted())
        trial.check_version(
            workshop, self.profiled, self.measured, after, capture, by_rules=rules, work=work
        )
        base, poison = workshop.base_program, self.case.poison()
        trial.check_output(workshop, base, program, poison, bundle)
        best = workshop.best_program
        plan = trial.judge_plan(
            workshop.evidence.tried,
            workshop.request.min_improvement,
            against_original=best == workshop.base_program,
        )
        seed = workshop.request.seed + workshop.evidence.tried
        verdict, timed = trial.judge_version(workshop, self.profiled, best, program, plan, seed)
        bundle.add_json("order.json", [list(block.order) for block in timed.blocks])
        confirmation = None
        if _is_faster(verdict):
            confirmation = self._confirmed(screened, program, timed, seed + 1)
        trust = workshop.tree.check_trust()
        if trust is not None:
            raise Refused(trust)
        decision = bundle.close(
            timed.kernel,
            oracle=OracleSays(verdict="equal", report="reports/oracle.json"),
            candidates=workshop.evidence.tried,
            plan=plan,
            confirmation=None if confirmation is None else confirmation.kernel,
            application=timed.application,
            order_seed=seed,
        )
        attempt = self._decided(screened, verdict, decision)
        if attempt.accepted and confirmation is not None:
            self._keep(screened, program, after, decision, confirmation)
        return self.end(attempt, bundle)

    def _confirmed(
        self, screened: Screened, program: Path, first: trial.Timed, seed: int
    ) -> trial.Timed:
        """Fresh blocks, and the oracle on fresh inputs."""
        assert screened.code is not None
        self.workshop.listener.doing(f"confirming: {screened.candidate.title}")
        blocks = trial.fresh_blocks(first.kernel)
        fresh = trial.confirm_version(self.workshop, self.profiled, program, blocks, seed)
        screening.prove_code(self.case, screened.code, screened.bundle, seed=seed)
        return fresh

    def _decided(self, screened: Screened, verdict: Verdict, decision: Decision) -> Attempt:
        kernel = decision.kernel
        stage = Stage.CONFIRMATION if _is_faster(verdict) else Stage.JUDGE
        name, reason = _VERDICTS[kernel.verdict], kernel.reason
        if name == "accept" and not decision.accepted:
            name, stage = "reject", Stage.JUDGE
            reason = "the kernel is faster, but the whole application is slower"
        return Attempt(
            self.kernel,
            screened.candidate.title,
            stage,
            name,
            reason,
            speedup=kernel.effect,
            low=kernel.claim,
            rules=screened.candidate.rules,
            proof=self._proofs[screened.bundle.folder.name].words,
        )

    def _keep(
        self,
        screened: Screened,
        program: Path,
        after: Measured,
        decision: Decision,
        confirmation: trial.Timed,
    ) -> None:
        whole = judge(confirmation.application)
        self.workshop.accept(screened.candidate.contents, program)
        self.speedup = screened.speedup
        self.measured = after
        self.claim = Claim(
            self.kernel,
            decision.kernel.effect,
            decision.kernel.claim,
            whole.effect,
            whole.low if whole.low > 0 else None,
            self.workshop.evidence.tried,
            proof := self._proofs[screened.bundle.folder.name],
        )
        self._best_for_all_inputs = proof.for_all_inputs
        self._read()

    def _ended(self, candidate: Candidate, bundle: Bundle, end: Refused) -> Attempt:
        attempt = refused(self.kernel, candidate.title, end.refusal, candidate.rules)
        if not (bundle.folder / "decision.json").exists():
            bundle.add_json("reports/refusal.json", end.refusal.to_json())
        return self.end(replace(attempt, compiler=end.compiler), bundle)

    def _largest_block(self) -> Optional[int]:
        """Over all launches of the definition: of every instance of a template."""
        trace = self.measured.trace
        mine = {
            number
            for number, kernel in enumerate(trace.kernels)
            if kernel_of(self._unit.kernels, kernel.name) is self._kernel
        }
        sizes = trace.dispatches.block.prod(axis=1)[np.isin(trace.dispatches.kernel, list(mine))]
        return int(sizes.max()) if len(sizes) else None

    def _agreed_bounds(self) -> Optional[int]:
        """What the user asked for decides, not what a proposal says of itself."""
        asked = LAUNCH_BOUNDS in self.workshop.request.allowed
        return self._largest_block() if asked else None

    def _parse_beside(self, unit: TranslationUnit) -> Parse:
        """Other text of one file with the rest of ``unit``."""
        rest = {path: unit.files[path].data for path in self.workshop.best if path in unit.files}
        return lambda text: self.workshop.parse(self.source, {**rest, **text})

    def _read(self) -> None:
        """The current best text of the unit."""
        self._unit = self.workshop.parse(self.source, self.workshop.best)
        found = kernel_of(self._unit.kernels, self.profiled)
        assert found is not None
        self._kernel = found

    def _reference(self) -> ReferenceMaker:
        """Of the text that was captured: made when a candidate's bits differ, and once."""
        unit, kernel, source = self._unit, self._kernel, self.source
        tree, others = self.workshop.tree, dict(self.workshop.best)

        @functools.lru_cache(maxsize=1)
        def made() -> Reference:
            self.workshop.listener.doing(f"building {kernel.name} in double")
            return reference_of(unit, kernel, lambda new: tree.code({**others, **new}, source))

        return made

    def _file(self) -> bytes:
        return self._unit.files[self._kernel.path].data


def _is_faster(verdict: Verdict) -> bool:
    """By the first blocks; nothing is accepted before fresh ones say the same."""
    return verdict.verdict == "ACCEPT" or verdict.wants_confirmation
