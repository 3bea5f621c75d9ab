"""Whether a changed kernel does the same as the original for all inputs."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.symbolic.identical import instructions, is_identical, library_calls
from rocm_perf_lab.prove.symbolic.ir.model import Function, Module
from rocm_perf_lab.prove.symbolic.ir.parse import parse_module
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.report import SymbolicReport
from rocm_perf_lab.prove.symbolic.run.flow import exchanging_blocks, loop_heads
from rocm_perf_lab.prove.symbolic.run.machine import AFTER, BEFORE, Machine, State
from rocm_perf_lab.prove.symbolic.run.memory import Memories
from rocm_perf_lab.prove.symbolic.run.operands import arguments
from rocm_perf_lab.prove.symbolic.simulation.simulate import Simulation
from rocm_perf_lab.prove.symbolic.solver import NOT_INSTALLED, Solver
from rocm_perf_lab.prove.symbolic.terms.build import Builder

COMPILER = "the compiler translates both versions faithfully"
RACES = "the original has no data races and no undefined behaviour"
CONTRACTION = "the compiler fuses a * b + c alike in both versions"
TOGETHER = "lanes that leave a loop at different times are together again behind it"
LIBRARY = "functions of the device library depend on their arguments only"
_FOUND_BY_COMPILER = frozenset(["nocapture", "readonly", "readnone", "writeonly", "nofree"])
# Whether bounds of counters are asked about, and whether memory asks the solver.
_ATTEMPTS = ((False, False), (True, False), (True, True))
_WORKGROUP = "amdgpu-flat-work-group-size"
_LAUNCH = frozenset({_WORKGROUP, "amdgpu-waves-per-eu", "amdgpu-max-num-workgroups"})


def prove_equal(
    before_ir: str, after_ir: str, kernel: str, *, solver_seconds: float = 10.0
) -> SymbolicReport:
    """Never raises for what it cannot prove: the report says why."""
    proof = _Proof(solver_seconds)
    try:
        proof.run(before_ir, after_ir, kernel)
    except NotProven as why:
        return SymbolicReport(False, proof.told(why), (), 0, 0)
    except RecursionError:
        return SymbolicReport(False, "the kernel is nested too deeply", (), 0, 0)
    return SymbolicReport(True, "", proof.assumptions(), proof.stores, proof.loops)


class _Proof:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._notes: list[str] = []
        self._build = Builder()
        self._solver = Solver(self._build, seconds)
        self.stores = 0
        self.loops = 0
        self._lockstep = False
        self._library: set[str] = set()
        self._contracts = False

    def run(self, before_ir: str, after_ir: str, kernel: str) -> None:
        modules = [parse_module(text, kernel) for text in (before_ir, after_ir)]
        before, after = (next(iter(module.functions.values())) for module in modules)
        self._compare_heads(before, after)
        made = instructions(after)
        self.stores = sum(one.op in ("store", "atomicrmw", "cmpxchg") for one in made)
        self.loops = len(loop_heads(after))
        self._contracts = any("contract" in one.flags for one in made)
        self._library = library_calls(before) | library_calls(after)
        for name in sorted(self._library):
            if modules[0].library.get(name) != modules[1].library.get(name):
                raise NotProven(f"the two versions have different functions {name}")
        if is_identical(modules, before, after):
            return
        self._attempts(modules, before, after)

    def _attempts(self, modules: list[Module], before: Function, after: Function) -> None:
        """What costs most is asked last; the first attempt tells best why there is no proof."""
        failed: Optional[NotProven] = None
        for asks_bounds, asks_solver in _ATTEMPTS:
            self._solver.begin()
            try:
                self._attempt(modules, before, after, asks_bounds, asks_solver)
                return
            except NotProven as why:
                failed = failed or why
                if self._solver.lacking == NOT_INSTALLED:
                    break
        assert failed is not None
        raise failed

    def _attempt(
        self,
        modules: list[Module],
        before: Function,
        after: Function,
        asks_bounds: bool,
        asks_solver: bool,
    ) -> None:
        build = self._build
        memories = Memories(build, self._solver)
        memories.asks_solver = asks_solver
        machines = [
            Machine(side, build, memories, module, function)
            for side, module, function in zip((BEFORE, AFTER), modules, (before, after))
        ]
        simulation = Simulation(machines[0], machines[1], memories, self._solver, 2 * self._seconds)
        simulation.asks_bounds = asks_bounds
        simulation.lockstep = any(
            exchanging_blocks(module, function)
            for module, function in zip(modules, (before, after))
        )
        given = arguments(build, before)
        both = zip(before.parameters, after.parameters)
        alike = {other.name: given[one.name] for one, other in both}
        simulation.run(
            State(before.entry, given, memories.first), State(after.entry, alike, memories.first)
        )
        self._lockstep = simulation.lockstep

    def _compare_heads(self, before: Function, after: Function) -> None:
        if [p.kind for p in before.parameters] != [p.kind for p in after.parameters]:
            raise NotProven("the parameters are not the same")
        for one, other in zip(before.parameters, after.parameters):
            if one.attributes - _FOUND_BY_COMPILER != other.attributes - _FOUND_BY_COMPILER:
                raise NotProven("the changed kernel promises something else about its parameters")
        kinds = [
            {name: text for name, text in function.attributes.items() if name not in _LAUNCH}
            for function in (before, after)
        ]
        if kinds[0] != kinds[1]:
            raise NotProven("the two versions are built with other attributes")
        sizes = [function.attributes.get(_WORKGROUP, "") for function in (before, after)]
        if sizes[0] != sizes[1]:
            self._notes.append(f"no block has more threads than promised ({sizes[1]})")

    def told(self, why: NotProven) -> str:
        lacking = self._solver.lacking
        return f"{why.told()} ({lacking})" if lacking is not None else why.told()

    def assumptions(self) -> tuple[str, ...]:
        found = [COMPILER, RACES, *self._notes]
        if self._contracts:
            found.append(CONTRACTION)
        if self._library:
            found.append(LIBRARY)
        if self._lockstep:
            found.append(TOGETHER)
        return tuple(found)
