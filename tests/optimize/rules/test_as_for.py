"""Loops that count in other words, read as ``for``; and why others stay what they are."""

from __future__ import annotations

import pytest
from rule_support import Bench

from rocm_perf_lab.optimize.rules.loops.unroll import Unroll
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.rules.writing.as_for import as_for, other_loops
from rocm_perf_lab.optimize.search.readings import Readings
from rocm_perf_lab.optimize.source import splice_body

HEAD = "__global__ void k(const float* a, float* out, int n, int m, unsigned u) {\n"


def text_of(body: str) -> str:
    return HEAD + body + "\n}\n"


def rewritten(bench: Bench, body: str) -> str:
    situation = bench.situation(text_of(body))
    (node,) = list(other_loops(situation))
    edit = as_for(situation, node)
    assert isinstance(edit, Edit), edit
    new = edited(situation.data, situation.kernel.body, (edit,)).decode()
    unit = bench.parse(HEAD[:-2] + new)
    assert not unit.errors
    return new.partition("{\n")[2].rpartition("\n}")[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "  int i = threadIdx.x;\n  while (i < n) {\n    out[i] = a[i];\n    i += 64;\n  }",
            "  for (int i = threadIdx.x; i < n; i += 64) {\n    out[i] = a[i];\n  }",
        ),
        (
            "  int i = threadIdx.x;\n  // along\n  while (i < n) { out[i] = a[i]; i = m + i; }",
            "  // along\n  for (int i = threadIdx.x; i < n; i += m) { out[i] = a[i];  }",
        ),
        (  # used behind the loop: it stays declared where it was
            "  int i = 0;\n  while (i < n) { out[i] = a[i]; ++i; }\n  out[i] = 1;",
            "  int i = 0;\n  for (; i < n; ++i) { out[i] = a[i];  }\n  out[i] = 1;",
        ),
        (
            "  int i = 0;\n  for (;;) {\n    if (i >= n) break;\n    out[i] = 1;\n    i++;\n  }",
            "  for (int i = 0; i < n; i++) {\n    out[i] = 1;\n  }",
        ),
        (
            "  int i;\n  i = m;\n  while (true) {\n    if (n <= i) { break; }\n    out[i++] = 1;\n"
            "    i = i + 2;\n  }",
            "  int i;\n  for (i = m; n > i; i += 2) {\n    out[i++] = 1;\n  }",
        ),
        (  # the pointer may as well be moved before the step
            "  while (n > 4) {\n    out[n] = a[0];\n    n -= 4;\n    a += 4;\n  }",
            "  for (; n > 4; n -= 4) {\n    out[n] = a[0];\n    a += 4;\n  }",
        ),
        ("  for (int i = n; i--;) out[i] = 1;", "  for (int i = n - 1; i >= 0; i--) out[i] = 1;"),
        (
            "  int i = n + m;\n  while (i-- > m) { if (a[i] > 0) continue; out[i] = 1; }",
            "  for (int i = (n + m) - 1; i >= m; i--) { if (a[i] > 0) continue; out[i] = 1; }",
        ),
        (  # 0.5 is 0 before the step; -0.5 would be 0 after it
            "  int i = a[0];\n  while (i-- > 0) out[i] = 1;",
            "  int i = a[0];\n  for (i = i - 1; i >= 0; i--) out[i] = 1;",
        ),
        ("  while (--n >= 0) out[n] = 1;", "  for (n = n - 1; n >= 0; n--) out[n] = 1;"),
        ("  while (m++ < n) out[m] = 1;", "  for (m = m + 1; m <= n; m++) out[m] = 1;"),
        (
            "  for (int i = 0; i < n; i = i + 2) out[i] = 1;",
            "  for (int i = 0; i < n; i += 2) out[i] = 1;",
        ),
    ],
)
def test_it_is_the_same_loop_as_for(bench: Bench, body: str, expected: str) -> None:
    assert rewritten(bench, body) == expected


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("  do { out[n] = 1; --n; } while (n > 0);", "runs before its condition"),
        ("  while (n > 0) { if (a[n] > 0) continue; out[n] = 1; --n; }", "continue goes past"),
        ("  while (n > 0) { int s = m; out[n] = 1; n -= s; }", "uses s, which its body declares"),
        ("  while (n > 0) { --n; out[n] = 1; }", "at the end of its body"),
        ("  while (n > 4) { n -= m; m = 4 * m; }", "m is not stepped by an addition"),
        ("  while (n > 4) { n -= 4; out[0] = n; }", "at the end of its body"),
        ("  while (n > 0) { out[n] = 1; n /= 2; }", "not stepped by an addition"),
        ("  while (u-- > 0) out[u] = 1;", "no sign"),
        ("  while (n-- > u) out[n] = 1;", "no sign"),
        ("  for (int i = a[0]; i-- > 0;) out[i] = 1;", "to an integer"),
        ("  while (n--) { if (a[n] > 0) break; out[n] = 1; }", "can be left before"),
        ("  while (n-- > --m) out[n] = 1;", "more than one variable"),
        ("  for (;;) { out[n] = 1; if (n > 4) break; ++n; }", "does not begin with if"),
        ("  for (;;) { if (a[n] > 0) break; ++n; }", "does not compare integers"),
        ("  while (n < m) {\n#if 1\n    ++n;\n#endif\n  }", "preprocessor"),
    ],
)
def test_other_loops_stay_and_say_why(bench: Bench, body: str, why: str) -> None:
    situation = bench.situation(text_of(body))
    answers = [as_for(situation, node) for node in other_loops(situation)]
    assert [type(answer) for answer in answers] == [CannotChange]
    assert why in answers[0].why  # type: ignore[union-attr]


def read_with(bench: Bench, situation: Situation, edit: Edit) -> Situation:
    body = edited(situation.data, situation.kernel.body, (edit,))
    text = splice_body(situation.data, situation.kernel, body).decode()
    return bench.situation(text.partition("\n")[2])


def test_rules_read_each_loop_in_the_form_that_counts(bench: Bench) -> None:
    """A change is found once: of its own loop in the text with that loop written anew."""
    situation = bench.situation(
        text_of(
            "  float s = 0;\n  for (int k = 0; k < n; ++k) s += a[k];\n  int i = 0;\n"
            "  while (i < m) {\n    s += a[i];\n    i += 2;\n  }\n  while (s > 1) s /= 2;\n"
            "  out[0] = s;"
        )
    )
    readings = Readings(situation, lambda old, edit: read_with(bench, old, edit))
    assert len(readings.all) == 2
    titles = [
        [found.title for found in reading.look(Unroll()) if isinstance(found, Change)]
        for reading in readings.all
    ]
    assert [len(some) for some in titles] == [3, 3]
    assert not set(titles[0]) & set(titles[1])
    refused = [f for f in readings.all[0].look(Unroll()) if isinstance(f, CannotChange)]
    said = [readings.reason(one) for one in refused]
    assert [one.why for one in said if one is not None] == [
        "nothing at the end of its body steps a variable"
    ]
    assert said.count(None) == 1, "the while loop that counts is not called unreadable"
