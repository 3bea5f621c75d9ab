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
from typing import Optional

from rocm_perf_lab.prove.oracle.executed.flow import Block, Parsed, registers
from rocm_perf_lab.prove.oracle.executed.masks import Masks, masks_at, registers_written
from rocm_perf_lab.prove.oracle.executed.shape import shape_of, shape_of_two

_PAIR = re.compile(r"s_(?:n?and|andn2|n?or|orn2)_b64$")
_COMPARISON = re.compile(r"v_cmp_(?!t_|tru_|f_)")
_ALL, _NONE = "-1", "0"


def is_conjunction(name: str) -> bool:
    """Whether either condition alone prevents the answer that takes both."""
    return "and" in name.partition("_b64")[0]


def pairs(code: Sequence[Parsed], blocks: Mapping[int, Block]) -> Mapping[int, str]:
    """The instructions that ask two conditions at once, by index, and what they ask."""
    writers = Counter(register for one in code for register in registers_written(one))
    everywhere = {  # registers that hold a condition wherever they can be read
        name: _asked(one)
        for one in code
        if _makes_condition(one)
        for name in registers_written(one)
        if writers[name] == 1
    }
    begins = masks_at(blocks, lambda block, masks: _follow(code, block, masks, everywhere))
    found: dict[int, str] = {}
    for begin, block in blocks.items():
        found.update(_follow(code, block, begins[begin].copy(), everywhere))
    return found


def _follow(
    code: Sequence[Parsed], block: Block, masks: Masks, everywhere: Mapping[str, str]
) -> dict[int, str]:
    """The pairs of a block; ``masks`` are those at its end afterwards."""
    found: dict[int, str] = {}

    def condition(text: str) -> Optional[str]:
        names = list(registers(text))
        asked = {masks.condition(name) or everywhere.get(name) for name in names}
        return asked.pop() if len(names) == 2 and len(asked) == 1 else None

    for at in range(block.begin, block.end):
        one = code[at]
        asked = _asked(one) if _makes_condition(one) else _same_or_opposite(one, condition)
        if _PAIR.match(one.name) and one.operands[1] != one.operands[2]:
            first, second = map(condition, one.operands[1:])
            if first is not None and second is not None:
                found[at] = asked = shape_of_two(one.name, first, second)
        masks.execute(at, one, asked)
    return found


def _makes_condition(one: Parsed) -> bool:
    """Of vectors, or a scalar one for all lanes."""
    is_choice = one.name == "s_cselect_b64" and set(one.operands[1:]) == {_ALL, _NONE}
    return is_choice or _COMPARISON.match(one.name) is not None


def _asked(one: Parsed) -> str:
    return shape_of(f"{one.name} {', '.join(one.operands)}")


def _same_or_opposite(one: Parsed, condition: Callable[[str], Optional[str]]) -> Optional[str]:
    """A negation asks the same."""
    is_negation = one.name == "s_not_b64" or (one.name == "s_xor_b64" and one.operands[2] == _ALL)
    return condition(one.operands[1]) if is_negation else None
