"""Where two conditions decide together, without a branch between them. Pure.

``a && b`` of conditions that cost little is computed as one mask of lanes out of two. That each had
both answers in trials says nothing of the two together: each has to decide alone once, and the
answer that takes both has to occur. Asked of masks that comparisons made, not of those that keep
lanes of a loop or of an earlier branch.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rocm_perf_lab.prove.oracle.executed.flow import Block, Parsed, registers
from rocm_perf_lab.prove.oracle.executed.masks import Masks, masks_at, registers_written

_PAIR = re.compile(r"s_(?:n?and|andn2|n?or|orn2)_b64$")
_COMPARISON = re.compile(r"v_cmp_(?!t_|tru_|f_)")
_ALL, _NONE = "-1", "0"


def is_conjunction(name: str) -> bool:
    """Whether either condition alone prevents the answer that takes both."""
    return "and" in name.partition("_b64")[0]


def pairs(code: Sequence[Parsed], blocks: Mapping[int, Block]) -> frozenset[int]:
    """Indices of the instructions that ask two conditions at once."""
    writers = Counter(register for one in code for register in registers_written(one))
    everywhere = frozenset(  # registers that hold a condition wherever they can be read
        name
        for one in code
        if _makes_condition(one)
        for name in registers_written(one)
        if writers[name] == 1
    )
    begins = masks_at(blocks, lambda block, masks: _follow(code, block, masks, everywhere))
    return frozenset(
        at
        for begin, block in blocks.items()
        for at in _follow(code, block, begins[begin].copy(), everywhere)
    )


def _follow(
    code: Sequence[Parsed], block: Block, masks: Masks, everywhere: frozenset[str]
) -> list[int]:
    """The pairs of a block; ``masks`` are those at its end afterwards."""
    found = []

    def is_condition(text: str) -> bool:
        names = list(registers(text))
        return len(names) == 2 and all(
            masks.holds_condition(name) or name in everywhere for name in names
        )

    for at in range(block.begin, block.end):
        one = code[at]
        sources = one.operands[1:]
        is_pair = (
            _PAIR.match(one.name) is not None
            and all(map(is_condition, sources))
            and len(set(sources)) == len(sources)
        )
        if is_pair:
            found.append(at)
        makes = _makes_condition(one) or is_pair or _is_negation(one, is_condition)
        masks.execute(at, one, makes)
    return found


def _makes_condition(one: Parsed) -> bool:
    """Of vectors, or a scalar one for all lanes."""
    is_choice = one.name == "s_cselect_b64" and set(one.operands[1:]) == {_ALL, _NONE}
    return is_choice or _COMPARISON.match(one.name) is not None


def _is_negation(one: Parsed, is_condition: Callable[[str], bool]) -> bool:
    if one.name == "s_not_b64":
        return is_condition(one.operands[1])
    return one.name == "s_xor_b64" and one.operands[2] == _ALL and is_condition(one.operands[1])
