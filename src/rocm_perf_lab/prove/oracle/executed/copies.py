"""Copies that the compiler made of the end of a block. Pure.

Where two blocks end with the same instructions and lead to the same places, they are one block of
the source: a question of it that was seen on both sides, in whichever copy, is answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from rocm_perf_lab.collect.disassembly import Instruction
from rocm_perf_lab.prove.oracle.executed.flow import (
    Block,
    Parsed,
    blocks_of,
    has_unknown_jumps,
    parsed,
)

Exits = tuple[str, int, int]
_DECIDES = {  # what a branch asks, and whether it is taken where that is set
    "s_cbranch_scc1": ("scc", True), "s_cbranch_scc0": ("scc", False),
    "s_cbranch_vccnz": ("vcc", True), "s_cbranch_vccz": ("vcc", False),
    "s_cbranch_execnz": ("exec", True), "s_cbranch_execz": ("exec", False),
}  # fmt: skip


def copies(listing: Sequence[Instruction]) -> Mapping[int, tuple[int, ...]]:
    """By address, the addresses of all copies, its own among them; none where there is one only."""
    code = [parsed(one.text) for one in listing]
    if has_unknown_jumps(code):
        return {}
    blocks = blocks_of(listing, code) if code else {}
    alike: dict[Exits, list[Block]] = {}
    for block in blocks.values():
        exits = _exits(code, block, blocks)
        if exits is not None:
            alike.setdefault(exits, []).append(block)
    found: dict[int, set[int]] = {}
    for group in alike.values():
        for one in group:
            for other in group:
                for mine, others in _same_ends(code, one, other):
                    same = found.setdefault(listing[mine].address, set())
                    same |= {listing[mine].address, listing[others].address}
    return {address: tuple(sorted(same)) for address, same in found.items() if len(same) > 1}


def _exits(code: Sequence[Parsed], block: Block, blocks: Mapping[int, Block]) -> Optional[Exits]:
    """What decides, and where it leads if it is set and if it is not."""
    decides = _DECIDES.get(code[block.end - 1].name)
    if decides is None or len(block.after) != 2:
        return None
    taken, following = (_settled(code, begin, blocks) for _, begin in block.after)
    what, is_set = decides
    return (what, taken, following) if is_set else (what, following, taken)


def _settled(code: Sequence[Parsed], begin: int, blocks: Mapping[int, Block]) -> int:
    """Behind blocks that only branch on."""
    for _ in range(len(blocks)):
        block = blocks[begin]
        if block.end - block.begin > 1 or code[block.begin].name != "s_branch" or not block.after:
            break
        begin = block.after[0][1]
    return begin


def _same_ends(code: Sequence[Parsed], one: Block, other: Block) -> list[tuple[int, int]]:
    """Pairs of instructions, from the branch backwards as far as they are the same."""
    if one == other:
        return []
    pairs = []
    for back in range(2, min(one.end - one.begin, other.end - other.begin) + 1):
        if code[one.end - back] != code[other.end - back]:
            break
        pairs.append((one.end - back, other.end - back))
    return pairs
