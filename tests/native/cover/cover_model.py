"""Random programs, and a wave in Python that executes them and notes what it saw: a second opinion.

Registers: s4 to s7, v1 to v4, SCC, VCC, EXEC; s2 is the workgroup, v0 the lane, s20 counts turns.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

from rocm_perf_lab.replay.coverage import ACTIVE, FALSE, NOT_TAKEN, REACHED, TAKEN, TRUE

LANES = 64
ALL = (1 << LANES) - 1
WORD = (1 << 32) - 1
Pair = tuple[int, int]


@dataclass
class Wave:
    scalars: dict[str, int]
    rows: dict[str, np.ndarray]
    scc: bool = False
    vcc: int = 0
    exec: int = ALL

    def scalar(self, name: str) -> int:
        return self.scalars[name] if name in self.scalars else int(name, 0) & WORD

    def row(self, name: str) -> np.ndarray:
        if name in self.rows:
            return self.rows[name]
        return np.full(LANES, self.scalar(name), np.uint32)

    def active(self) -> np.ndarray:
        return np.array([self.exec >> lane & 1 for lane in range(LANES)], bool)

    def write(self, name: str, values: np.ndarray) -> None:
        self.rows[name] = np.where(self.active(), values.astype(np.uint32), self.rows[name])


@dataclass
class Note:
    """What an execution shows."""

    facts: int = 0
    pair: Optional[Pair] = None
    jump: bool = False


Execute = Callable[[Wave], Note]


@dataclass(frozen=True)
class Line:
    text: str
    execute: Execute
    target: Optional[int] = None  # the line to which it may jump


@dataclass
class Seen:
    facts: int = 0
    pairs: list[Pair] = field(default_factory=list)  # of all executions, in order

    def shown(self) -> tuple[Pair, ...]:
        """The first two different ones, and the last two."""
        first = list(dict.fromkeys(self.pairs))[:2]
        last = list(dict.fromkeys(reversed(self.pairs)))[:2]
        return tuple(dict.fromkeys(first + last[::-1]))


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _side(value: bool) -> int:
    return TRUE if value else FALSE


def _sides(wave: Wave, lanes: np.ndarray) -> int:
    of_active = lanes[wave.active()]
    return (TRUE if of_active.any() else 0) | (FALSE if (~of_active).any() else 0)


_COMPARE: dict[str, Callable[..., bool]] = {
    "lt": lambda a, b: a < b,
    "gt": lambda a, b: a > b,
    "eq": lambda a, b: a == b,
    "ge": lambda a, b: a >= b,
}


def s_compare(relation: str, kind: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.scalar(a), wave.scalar(b)
        wave.scc = (
            _COMPARE[relation](_signed(x), _signed(y))
            if kind == "i32"
            else _COMPARE[relation](x, y)
        )
        return Note(_side(wave.scc), (x, y))

    return Line(f"s_cmp_{relation}_{kind} {a}, {b}", execute)


def s_extreme(name: str, to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.scalar(a), wave.scalar(b)
        wave.scc = x < y if name == "min" else x >= y
        wave.scalars[to] = x if wave.scc else y
        return Note(FALSE if wave.scalars[to] != x else TRUE if x != y else 0)

    return Line(f"s_{name}_u32 {to}, {a}, {b}", execute)


def s_and(to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.scalar(a), wave.scalar(b)
        cleared = (x & ~y if a in wave.scalars else 0) | (y & ~x if b in wave.scalars else 0)
        wave.scalars[to] = x & y
        wave.scc = wave.scalars[to] != 0
        return Note(_side(cleared != 0))

    return Line(f"s_and_b32 {to}, {a}, {b}", execute)


def s_mul(to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        wave.scalars[to] = wave.scalar(a) * wave.scalar(b) & WORD
        return Note()

    return Line(f"s_mul_i32 {to}, {a}, {b}", execute)


def s_select(to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        wave.scalars[to] = wave.scalar(a) if wave.scc else wave.scalar(b)
        return Note(_side(wave.scc))

    return Line(f"s_cselect_b32 {to}, {a}, {b}", execute)


def s_sub(to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.scalar(a), wave.scalar(b)
        wave.scalars[to] = (x - y) & WORD
        wave.scc = y > x
        return Note()

    return Line(f"s_sub_u32 {to}, {a}, {b}", execute)


def branch(condition: str, target: int) -> Line:
    def execute(wave: Wave) -> Note:
        jumps = {
            "scc0": not wave.scc,
            "scc1": wave.scc,
            "vccz": wave.vcc == 0,
            "vccnz": wave.vcc != 0,
            "execz": wave.exec == 0,
        }[condition]
        return Note(TAKEN if jumps else NOT_TAKEN, jump=jumps)

    return Line(f"s_cbranch_{condition} L{{kernel}}_{target}", execute, target)


def v_compare(relation: str, kind: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.row(a), wave.row(b)
        lanes = (
            _COMPARE[relation](x.astype(np.int32), y.astype(np.int32))
            if kind == "i32"
            else _COMPARE[relation](x, y)
        )
        note = Note(_sides(wave, lanes))  # type: ignore[arg-type]
        if wave.exec:
            lowest = int(np.argmax(wave.active()))
            note.pair = (int(x[lowest]), int(y[lowest]))
        true = sum(1 << lane for lane in range(LANES) if lanes[lane])  # type: ignore[index]
        wave.vcc = true & wave.exec
        return note

    return Line(f"v_cmp_{relation}_{kind} vcc, {a}, {b}", execute)


def v_select(to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        mask = np.array([wave.vcc >> lane & 1 for lane in range(LANES)], bool)
        note = Note(_sides(wave, mask))
        wave.write(to, np.where(mask, wave.row(b), wave.row(a)))
        return note

    return Line(f"v_cndmask_b32 {to}, {a}, {b}, vcc", execute)


def v_extreme(name: str, to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.row(a), wave.row(b)
        result = np.minimum(x, y) if name == "min" else np.maximum(x, y)
        active = wave.active()
        facts = TRUE if ((result == x) & (x != y))[active].any() else 0
        facts |= FALSE if (result != x)[active].any() else 0
        wave.write(to, result)
        return Note(facts)

    return Line(f"v_{name}_u32 {to}, {a}, {b}", execute)


def v_and(to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.row(a), wave.row(b)
        named = {*wave.rows, *wave.scalars}
        cleared = (x & ~y if a in named else 0 * x) | (y & ~x if b in named else 0 * y)
        note = Note(_sides(wave, cleared != 0))
        wave.write(to, x & y)
        return note

    return Line(f"v_and_b32 {to}, {a}, {b}", execute)


def v_mul(to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        x, y = wave.row(a), wave.row(b)
        note = Note(_sides(wave, (x >> np.uint32(24) != 0) | (y >> np.uint32(24) != 0)))
        wave.write(to, (x & np.uint32(0xFFFFFF)) * (y & np.uint32(0xFFFFFF)))
        return note

    return Line(f"v_mul_u32_u24 {to}, {a}, {b}", execute)


def v_convert(to: str, a: str) -> Line:
    def execute(wave: Wave) -> Note:
        x = wave.row(a)
        floats = x.astype(np.float32)
        note = Note(_sides(wave, floats.astype(np.float64) != x.astype(np.float64)))
        wave.write(to, floats.view(np.uint32))
        return note

    return Line(f"v_cvt_f32_u32 {to}, {a}", execute)


def set_exec(text: str, change: Callable[[Wave], int]) -> Line:
    def execute(wave: Wave) -> Note:
        wave.exec = change(wave)
        return Note()

    return Line(text, execute)


def _of_masks(lanes: int, first: int, second: int) -> int:
    """Which combinations of two masks active lanes show."""
    shown = {
        TRUE: first & ~second,
        FALSE: second & ~first,
        TAKEN: first & second,
        NOT_TAKEN: ~(first | second),
    }
    return sum(fact for fact, where in shown.items() if where & lanes)


def masks(name: str, to: str, a: str, b: str) -> Line:
    def execute(wave: Wave) -> Note:
        values = {"exec": wave.exec, "vcc": wave.vcc}
        x, y = values[a], values[b] ^ (ALL if "n2" in name else 0)
        note = Note(_of_masks(wave.exec, x, y))
        result = x & y if "and" in name else x | y
        setattr(wave, to, result)
        wave.scc = result != 0
        return note

    return Line(f"s_{name}_b64 {to}, {a}, {b}", execute)


def random_program(seed: int, length: int = 40) -> list[Line]:
    """Three turns of a body with jumps forward, behind lines that fill the registers."""
    rng = random.Random(seed)
    scalars, rows = [f"s{n}" for n in range(4, 8)], [f"v{n}" for n in range(1, 5)]
    begin = [s_mul(to, "s2", str(rng.choice([1, 3, 17, 64]))) for to in scalars]
    begin += [v_mul(to, "v0", rng.choice(scalars)) for to in rows]
    end = len(begin) + length
    constants = ["0", "1", "63", "-1", "-16"]

    def any_line(at: int) -> Line:
        s_to, v_to = rng.choice(scalars), rng.choice(rows)
        s_a, s_b = rng.choice(scalars), rng.choice(scalars + constants)
        v_a, v_b = rng.choice([*rows, *constants]), rng.choice(rows)
        relation, kind = rng.choice(list(_COMPARE)), rng.choice(["u32", "i32"])
        makers: list[Callable[[], Line]] = [
            lambda: s_compare(relation, kind, s_a, s_b),
            lambda: s_extreme(rng.choice(["min", "max"]), s_to, s_a, s_b),
            lambda: s_and(s_to, s_a, s_b),
            lambda: s_select(s_to, s_a, s_b),
            lambda: s_sub(s_to, s_a, s_b),
            lambda: v_compare(relation, kind, v_a, v_b),
            lambda: v_select(v_to, v_a, v_b),
            lambda: v_extreme(rng.choice(["min", "max"]), v_to, v_a, v_b),
            lambda: v_and(v_to, v_a, v_b),
            lambda: v_mul(v_to, v_a, v_b),
            lambda: v_convert(v_to, v_b),
            lambda: branch(
                rng.choice(["scc0", "scc1", "vccz", "vccnz", "execz"]),
                rng.randint(at + 1, min(at + 6, end)),
            ),
            lambda: masks("and", "exec", "exec", "vcc"),
            lambda: masks(
                rng.choice(["and", "or", "andn2", "orn2"]), "vcc", *rng.sample(["vcc", "exec"], 2)
            ),
            lambda: set_exec("s_mov_b64 exec, -1", lambda wave: ALL),
        ]
        return rng.choice(makers)()

    body = [any_line(at) for at in range(len(begin), end)]
    turn = [s_sub("s20", "s20", "1"), s_compare("gt", "u32", "s20", "0")]
    nothing = Line("s_endpgm", lambda wave: Note())
    return [*begin, *body, *turn, branch("scc1", len(begin)), nothing]


def as_assembly(kernel: str, program: list[Line]) -> str:
    targets = {line.target for line in program}
    text = "  s_mov_b32 s20, 3\n"
    for n, line in enumerate(program):
        label = f"L{kernel}_{n}:\n" if n in targets else ""
        text += label + f"  {line.text.format(kernel=kernel)}\n"
    return text


def executed(program: list[Line], groups: int) -> dict[int, Seen]:
    """What was seen of each line, the one that sets s20 being -1."""
    seen: dict[int, Seen] = {-1: Seen(REACHED | ACTIVE)}
    for group in range(groups):
        wave = Wave(
            {"s2": group, "s20": 3, **{f"s{n}": 0 for n in range(4, 8)}},
            {f"v{n}": np.zeros(LANES, np.uint32) for n in range(1, 5)},
        )
        wave.rows["v0"] = np.arange(LANES, dtype=np.uint32)
        at = 0
        while at < len(program):
            line, known = program[at], seen.setdefault(at, Seen())
            known.facts |= REACHED | (ACTIVE if wave.exec else 0)
            note = line.execute(wave)
            known.facts |= note.facts
            if note.pair:
                known.pairs.append(note.pair)
            at = line.target if note.jump and line.target is not None else at + 1
    return seen
