"""One version from where it stands to the next head of a loop or its end, on every way there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Callable, Optional

from rocm_perf_lab.prove.symbolic.ir.model import Instruction
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.flow import loop_heads, quiet_blocks
from rocm_perf_lab.prove.symbolic.run.machine import AFTER, Machine, State
from rocm_perf_lab.prove.symbolic.run.path import Owed, Path
from rocm_perf_lab.prove.symbolic.run.values import Known, Value
from rocm_perf_lab.prove.symbolic.terms.term import Term

# Whether a condition holds on a path; None where that is open.
Decide = Callable[[Term, Path], Optional[bool]]


class LoopOpen(NotProven):
    """The original may leave a loop or stay in it."""


@dataclass
class Stop:
    """Where a walk came to: at the head of a loop, or at the kernel's end (None)."""

    state: State
    path: Path
    head: Optional[str]


class Walker:
    def __init__(self, machine: Machine, spend: Callable[[], None]) -> None:
        self.machine = machine
        self.heads = loop_heads(machine.function)
        self._quiet = quiet_blocks(machine.module, machine.function)
        self._spend = spend

    def walk(
        self, state: State, path: Path, decide: Decide, strict: bool = False
    ) -> Iterator[Stop]:
        """``state`` stands in front of a block whose phis have their values already. With
        ``strict`` it has to be known whether the loop that it is at goes on."""
        start = state.block
        todo = [(state, path, False)]
        while todo:
            state, path, arrived = todo.pop()
            if arrived and state.block in self.heads:
                yield Stop(state, path, state.block)
                continue
            self._spend()
            block = self.machine.function.blocks[state.block]
            for one in block.body:
                self.machine.execute(one, state, path)
            if block.end.op == "ret":
                yield Stop(state, path, None)
                continue
            targets = self._targets(block.end, state, path, decide)
            if strict and len(targets) > 1 and block.name == start:
                raise LoopOpen("it is not shown that the original's loop goes on", block.end.line)
            for target, other in reversed(targets):
                todo.append((self._entered(state.fork(), target), other, True))

    def _entered(self, state: State, target: str) -> State:
        """All phis take their values at once, from the block that was left."""
        left = state.block
        found: dict[str, Known] = {}
        for phi in self.machine.function.blocks[target].phis:
            index = phi.labels.index(left)
            assert phi.result is not None
            found[phi.result] = self.machine.value(state, phi, index)
        state.names.update(found)
        state.block = target
        return state

    def _targets(
        self, end: Instruction, state: State, path: Path, decide: Decide
    ) -> list[tuple[str, Path]]:
        if end.op == "unreachable":
            if self.machine.side == AFTER:
                path.owed.append(Owed(self.machine.build.false, True, end.line))
                raise NotProven(
                    "the changed kernel has a way that the compiler takes for impossible", end.line
                )
            return []  # the original has no meaning there
        if len(end.operands) == 0:
            return [(end.labels[0], path)]
        value = self.machine.value(state, end, 0)
        assert isinstance(value, Value)
        self.machine.use(value.needs, end.line, path)
        if end.op == "switch":
            return self._switch(end, value, state, path, decide)
        taken = self._turn(value.term, state, path, decide)
        return [(end.labels[0 if holds else 1], other) for holds, other in taken]

    def _turn(
        self, condition: Term, state: State, path: Path, decide: Decide
    ) -> list[tuple[bool, Path]]:
        decided = decide(condition, path)
        build = self.machine.build
        if decided is not None:
            self._note(condition, decided, state, path)
            return [(decided, path)]
        ways = []
        for holds in (True, False):
            other = path.fork() if holds else path
            other.learn(condition if holds else build.negated(condition))
            self._note(condition, holds, state, other)
            ways.append((holds, other))
        return ways

    def _note(self, condition: Term, holds: bool, state: State, path: Path) -> None:
        """Branches that decide which lanes are together."""
        if condition.op != "const" and state.block not in self._quiet:
            path.turns[self.machine.side].append((condition, holds))

    def _switch(
        self, end: Instruction, value: Value, state: State, path: Path, decide: Decide
    ) -> list[tuple[str, Path]]:
        build, found = self.machine.build, []
        rest: Optional[Path] = path
        for index in range(1, len(end.operands)):
            assert rest is not None
            case = self.machine.scalar(state, end, index)
            ways = self._turn(build.equal(value.term, case.term), state, rest, decide)
            rest = None
            for holds, other in ways:
                if holds:
                    found.append((end.labels[index], other))
                else:
                    rest = other
            if rest is None:
                return found
        assert rest is not None
        return [*found, (end.labels[0], rest)]
