"""``optimize`` as a function: rules, beam, gate, until nothing improves any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rocm_perf_lab.optimize.attempt import NOT_JUDGED
from rocm_perf_lab.optimize.gate.kernel_gate import KernelGate
from rocm_perf_lab.optimize.rules.rule import Rule
from rocm_perf_lab.optimize.search.beam import Beam, NotApplied
from rocm_perf_lab.optimize.search.session import SearchSession

MOST_JUDGED = 3  # of one beam: the application takes its time


@dataclass
class RuleSearch:
    """What the rules did, besides the attempts of the session."""

    not_applied: list[NotApplied] = field(default_factory=list)


def search_with_rules(
    session: SearchSession, rules: Sequence[Rule], *, dry_run: bool = False
) -> RuleSearch:
    """Kernel by kernel, the most worthwhile first; the profile after a gain may name another."""
    done = RuleSearch()
    while True:
        gate = session.next_gate()
        if gate is None:
            return done
        if not improve(gate, rules, done, dry_run=dry_run):
            session.give_up(gate)


def improve(
    gate: KernelGate, rules: Sequence[Rule], done: RuleSearch, *, dry_run: bool = False
) -> bool:
    """One beam; whether something of it was accepted."""
    beam = Beam(gate, rules)
    found = beam.explored()
    done.not_applied += [one for one in beam.not_applied if one not in done.not_applied]
    before, judged, accepted = gate.speedup, 0, False
    least = 1.0 + gate.workshop.request.min_improvement
    for screened in found:
        if accepted:
            gate.set_aside(screened, before, "by replay; a faster combination was accepted")
        elif screened.speedup < least * before:
            gate.set_aside(screened, before, f"by replay, less than {least:.3f}x")
        elif judged >= MOST_JUDGED:
            gate.set_aside(screened, before, "by replay; faster ones were judged before it")
        elif judged and gate.seconds_left() == 0:
            gate.set_aside(screened, before, "by replay; the budget ended with a faster one")
        elif gate.prove(screened) is None:
            if dry_run:
                gate.set_aside(screened, before, f"by replay; {NOT_JUDGED}")
                continue
            judged += 1
            accepted = gate.judge(screened).accepted
    return accepted
