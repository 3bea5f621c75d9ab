"""What a ladder means for the advice beside it: the first wall leads, and no bound lies below."""

from __future__ import annotations

import json
from typing import Any, Optional

from rocm_perf_lab.analysis.diagnosis.ladder import Climbed, Ladder, Place, Wall
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.analysis.documents.schemas.explain import AdviceModel, ExplanationDocument
from rocm_perf_lab.analysis.documents.walls import with_walls
from rocm_perf_lab.reporters.decisions.wall_words import wall_lines
from rocm_perf_lab.reporters.figures.explain_words import gain_lines, limiting, result_line
from rocm_perf_lab.strict_json import read_strict

KERNEL = "transpose(float*)"


def advice(mend: str, kernel_gain: Optional[float], gain: float) -> dict[str, Any]:
    return {
        "mend": mend, "what": f"Do {mend}.", "why": "so", "kernel_gain": kernel_gain,
        "gain": gain, "expected": 1.1,
    }  # fmt: skip


def explanation(
    *given: dict[str, Any], limit: str = "kernel", launches: int = 1
) -> ExplanationDocument:
    kernel = {
        "kernel": KERNEL, "launches": launches, "mean_us": 100.0, "criticality": 0.5,
        "slack_us": None, "bottleneck": None, "optimisation_score": None, "metrics": {},
        "headroom": None,
    }  # fmt: skip
    document = {
        "schema_version": "1.0", "tool_version": "1", "command": ["./app"], "source": None,
        "device": None, "limit": limit,
        "time": {
            "span_ms": 1.0, "basis": "critical path", "kernels": 0.5, "copies": None,
            "launching": None, "host": None, "other": 0.5,
        },
        "kernel": KERNEL, "gain": {"kernel": 1.2, "application": 1.1, "ceiling": 2.0},
        "advice": list(given), "kernels": [kernel], "notes": [], "unavailable": [],
    }  # fmt: skip
    return read_strict(ExplanationDocument, json.dumps(document))


def ladder(*walls: tuple[str, float], whole: bool = True) -> Climbed:
    found = Ladder(100_000, tuple(Wall((name,), ns) for name, ns in walls), whole)
    return Climbed(found, 3, Place("/home/me/app.hip:7", 0.8))


def mends(advised: list[AdviceModel]) -> list[str]:
    return [one.mend for one in advised]


def test_advice_that_takes_the_first_wall_away_comes_first() -> None:
    given = [advice("traffic", 3.0, 1.5), advice("conflicts", 1.5, 1.2)]
    found = with_walls(explanation(*given), ladder(("lds-conflicts", 50_000.0)))
    assert mends(found.advice) == ["conflicts", "traffic"]
    first = found.advice[0]
    assert first.kernel_gain == 2.0, "at most is not below what was measured"
    assert first.gain == 1 / (1 - 0.5 * 0.5)
    assert found.advice[1].kernel_gain == 3.0


def test_where_nobody_advised_it_the_ladder_does() -> None:
    given = [advice(mend, 3.0, 1.5) for mend in ("traffic", "wider", "fuse")]
    found = with_walls(explanation(*given), ladder(("atomics", 25_000.0)))
    assert mends(found.advice) == ["atomics", "traffic", "wider"]
    assert found.advice[0].kernel_gain == 4.0
    assert found.advice[0].why == (
        "the kernel takes 25 us without atomics in line, measured on the model, not 100 us"
    )


def test_a_wall_that_no_source_takes_away_is_passed_by() -> None:
    found = ladder(("launch", 50_000.0), ("atomics", 25_000.0))
    once = with_walls(explanation(), found)
    assert mends(once.advice) == ["atomics"]
    assert once.walls is not None
    assert once.walls.walls[0].advice is None
    several = with_walls(explanation(launches=9), found)
    assert mends(several.advice) == ["fuse"]


def test_what_is_outside_of_kernels_keeps_its_place() -> None:
    given = [advice("copies", None, 1.5)]
    found = with_walls(explanation(*given, limit="copies"), ladder(("atomics", 25_000.0)))
    assert mends(found.advice) == ["copies"]


def test_the_ceiling_is_not_below_the_ladder() -> None:
    found = with_walls(explanation(), ladder(("atomics", 50_000.0), ("hbm", 10_000.0)))
    assert found.gain is not None
    assert found.gain.kernel == 10.0
    lower = with_walls(explanation(), ladder(("atomics", 95_000.0)))
    assert lower.gain is not None
    assert lower.gain.kernel == 1.2


def test_the_page_says_cause_worth_line_and_what_to_try() -> None:
    found = with_walls(explanation(), ladder(("atomics", 50_000.0), ("hbm", 25_000.0), whole=False))
    steps, first, second, basis = wall_lines(found.walls)
    assert steps == "100 us now, 50 us without atomics in line, 25 us with unlimited HBM bandwidth."
    assert first.startswith("1. 2.00x without atomics in line, 80.0% of that at app.hip:7. Combine")
    assert second.startswith("2. 2.00x with unlimited HBM bandwidth. Move fewer bytes")
    assert "a replay of launch 3 on the model of the virtual device" in basis
    assert basis.endswith(
        "VROCM_IDEAL=atomics,hbm. There was no time for more: rocm-perf explain --walls -- ./app "
        "args tries all."
    )
    line = result_line(found, limiting(found))
    assert line.endswith("; the kernel alone 2.00x without atomics in line")
    assert gain_lines(found, limiting(found)) == ["The kernel is near no known ceiling."]


def test_without_a_ladder_the_reason_is_listed() -> None:
    found = with_walls(explanation(), Missing("no time", "wait"))
    assert found.walls is None
    assert found.unavailable[-1].field == "walls"
    assert wall_lines(None) == []
