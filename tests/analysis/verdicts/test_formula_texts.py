"""The formulas that reports show are those that compute the numbers."""

from __future__ import annotations

import math
import random
import re

import pytest

from rocm_perf_lab.analysis.verdicts.compute_unit import ComputeUnit
from rocm_perf_lab.analysis.verdicts.formula_texts import FORMULAS
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.metrics import METRICS

_WHOLES = {"SQ_INSTS_VALU", "TCP_TOTAL_CACHE_ACCESSES"}


def facts_of(source: random.Random) -> KernelFacts:
    return KernelFacts(
        "k",
        mean_ns=source.uniform(3e4, 1e5),
        workgroups=source.randint(1, 5000),
        workgroup_size=source.randint(1, 1024),
        wave_size=source.choice([32, 64]),
        cu_count=source.randint(4, 304),
        xcc_count=source.randint(1, 8),
        max_clock_mhz=source.uniform(500, 2500),
        compute_unit=ComputeUnit(simds=4, slots_per_simd=8),
        launch_floor_ns=source.uniform(500, 2000),
        atomic_turn_ns=source.uniform(1e-4, 1e-2),
    )


def words_of(facts: KernelFacts) -> dict[str, object]:
    return {
        "min": min,
        "max": max,
        "ceil": math.ceil,
        "time_ns": facts.mean_ns,
        "workgroups": facts.workgroups,
        "workgroup_size": facts.workgroup_size,
        "wave_size": facts.wave_size,
        "CUs": facts.cu_count,
        "XCDs": facts.xcc_count,
        "clock_MHz": facts.max_clock_mhz,
        "wave_slots_per_CU": 32,
        "shortest_launch_ns": facts.launch_floor_ns,
        "atomic_turn_ns": facts.atomic_turn_ns,
    }


@pytest.mark.parametrize("name", FORMULAS)
def test_the_text_computes_the_metric(name: str) -> None:
    metric, text, source = METRICS[name], FORMULAS[name], random.Random(name)
    for _ in range(50):
        facts = facts_of(source)
        counted = {counter: source.uniform(1e3, 1e6) for counter in metric.counters}
        # Of what others are parts of there is more than of them.
        counted.update((whole, 9.0 * counted[whole] + 1e6) for whole in _WHOLES & counted.keys())
        shown = eval(text, {"__builtins__": {}}, {**words_of(facts), **counted})
        assert metric.value(facts, counted) == pytest.approx(shown)


def test_every_metric_of_counters_has_a_formula_that_names_them() -> None:
    for metric in METRICS.values():
        named = set(re.findall(r"\b[A-Z]{2,}[A-Z0-9]*_[A-Z0-9_]+\b", FORMULAS.get(metric.name, "")))
        assert named == set(metric.counters), metric.name
