"""Whose results an executed instruction took: of the last that wrote the registers it reads."""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.analysis.code.data_flow import Flow


class Taken:
    """Places in the order of execution: for its address, and by operand."""

    __slots__ = ("address", "sources")

    def __init__(self, address: list[int], sources: list[list[int]]) -> None:
        self.address = address
        self.sources = sources


def taken_by(flows: Sequence[Flow]) -> list[Taken]:
    writer: dict[int, int] = {}
    found = []
    for place, flow in enumerate(flows):
        sources = [[writer[r] for r in source if r in writer] for source in flow.sources]
        found.append(Taken([writer[r] for r in flow.address if r in writer], sources))
        for register in flow.writes:
            writer[register] = place
    return found
