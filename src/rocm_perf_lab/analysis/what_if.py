"""What the end-to-end time would be if kernels took another time: the graph runs again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.dag import LONG_AGO, NONE, Dag
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.model import IntColumn


@dataclass(frozen=True)
class Scenario:
    """A question: kernels whose name matches become so many times faster."""

    text: str  # as it was asked
    pattern: re.Pattern[str]
    factor: float


def parse_scenario(text: str) -> Scenario:
    """Of ``REGEX=FACTOR``, as the option --what-if takes it."""
    pattern, equals, number = text.rpartition("=")
    example = "write it as --what-if 'gemm=2'"
    if not equals or not pattern:
        raise UsageError(f"--what-if '{text}' names no kernel and factor", example)
    try:
        factor = float(number)
    except ValueError:
        raise UsageError(f"--what-if '{text}': '{number}' is not a number", example) from None
    if not 0 < factor < float("inf"):
        raise UsageError(f"--what-if '{text}': no kernel gets {number} times faster", example)
    try:
        return Scenario(text, re.compile(pattern), factor)
    except re.error as error:
        raise UsageError(
            f"--what-if '{text}': '{pattern}' is not a regular expression: {error}", example
        ) from error


@dataclass(frozen=True)
class WhatIf:
    factors: Mapping[str, float]  # kernel name: how many times faster
    before_ns: int
    after_ns: int

    @property
    def speedup(self) -> Optional[float]:
        """None when nothing is left."""
        return self.before_ns / self.after_ns if self.after_ns else None


def what_if(dag: Dag, factors: Mapping[str, float]) -> WhatIf:
    """The effect of making every dispatch of these kernels so many times faster."""
    for factor in factors.values():
        if not factor > 0:
            raise ValueError(f"a kernel cannot become {factor} times faster")
    faster = np.array([factors.get(k.name, 1.0) for k in dag.trace.kernels] + [1.0])
    factor_of = faster[dag.kernel_of()]
    duration = dag.duration.copy()
    chosen = factor_of != 1.0
    duration[chosen] = np.rint(duration[chosen] / factor_of[chosen]).astype(np.int64)
    return WhatIf(factors, dag.span_ns, span_with(dag, duration))


def span_with(dag: Dag, duration: IntColumn) -> int:
    """First begin to last end of GPU work when every node takes this long."""
    end = ends_with(dag, duration)
    work = dag.is_work
    return int(end[work].max() - (end - duration)[work].min())


def ends_with(dag: Dag, duration: IntColumn) -> IntColumn:
    """When each node ends if it takes this long and begins as soon as its dependencies allow."""
    into: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for source, target, lag in zip(
        dag.edges.source.tolist(), dag.edges.target.tolist(), dag.edge_lag.tolist()
    ):
        into[target].append((source, lag))
    follows = dag.follows_previous.tolist()
    chain_lag, host_lag = dag.chain_lag.tolist(), dag.host_lag.tolist()
    host_wait = dag.host_wait.tolist()
    costs = (dag.delay + duration).tolist()
    end = [0] * len(costs)
    for node in np.argsort(dag.rank).tolist():
        wait, ready = host_wait[node], host_lag[node]
        if wait != NONE:
            ready += end[wait]
        if follows[node]:
            ready = max(ready, end[node - 1] + chain_lag[node])
        for source, lag in into.get(node, ()):
            ready = max(ready, end[source] + lag)
        end[node] = ready + costs[node]
    assert LONG_AGO not in end, "every node has a dependency or a time of its own"
    return np.array(end, dtype=np.int64)
