"""A machine of 64 lanes that keeps which sides of which instructions a run shows."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Mapping, Sequence

LANES = 64
WORD = (1 << 32) - 1
ALL = (1 << 64) - 1
MOST_STEPS = 150
Instruction = tuple[object, ...]  # a name and operands; of a branch the index of its target

_RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne, "lg": operator.ne,
}  # fmt: skip
_WORDS: Mapping[str, Callable[[int, int], int]] = {
    "mov_b32": lambda a, b: a,
    "add_u32": operator.add,
    "add_i32": operator.add,
    "sub_u32": operator.sub,
    "and_b32": operator.and_,
    "lshlrev_b32": lambda a, b: b << (a & 31),
    "min_u32": min,
    "max_u32": max,
}
_MASKS: Mapping[str, Callable[[int, int], int]] = {
    "mov": lambda a, b: a,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "andn2": lambda a, b: a & ~b,
}
_TESTS = {"scc": "scc", "vcc": "vcc", "exe": "exec"}
_ENCODINGS = ("_e32", "_e64")


def text_of(at: int, one: Instruction) -> str:
    name, *rest = one
    if "branch" in str(name):
        return f"{name} {(int(str(rest[0])) - at - 1) & 0xFFFF}"
    return f"{name} {', '.join(map(str, rest))}"


class Lanes:
    """``shown``: places with True or False, the side of a question, or None for having worked."""

    def __init__(self, program: Sequence[Instruction], seed: int) -> None:
        drawn = random.Random(seed)
        few = [drawn.choice([0, 1, 2, 3, 5, drawn.getrandbits(32)]) for _ in range(3)]
        self.program = program
        self.vectors = {f"v{n}": [drawn.choice(few) for _ in range(LANES)] for n in range(4)}
        self.words = {f"s{n}": drawn.choice(few) for n in (8, 9)}
        self.masks = {f"s[{n}:{n + 1}]": drawn.getrandbits(64) for n in (0, 2)}
        self.masks |= {"vcc": drawn.getrandbits(64), "exec": drawn.getrandbits(64) | 1}
        if drawn.random() < 0.5:
            self.masks["exec"] = ALL
        self.masks["scc"] = drawn.getrandbits(1)
        self.shown: set[tuple[int, object]] = set()

    def run(self) -> None:
        at = 0
        for _ in range(MOST_STEPS):
            if at >= len(self.program):
                break
            name, *rest = self.program[at]
            if not str(name).startswith("v_") or self.masks["exec"]:
                self.shown.add((at, None))
            if "branch" in str(name):
                at = int(str(rest[0])) if self._goes(str(name)) else at + 1
                continue
            plain = str(name)[:-4] if str(name).endswith(_ENCODINGS) else str(name)
            self._execute(at, plain, list(map(str, rest)))
            at += 1

    def _goes(self, name: str) -> bool:
        if name == "s_branch":
            return True
        what = name.removeprefix("s_cbranch_")
        return bool(self.masks[_TESTS[what[:3]]]) == what.endswith(("nz", "1"))

    def _execute(self, at: int, name: str, operands: list[str]) -> None:
        if name.startswith("v_cmp"):
            self._compare_lanes(at, name, operands)
        elif name.startswith("s_cmp"):
            self._compare(at, name, operands)
        elif "saveexec" in name:
            self._save(name, operands)
        elif name.startswith("s_") and name.endswith("b64"):
            self._mask(name[2:-4], operands)
        elif name == "v_readfirstlane_b32":
            first = next((n for n in range(LANES) if self.masks["exec"] >> n & 1), 0)
            self.words[operands[0]] = self._word(operands[1], first)
        elif name.startswith("s_"):
            self._scalar(name[2:], operands)
        else:
            self._vector(at, name[2:], operands)

    def _awake(self) -> list[int]:
        return [n for n in range(LANES) if self.masks["exec"] >> n & 1]

    def _word(self, text: str, lane: int = 0) -> int:
        if text in self.vectors:
            return self.vectors[text][lane]
        return self.words[text] if text in self.words else int(text, 0) & WORD

    def _pair(self, text: str) -> int:
        return self.masks[text] if text in self.masks else int(text, 0) & ALL

    def _holds(self, name: str, operands: Sequence[str], lane: int = 0) -> bool:
        _, _, relation, kind = name.split("_")
        values = [self._word(one, lane) for one in operands]
        if kind == "i32":
            values = [one - (1 << 32) if one >> 31 else one for one in values]
        return _RELATIONS[relation](values[0], values[1])

    def _compare_lanes(self, at: int, name: str, operands: Sequence[str]) -> None:
        found = {lane: self._holds(name, operands[1:], lane) for lane in self._awake()}
        self.shown |= {(at, side) for side in found.values()}
        self.masks[operands[0]] = sum(1 << lane for lane, side in found.items() if side)

    def _compare(self, at: int, name: str, operands: Sequence[str]) -> None:
        if name.endswith("u64"):
            is_equal = self._pair(operands[0]) == self._pair(operands[1])
            side = is_equal == ("_eq_" in name)
        else:
            side = self._holds(name, operands)
        self.masks["scc"] = int(side)
        self.shown.add((at, side))

    def _save(self, name: str, operands: Sequence[str]) -> None:
        before, source = self.masks["exec"], self._pair(operands[1])
        self.masks[operands[0]] = before
        self.masks["exec"] = _MASKS[name.split("_")[1]](source, before) & ALL
        self.masks["scc"] = int(self.masks["exec"] != 0)

    def _mask(self, name: str, operands: Sequence[str]) -> None:
        values = [self._pair(one) for one in operands[1:]]
        result = _MASKS[name](values[0], values[-1]) & ALL
        self.masks[operands[0]] = result
        if name != "mov":
            self.masks["scc"] = int(result != 0)

    def _scalar(self, name: str, operands: Sequence[str]) -> None:
        values = [self._word(one) for one in operands[1:]]
        exact = _WORDS[name](values[0], values[-1])
        self.words[operands[0]] = exact & WORD
        if name == "and_b32":
            self.masks["scc"] = int(exact != 0)
        elif name == "add_u32":
            self.masks["scc"] = int(exact > WORD)

    def _vector(self, at: int, name: str, operands: Sequence[str]) -> None:
        for lane in self._awake():
            values = [self._word(one, lane) for one in operands[1:3]]
            if name == "cndmask_b32":
                side = bool(self._pair(operands[3]) >> lane & 1)
                self.shown.add((at, side))
                result = values[side]
            else:
                result = _WORDS[name](values[0], values[-1]) & WORD
                self._sides_of(at, name, operands, values, result)
            self.vectors[operands[0]][lane] = result

    def _sides_of(
        self, at: int, name: str, operands: Sequence[str], values: Sequence[int], result: int
    ) -> None:
        if name == "and_b32":
            loses = [
                text[0] == "v" and value & ~result for text, value in zip(operands[1:], values)
            ]
            self.shown |= {(at, True)} if any(loses) else set()
        elif name.startswith(("min", "max")) and values[0] != values[1]:
            self.shown.add((at, result == values[0]))
