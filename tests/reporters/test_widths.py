"""Every page fits its terminal, whatever kernels are called; what people copy stays whole."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from fakes.filled import LONG_NAME, filled
from rocm_perf_lab.analysis.documents.schemas.analysis import AnalysisDocument
from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.collect.doctor.checks import Diagnosis
from rocm_perf_lab.history.document import HistoryDocument
from rocm_perf_lab.optimize.document import OptimizeDocument
from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument
from rocm_perf_lab.prove.compare.versions_schema import VersionsDocument
from rocm_perf_lab.prove.evidence.document import EvidenceDocument
from rocm_perf_lab.prove.judge.document import JudgeDocument
from rocm_perf_lab.prove.judge.self_test import SelfTestDocument
from rocm_perf_lab.prove.oracle.document import VerifyDocument
from rocm_perf_lab.replay.export import Exported
from rocm_perf_lab.replay.replay_schema import (
    CheckDocument,
    IsolateDocument,
    ListDocument,
    RaceDocument,
    ReplayDocument,
)
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions import (
    compare,
    evidence,
    history,
    judge,
    optimize,
    oracle,
    replay,
    tuning,
)
from rocm_perf_lab.reporters.figures import analysis, doctor, explain, profile, selftest
from rocm_perf_lab.reporters.kernel_names import short_names
from rocm_perf_lab.selftest.document import SelftestDocument
from rocm_perf_lab.tune.tuning_schema import TuningDocument

COPIED = re.compile(r"^\s*\S*/\S*$|^  cmake |^[AB]: ")  # a path alone on its line, or a command

MIX = dict.fromkeys(("valu", "salu", "mfma", "vmem", "smem", "lds", "branch", "sync"), 0.125)
WORDS: dict[str, Any] = {  # fields that hold one of few words, or code
    "gfx": "gfx942",
    "limiter": "workgroups",
    "bound": "synchronisation",
    "binding": "infinity_cache",
    "primary": "memory bandwidth bound",
    "runner_up": "memory bandwidth bound",
    "cause": "barrier",
    "waiting": {"barrier": 0.75, "global memory": 0.25},
    "instruction_mix": MIX,
    "latency_mix": MIX,
    "unit": "share",
    "added": "2026-11-16T16:15:00",
    "commit": "0123456789abcdef",
    "name": "name_of_a_stage",
    "diff": "",
}
NAMES = {**WORDS, "name": LONG_NAME}
BENCHMARKS = {**WORDS, "kind": "memory latency", "worst": "many_groups=65536", "differing": ()}

Render = Callable[[Any], str]
PAGES: dict[str, tuple[Render, Any, dict[str, Any]]] = {
    "profile": (profile.render_profile, ProfileDocument, NAMES),
    "explain": (explain.render_explanation, ExplanationDocument, NAMES),
    "thread traces": (analysis.render_traces_alone, AnalysisDocument, NAMES),
    "doctor": (doctor.render_doctor, Diagnosis, WORDS),
    "selftest": (selftest.render_selftest, SelftestDocument, BENCHMARKS),
    "compare": (compare.render_comparison, ComparisonDocument, NAMES),
    "evidence show": (evidence.render_shown, EvidenceDocument, NAMES),
    "evidence verify": (evidence.render_verified, EvidenceDocument, NAMES),
    "history show": (history.render_entries, HistoryDocument, NAMES),
    "history trend": (history.render_trend, HistoryDocument, NAMES),
    "history gate": (history.render_gate, HistoryDocument, NAMES),
    "judge": (judge.render_judge, JudgeDocument, NAMES),
    "judge --self-test": (judge.render_self_test, SelfTestDocument, NAMES),
    "optimize": (optimize.render_optimize, OptimizeDocument, NAMES),
    "verify": (oracle.render_verify, VerifyDocument, WORDS),
    "autotune": (tuning.render_tuning, TuningDocument, NAMES),
    "isolate": (replay.render_isolate, IsolateDocument, NAMES),
    "isolate --list": (replay.render_list, ListDocument, NAMES),
    "replay check": (replay.render_check, CheckDocument, NAMES),
    "replay run": (replay.render_replay, ReplayDocument, NAMES),
    "replay run --race-check": (replay.render_race, RaceDocument, NAMES),
    "replay compare": (replay.render_compare, VersionsDocument, NAMES),
    "replay export": (replay.render_export, Exported, NAMES),
}


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
@pytest.mark.parametrize("page", PAGES)
def test_no_line_is_longer_than_the_terminal(
    page: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    render, kind, given = PAGES[page]
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    lines = render(filled(kind, given)).splitlines()
    assert [line for line in lines if len(line) > columns and not COPIED.match(line)] == []


@pytest.mark.parametrize("page", PAGES)
def test_the_last_line_is_the_result(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line where a program reads it, however narrow the terminal around it is."""
    render, kind, given = PAGES[page]
    monkeypatch.setenv("COLUMNS", "60")
    assert render(filled(kind, given)).splitlines()[-1].startswith("Result: ")


def test_nothing_is_left_out_of_a_narrow_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    columns = [tt.Column("kernel", align_left=True, shorten=short_names)]
    columns += [tt.Column(f"number {n}") for n in range(12)]
    text = tt.render(columns, [[LONG_NAME, *(str(n) * 9 for n in range(10)), "ten", "eleven"]])
    assert max(map(len, text.splitlines())) <= 60
    for column in columns:
        assert column.title in text
    for cell in (*(str(n) * 9 for n in range(10)), "ten", "eleven"):
        assert cell in text


def test_equal_names_stay_equal_and_different_ones_different(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    column = [tt.Column("kernel", align_left=True, shorten=short_names)]
    one, other = f"{LONG_NAME}<1>", f"{LONG_NAME}<2>"
    _, first, second, third = tt.render(column, [[one], [other], [one]]).splitlines()
    assert first == third != second


def test_sentences_are_no_wider_than_is_read_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert max(map(len, tt.wrap("word " * 99).splitlines())) <= 100


def test_a_file_is_the_same_on_every_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with terminal.for_a_file():
        assert terminal.width() == 100
        assert tt.closing("Result: " + "word " * 50).count("\n") == 0
    assert tt.closing("Result: " + "word " * 50).count("\n") > 0


@pytest.mark.parametrize(("columns", "width"), [("20", 60), ("72", 72), ("500", 200), ("", 100)])
def test_width_of_the_terminal(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal.width() == width
