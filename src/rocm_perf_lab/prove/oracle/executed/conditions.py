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

from rocm_perf_lab.prove.oracle.executed.flow import Block, Parsed, registers, written

_PAIR = re.compile(r"s_(?:n?and|andn2|n?or|orn2)_b64$")
_COMPARISON = re.compile(r"v_cmp_(?!t_|tru_|f_)")
_ALL, _NONE = "-1", "0"


def is_conjunction(name: str) -> bool:
    """Whether either condition alone prevents the answer that takes both."""
    return "and" in name.partition("_b64")[0]


def pairs(code: Sequence[Parsed], blocks: Mapping[int, Block]) -> frozenset[int]:
    """Indices of the instructions that ask two conditions at once."""
    writers = Counter(register for one in code for register in _written(one))
    conditions: set[str] = set()  # registers that hold one wherever they can be read
    for block in blocks.values():
        for at in range(block.begin, block.end):
            one = code[at]
            if _makes_condition(one):
                conditions |= {name for name in _written(one) if writers[name] == 1}
    return frozenset(
        at for block in blocks.values() for at in _in_block(code, block, frozenset(conditions))
    )


def _in_block(code: Sequence[Parsed], block: Block, everywhere: frozenset[str]) -> set[int]:
    here: set[str] = set()
    found: set[int] = set()

    def is_condition(text: str) -> bool:
        names = list(registers(text))
        return len(names) == 2 and all(name in here or name in everywhere for name in names)

    for at in range(block.begin, block.end):
        one = code[at]
        sources = one.operands[1:]
        is_pair = (
            _PAIR.match(one.name) is not None
            and all(map(is_condition, sources))
            and len(set(sources)) == len(sources)
        )
        if is_pair:
            found.add(at)
        makes = _makes_condition(one) or is_pair or _is_negation(one, is_condition)
        targets = _written(one)
        if any(name.startswith("exec") for name in targets):
            here.clear()  # masks of other lanes than those that are active from here on
        for name in targets:
            here.discard(name)
            if makes:
                here.add(name)
    return found


def _makes_condition(one: Parsed) -> bool:
    """Of vectors, or a scalar one for all lanes."""
    is_choice = one.name == "s_cselect_b64" and set(one.operands[1:]) == {_ALL, _NONE}
    return is_choice or _COMPARISON.match(one.name) is not None


def _is_negation(one: Parsed, is_condition: Callable[[str], bool]) -> bool:
    if one.name == "s_not_b64":
        return is_condition(one.operands[1])
    return one.name == "s_xor_b64" and one.operands[2] == _ALL and is_condition(one.operands[1])


def _written(one: Parsed) -> list[str]:
    return [name for text in written(one) for name in registers(text)]
