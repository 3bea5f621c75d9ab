"""How kernels are usually launched: columns of their representative dispatches, read at once.

A recording can have 100,000 kernels, and one value out of a NumPy column takes as long as ten out
of a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from rocm_perf_lab.analysis.kernels.stats import KernelStats
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Trace

Size = tuple[int, int, int]


class Launch(NamedTuple):  # made in a quarter of the time of a frozen dataclass
    """``None`` where the recording does not say."""

    agent: Optional[Agent]
    grid: Optional[Size]
    block: Optional[Size]
    lds: Optional[int]
    scratch: Optional[int]


def usual_launches(trace: Trace, statistics: Sequence[KernelStats]) -> Iterator[Launch]:
    """One per kernel, in their order; kernels that are launched alike share it."""
    rows = trace.dispatches
    chosen = [stats.representative for stats in statistics]
    columns = (rows.agent, *rows.grid.T, *rows.block.T, rows.lds, rows.scratch)
    known: dict[tuple[int, ...], Launch] = {}
    for values in zip(*(column[chosen].tolist() for column in columns)):
        launch = known.get(values)
        if launch is None:
            launch = known[values] = _launch(trace, *values)
        yield launch


def _launch(trace: Trace, agent: int, *sizes: int) -> Launch:
    grid, block, (lds, scratch) = sizes[:3], sizes[3:6], sizes[6:]
    return Launch(trace.agent_at(agent), _size(grid), _size(block), _known(lds), _known(scratch))


def _size(values: Sequence[int]) -> Optional[Size]:
    return None if UNKNOWN in values else (values[0], values[1], values[2])


def _known(value: int) -> Optional[int]:
    return None if value == UNKNOWN else value
