"""A search over the kernels of one application: which one is worth working on next."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.kernels.typical_launch import typical_launch
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.errors import PerfLabError, UsageError
from rocm_perf_lab.optimize.gate.kernel_case import KernelCase, captured_case
from rocm_perf_lab.optimize.gate.kernel_gate import KernelGate
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.source.kernel_names import kernel_of, qualified_name
from rocm_perf_lab.optimize.workshop.measured import Measured
from rocm_perf_lab.optimize.workshop.workshop import Workshop, opened_workshop
from rocm_perf_lab.prove.evidence import SearchLog

LEAST_SHARE = 0.01  # of the critical path; what takes less cannot be seen in the application


@dataclass(frozen=True)
class LeftAlone:
    """A kernel that was not worked on, and why."""

    kernel: str
    why: str


class SearchSession:
    """See ``Session``."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.left_alone: list[LeftAlone] = []
        self.gates: dict[str, KernelGate] = {}  # by name in profiles
        self.measured: Optional[Measured] = None
        self._done: set[str] = set()
        self._asked = 0
        self._open = contextlib.ExitStack()

    @property
    def evidence(self) -> Path:
        return self.workshop.evidence.folder

    @property
    def log(self) -> SearchLog:
        return self.workshop.evidence.log

    def next_gate(self) -> Optional[KernelGate]:
        left = self.workshop.seconds_left()
        if self._asked >= self.workshop.request.max_iters or (left is not None and left <= 0):
            return None
        self._asked += 1
        self.workshop.listener.doing("profiling")
        self.measured = self.workshop.measure(self.workshop.best_program)
        for verdict in self.measured.verdicts:
            gate = self._gate(verdict)
            if gate is not None:
                return gate
        return None

    def give_up(self, gate: KernelGate) -> None:
        self._done.add(gate.profiled)

    def close(self) -> None:
        self._open.close()

    def _gate(self, verdict: KernelVerdict) -> Optional[KernelGate]:
        name = verdict.kernel.name
        if name in self._done or verdict.kernel.runtime_internal or not self._wanted(name):
            return None
        if verdict.criticality < LEAST_SHARE and self.workshop.request.kernel is None:
            self._leave(name, f"it takes {verdict.criticality:.1%} of the critical path")
            return None
        assert self.measured is not None
        known = self.gates.get(name)
        if known is not None:
            known.measured = self.measured
            return known
        source = self._source_of(name)
        if source is None:
            self._leave(name, "its definition is not in the sources, or cannot be replaced")
            return None
        try:
            case = self._captured(name)
        except PerfLabError as error:
            if len(self.measured.verdicts) == 1:
                raise
            self._leave(name, error.cause)
            return None
        gate = KernelGate(self.workshop, source, name, case, self.measured)
        self.gates[name] = gate
        return gate

    def _wanted(self, name: str) -> bool:
        asked = self.workshop.request.kernel
        plain = qualified_name(name)
        return asked is None or asked in (name, plain, plain.rpartition("::")[2])

    def _source_of(self, name: str) -> Optional[Path]:
        for source in self.workshop.project.sources:
            unit = self.workshop.parse(source, self.workshop.best)
            if unit.errors:
                first = unit.errors[0].text
                raise UsageError(f"{source} cannot be read: {first}", "give its flags: --flags")
            kernel = kernel_of(unit.kernels, name)
            if kernel is not None and kernel.fixed is None:
                return source
        return None

    def _captured(self, name: str) -> KernelCase:
        workshop = self.workshop
        assert self.measured is not None
        workshop.listener.doing(f"capturing {qualified_name(name)}")
        case = captured_case(
            workshop.application,
            workshop.argv(workshop.best_program),
            name,
            typical_launch(self.measured.trace, name),
            workshop.folder / f"kernel-{len(self.gates) + len(self.left_alone)}",
            timeout_s=workshop.request.timeout_s,
        )
        self._open.callback(case.close)
        return case

    def _leave(self, name: str, why: str) -> None:
        self._done.add(name)
        self.left_alone.append(LeftAlone(name, why))
        self.workshop.evidence.log.append("left alone", kernel=name, reason=why)


@contextlib.contextmanager
def opened_session(request: OptimizeRequest) -> Iterator[SearchSession]:
    with opened_workshop(request) as workshop:
        session = SearchSession(workshop)
        try:
            yield session
        finally:
            session.close()
