"""``rocm-perf optimize``: the deterministic rules behind the gate."""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.optimize.document import NotAppliedModel, OptimizeDocument
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.rules.registry import ALL_RULES
from rocm_perf_lab.optimize.rules.rule import Rule
from rocm_perf_lab.optimize.search.outcome import Consent, Report, run_engine
from rocm_perf_lab.optimize.search.search import RuleSearch, search_with_rules
from rocm_perf_lab.optimize.search.session import SearchSession


def optimize(
    request: OptimizeRequest,
    agrees: Consent,
    *,
    rules: Sequence[Rule] = ALL_RULES,
    dry_run: bool = False,
) -> OptimizeDocument:
    def run(session: SearchSession, report: Report) -> None:
        done = search_with_rules(session, rules, dry_run=dry_run)
        report.not_applied += not_applied_models(done)
        if dry_run:
            report.notes.append("dry run: nothing was judged, nothing is written")

    return run_engine(request, "rules", run, agrees)


def not_applied_models(done: RuleSearch) -> list[NotAppliedModel]:
    return [
        NotAppliedModel(
            kernel=one.kernel, rule=one.rule, why=one.why, location=one.location or None
        )
        for one in done.not_applied
    ]
