"""Which scalar registers hold a mask of lanes that are active now, wherever that is known. Pure.

Lanes are told by the instruction that set them: a mask says something of the lanes that were active
when it was made, and nothing of others. Followed along all branches; where paths differ, nothing
is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rocm_perf_lab.prove.oracle.executed.flow import (
    Block,
    Parsed,
    is_unknown_jump,
    registers,
    written,
)

_AT_ENTRY = "entry"
_SAVES = "s_and_saveexec_b64"  # lanes that are active behind it were active before


@dataclass
class Masks:
    lanes: str = _AT_ENTRY  # that are active
    saved: dict[str, str] = field(default_factory=dict)  # by register, which lanes it holds
    # Of conditions: of which lanes, and what is asked.
    made: dict[str, tuple[str, str]] = field(default_factory=dict)

    def condition(self, register: str) -> str | None:
        """What it asks of the lanes that are active, if it holds that."""
        lanes, asked = self.made.get(register, ("", ""))
        return asked if lanes == self.lanes else None

    def execute(self, at: int, one: Parsed, asked: str | None) -> None:
        """``asked``: where it makes a condition."""
        if is_unknown_jump(one):
            self._forget(f"behind {at}")
            return
        restored = self._restored(one)
        names = registers_written(one)
        for name in names:
            self.saved.pop(name, None)
            self.made.pop(name, None)
        if asked is not None:
            self.made.update(dict.fromkeys(names, (self.lanes, asked)))
        if one.name == _SAVES:
            self.saved.update(dict.fromkeys(names, self.lanes))
        if restored is not None:
            self.lanes = restored
        elif "saveexec" in one.name or one.name.startswith("v_cmpx") or _is_exec(names):
            self.lanes = str(at)  # in a loop others each time: of those before, nothing is kept

    def meet(self, other: Masks, where: int) -> bool:
        """What holds on both ways; whether that is less."""
        before = self.copy()
        self.saved = dict(self.saved.items() & other.saved.items())
        self.made = dict(self.made.items() & other.made.items())
        if self.lanes != other.lanes:
            self.lanes = f"join {where}"
        return self != before

    def copy(self) -> Masks:
        return Masks(self.lanes, dict(self.saved), dict(self.made))

    def _restored(self, one: Parsed) -> str | None:
        """The lanes that are active behind an if, as they were before it."""
        is_end = one.name == "s_or_b64" and one.operands[:2] == ("exec", "exec")
        if not is_end:
            return None
        held = {self.saved.get(name) for name in registers(one.operands[2])}
        return held.pop() if len(held) == 1 else None

    def _forget(self, lanes: str) -> None:
        self.lanes = lanes
        self.saved.clear()
        self.made.clear()


def masks_at(
    blocks: Mapping[int, Block], execute: Callable[[Block, Masks], object]
) -> Mapping[int, Masks]:
    """What holds where each block begins. ``execute`` changes the masks as a block does."""
    found = {0: Masks()}
    led_to = {after for block in blocks.values() for _, after in block.after}
    for begin in blocks:
        if begin not in led_to:  # where a jump leads that is not followed
            found.setdefault(begin, Masks(f"at {begin}"))
    waiting = sorted(found)
    while waiting:
        begin = waiting.pop()
        masks = found[begin].copy()
        execute(blocks[begin], masks)
        for _, after in blocks[begin].after:
            if after not in found:
                found[after] = masks.copy()
            elif not found[after].meet(masks, after):
                continue
            waiting.append(after)
    return {begin: found.get(begin, Masks(f"at {begin}")) for begin in blocks}


def registers_written(one: Parsed) -> list[str]:
    return [name for text in written(one) for name in registers(text)]


def _is_exec(names: Sequence[str]) -> bool:
    return any(name.startswith("exec") for name in names)
