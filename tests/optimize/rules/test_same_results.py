"""What the rules write computes the same, bit by bit, on the virtual device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Union

import pytest
from rule_support import Bench
from same_results import RESTRICT, Case, compare_results

from rocm_perf_lab.optimize.rules.access.vectorize import Vectorize
from rocm_perf_lab.optimize.rules.loops.bounds_check import BoundsCheck
from rocm_perf_lab.optimize.rules.loops.hoist import Hoist
from rocm_perf_lab.optimize.rules.loops.prefetch import Prefetch
from rocm_perf_lab.optimize.rules.loops.strength_reduction import StrengthReduction
from rocm_perf_lab.optimize.rules.loops.unroll import Unroll
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.as_for import as_for, other_loops

pytestmark = pytest.mark.native


class AsFor:
    """What rules read in place of a loop in another form, as if it were a rule."""

    name = "as for"
    helps = ()

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in other_loops(situation):
            found = as_for(situation, node)
            yield Change((found,), "as for", "") if isinstance(found, Edit) else found


WHILE_FORMS = (
    "int i = m; while (i < n) { out[i] = a[i] + i; i += 3; } out[n + m + 1] = i;",
    "int i = 0; for (;;) { if (n <= i) break; if (a[i] > 0) out[i] = b[i]; i = 2 + i; }",
    "for (int i = n; i--;) { if (a[i] > 0) continue; out[i] = b[i] + i; }",
    "int i = n; while (i-- > m) out[i] += i; out[n + m + 1] = i;",
    "int i = n; while (--i >= m) out[i] += i; out[n + m + 1] = i;",
    "int i = m; while (i++ < n) out[i] += i; out[n + m + 2] = i;",
    "int i = m; while (++i != n + m + 1) { out[i] += i; if (i == 7) break; } out[2] = i;",
)

STRIDED_SUM = """{
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += a[i] * b[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}"""
IN_PLACE = """{
  if (blockIdx.x * blockDim.x + threadIdx.x == 0)
    for (int i = n - 1; i >= m; i -= 3) {
      const float old = out[i - m];
      out[i] = old + a[i];
    }
}"""
DOWN = """{
  unsigned int last = n;
  const unsigned int mine = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int i = last; i > 7u; i--) if (i % 192 == mine) out[i] += a[i] * b[i - 1];
}"""
GRID = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
COPY = f"{{\n  {GRID} out[i] = a[i];\n}}"
BLEND = f"{{\n  {GRID} {{\n    out[i] += a[i] * b[i] - i * m;\n  }}\n}}"
ROWS = """{
  const int row = blockIdx.x;
  for (int j = threadIdx.x; j < n; j += blockDim.x) out[row * n + j] = a[row * n + j] + m;
}"""
ALONE = "if (blockIdx.x * blockDim.x + threadIdx.x == 0)"
SCALED = f"""{{
  {ALONE}
    for (int i = 0; i < n; ++i) out[i] = a[i] * expf(b[m] * 0.01f) + b[3];
}}"""
FALLING = f"""{{
  {ALONE}
    for (int i = m; i < n; i += 2) out[2 * (n - i)] = a[i] + b[n / 2];
}}"""
ROW_FACTOR = """{
  const int row = blockIdx.x;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    out[row * n + j] = (a[row * n + j] - b[row]) / sqrtf(a[row] * a[row] + m);
}"""
SMOOTHED = f"""{{
  {ALONE}
    for (int i = 1; i < n; ++i) out[i + m] = a[i - 1] + a[i] * b[n - i];
}}"""
WINDOW = """{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int d = -m; d <= m; ++d) {
    if (i + d >= 0 && i + d < n) sum += a[i + d] * b[d + m];
  }
  out[i] = sum;
}"""
NAMED_WINDOW = """{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 1.0f;
  for (int d = 1 - m; d < n / 50; ++d) {
    const int j = d + i - m, other = 2 * j;
    if (1 < j && a[i] > -50.0f && n - 2 >= j + 0 && j <= n - 3) {
      sum = sum * 0.5f + a[j];
      if (other % 7 == 3) continue;
      sum -= b[other];
    }
  }
  out[i] = sum;
}"""
TURNED = f"""{{
  {GRID} {{
    if (m > 0) out[i % m * (n / m + 1) + i / m] = a[i] + b[i % m];
  }}
}}"""
CYCLE = f"""{{
  {ALONE}
    for (int i = -7; i < n; i += 5) out[i + 7] = m > 0 ? a[i + 7] + i % m : b[i + 7];
}}"""
PAIRS = f"""{{
  const float2* in = reinterpret_cast<const float2*>(a);
  float2* to = reinterpret_cast<float2*>(out);
  {ALONE} {{
    float2 v;
    for (int i = 0; i < n / 2; ++i) {{
      v = in[i];
      v.x += expf(b[m] * 0.01f);
      to[i] = v;
    }}
  }}
}}"""
CASES = (
    Case(StrengthReduction(), TURNED, overlaps=False),
    Case(StrengthReduction(), CYCLE),
    Case(BoundsCheck(), WINDOW, overlaps=False),
    Case(BoundsCheck(), NAMED_WINDOW, overlaps=False),
    Case(Prefetch(), SMOOTHED),
    Case(Prefetch(), COPY),
    Case(Hoist(), SCALED),
    Case(Hoist(), FALLING),
    Case(Hoist(), ROW_FACTOR, overlaps=False),
    Case(Unroll(), STRIDED_SUM, overlaps=False),
    Case(Unroll(), STRIDED_SUM, parameters=RESTRICT, overlaps=False),
    Case(Unroll(), IN_PLACE),
    Case(Unroll(), DOWN, "by 4", overlaps=False),
    Case(Vectorize(), COPY),
    Case(Vectorize(), BLEND),
    Case(Vectorize(), ROWS, overlaps=False),
    Case(Unroll(), PAIRS, "by 4", overlaps=False),
    Case(Hoist(), PAIRS, parameters=RESTRICT, overlaps=False),
    *(Case(AsFor(), f"{{\n  {ALONE} {{\n    {text}\n  }}\n}}") for text in WHILE_FORMS),
)


def test_every_change_computes_the_same(virtual_rocm: Path, bench: Bench, tmp_path: Path) -> None:
    said = compare_results(virtual_rocm / "bin" / "hipcc", tmp_path, bench, CASES)
    assert said.startswith("PASS: "), said
    assert int(said.split()[1]) >= 80 * len(CASES)
