"""Thread traces find their kernels."""

from __future__ import annotations

from typing import Optional

import pytest

from rocm_perf_lab.analysis.thread_traces.matching import match_traces
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace


def trace(name: str, *symbols: str) -> ThreadTrace:
    return ThreadTrace(name, symbols, ())


def matched(symbols: dict[str, Optional[str]], *traces: ThreadTrace) -> dict[str, str]:
    return {name: t.source for name, t in match_traces(symbols, traces).by_kernel.items()}


def test_by_symbol() -> None:
    symbols = {"f(int)": "_Z1fi.kd", "g(int)": "_Z1gi.kd"}
    found = match_traces(symbols, [trace("a", "_Z1gi", "_Z6helperv"), trace("b", "_Z1hi")])
    assert {name: t.source for name, t in found.by_kernel.items()} == {"g(int)": "a"}
    assert [other.source for other in found.others] == ["b"]


def test_of_several_the_first_counts() -> None:
    found = match_traces(
        {"f(int)": "_Z1fi.kd"}, [trace("first", "_Z1fi"), trace("second", "_Z1fi")]
    )
    assert found.by_kernel["f(int)"].source == "first"
    assert [other.source for other in found.others] == ["second"]


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("vector_add(float*, int)", "_Z10vector_addPfi"),
        ("void ns::scale<float>(float*)", "_ZN2ns5scaleIfEEvPf"),
        ("gemm", "gemm"),
    ],
)
def test_by_name_where_the_recording_has_no_symbols(name: str, symbol: str) -> None:
    assert matched({name: None, "other(int)": None}, trace("t", symbol)) == {name: "t"}


def test_a_name_that_two_kernels_share_is_not_guessed() -> None:
    symbols: dict[str, Optional[str]] = {"scale<float>(float*)": None, "scale<int>(int*)": None}
    assert matched(symbols, trace("t", "_Z5scaleIfEvPT_")) == {}


def test_part_of_a_name_is_not_the_name() -> None:
    assert matched({"add(int)": None}, trace("t", "_Z10vector_addPfi")) == {}
