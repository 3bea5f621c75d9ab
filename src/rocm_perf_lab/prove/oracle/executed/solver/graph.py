"""Blocks in an order in which loops are entered at one place only. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.prove.oracle.executed.flow import Block

Edge = tuple[int, int]


@dataclass(frozen=True)
class Graph:
    """``order``: what can be reached, each behind all that leads to it but by ``back``. ``loops``:
    by their first block, the blocks from which it is reached again without leaving."""

    blocks: Mapping[int, Block]
    order: tuple[int, ...]
    back: frozenset[Edge]
    loops: Mapping[int, frozenset[int]]

    def before(self, begin: int) -> list[int]:
        return [one for one in self.order if begin in _after(self.blocks[one])]

    def leading_to(self, target: int, among: frozenset[int]) -> frozenset[int]:
        """Blocks on the way to one, without going round."""
        found = {target}
        for one in reversed([one for one in self.order if one in among]):
            after = _after(self.blocks[one])
            if any(other in found and (one, other) not in self.back for other in after):
                found.add(one)
        return frozenset(found)


def graph_of(blocks: Mapping[int, Block]) -> Optional[Graph]:
    """None where a loop is entered at several places."""
    order, back = _searched(blocks)
    loops: dict[int, frozenset[int]] = {}
    for last, first in back:
        body = _body(blocks, order, last, first)
        if first != 0 and 0 in body:  # not through its first block
            return None
        loops[first] = loops.get(first, frozenset()) | body
    entered = all(
        after == first or after not in loop or one in loop
        for first, loop in loops.items()
        for one in order
        for after in _after(blocks[one])
    )
    return Graph(blocks, order, back, loops) if entered else None


def _after(block: Block) -> set[int]:
    return {following for _, following in block.after}


def _searched(blocks: Mapping[int, Block]) -> tuple[tuple[int, ...], frozenset[Edge]]:
    """Depth first; edges to a block that is still open lead back."""
    back: set[Edge] = set()
    done: list[int] = []
    seen, open_ = {0}, {0}
    stack: list[tuple[int, Iterator[int]]] = [(0, iter(sorted(_after(blocks[0]))))]
    while stack:
        one, rest = stack[-1]
        following = next(rest, None)
        if following is None:
            stack.pop()
            open_.discard(one)
            done.append(one)
        elif following in open_:
            back.add((one, following))
        elif following not in seen:
            seen.add(following)
            open_.add(following)
            stack.append((following, iter(sorted(_after(blocks[following])))))
    return tuple(reversed(done)), frozenset(back)


def _body(
    blocks: Mapping[int, Block], order: tuple[int, ...], last: int, first: int
) -> frozenset[int]:
    """From where ``last`` is reached without coming through ``first``."""
    found, todo = {first, last}, [last]
    while todo:
        one = todo.pop()
        if one == first:
            continue
        for other in order:
            if one in _after(blocks[other]) and other not in found:
                found.add(other)
                todo.append(other)
    return frozenset(found)
