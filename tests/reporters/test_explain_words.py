"""The sentence about a thread trace: what waves wait for, and what their instructions are for."""

from __future__ import annotations

from typing import Optional

import pytest

from rocm_perf_lab.analysis.documents.schemas.explain import HotLineModel, TraceModel
from rocm_perf_lab.analysis.thread_traces.roles import Role
from rocm_perf_lab.reporters.figures.explain_words import _FOR, hot_lines, traced_line

_STALL = "Its thread trace: waves stall 40.0% of their time"


def _traced(
    roles: dict[str, float], cause: Optional[str] = None, matrix: Optional[float] = None
) -> Optional[str]:
    waiting = {cause: 0.75} if cause else {}
    return traced_line(
        TraceModel(
            source="x",
            matrix_busy=matrix,
            cause=cause,
            waiting=waiting,
            stall_fraction=0.4,
            roles=roles,
        )
    )


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({}, f"{_STALL}."),
        ({"rest": 0.9, "integer": 0.09}, f"{_STALL}."),  # what is little is not told
        (
            {"rest": 0.8, "control": 0.2},
            f"{_STALL}. Of their time 20.0% branches and what decides them.",
        ),
        (
            {"integer": 0.1, "narrow_loads": 0.3, "float": 0.12, "rest": 0.48},
            f"{_STALL}. Of their time 30.0% loads of less than 4 bytes and their addresses and "
            "12.0% other floating point.",
        ),
    ],
)
def test_the_two_largest_purposes_are_told(roles: dict[str, float], said: str) -> None:
    assert _traced(roles) == said


def test_causes_and_matrix_units_come_before() -> None:
    text = _traced({"double": 0.5}, "LDS", 0.25)
    assert text == (
        f"{_STALL}, most of all for LDS (75.0% of the stall); the matrix units work 25.0% of the "
        "time. Of their time 50.0% double precision."
    )
    assert traced_line(None) is None


def _with_lines(*lines: HotLineModel) -> TraceModel:
    return TraceModel(
        source="x", matrix_busy=None, cause=None, waiting={}, stall_fraction=0.4, lines=[*lines]
    )


def test_the_hot_lines_are_told_in_any_language() -> None:
    first = HotLineModel(source="/a/matmul.py:14", share=0.434, stall=0.709)
    second = HotLineModel(source="/b/k.hip:3", share=0.2, stall=0.0)
    assert hot_lines(_with_lines(first, second)) == (
        "Lines with the most of their time: matmul.py:14 (43.4%, stalled 70.9%), "
        "k.hip:3 (20.0%, stalled 0.0%)."
    )
    assert hot_lines(_with_lines()) is None
    assert hot_lines(None) is None


def test_every_purpose_has_words() -> None:
    assert {role.value for role in Role} - set(_FOR) == {"rest"}
