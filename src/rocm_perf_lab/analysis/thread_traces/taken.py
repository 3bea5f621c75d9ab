"""Whose results an executed instruction took: of the last that wrote the registers it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rocm_perf_lab.analysis.code.data_flow import Flow


class Taken(NamedTuple):
    """Places in the order of execution."""

    address: list[int]
    sources: list[list[int]]  # by operand


def taken_by(flows: Sequence[Flow]) -> list[Taken]:
    writer: dict[int, int] = {}
    found = []
    for place, flow in enumerate(flows):
        sources = [[writer[r] for r in source if r in writer] for source in flow.sources]
        found.append(Taken([writer[r] for r in flow.address if r in writer], sources))
        for register in flow.writes:
            writer[register] = place
    return found
