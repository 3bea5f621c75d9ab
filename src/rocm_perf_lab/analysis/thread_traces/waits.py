"""What each ``s_waitcnt`` of a thread trace waited for, and how long memory took.

A load's own row holds its issue only. Its result is there when the wait for it ends, so the time
from issue (first attempt plus stall) to the end of the wait is an upper bound of its latency: what
the wave computed in between is in it. Where a wait held the wave up, the wave went on when the last
instruction that it waited for came back: for that one it is the latency itself, and these are the
``exposed`` ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, instruction_class
from rocm_perf_lab.trace.thread_trace.model import CodeLine, ThreadTrace, TracedWave, Wait

# What a wait costs with nothing to wait for: in recordings of gfx942 4 cycles, rarely 8, which the
# decoder counts as its stall.
UNSTALLED_WAIT = 8


@dataclass(frozen=True)
class Latency:
    """Cycles from issue to the end of the wait."""

    count: int
    mean: float
    smallest: int
    largest: int


@dataclass(frozen=True)
class Dependency:
    """A memory instruction that a wait waited for, over all waves."""

    code: CodeLine
    latency: Latency


@dataclass(frozen=True)
class WaitReport:
    """One wait instruction. Without dependencies nothing was outstanding when it ran."""

    code: CodeLine
    dependencies: tuple[Dependency, ...]  # in the order of the code


@dataclass(frozen=True)
class MemoryLatency:
    """Of one class of memory instructions."""

    until_wait_ends: Latency  # of all that were waited for
    exposed: Optional[Latency]  # of the last ones of waits that held the wave up
    stall: int  # cycles of the waits whose last instruction was of this class


@dataclass(frozen=True)
class WaitAnalysis:
    waits: tuple[WaitReport, ...]  # the longest stall first
    memory: dict[InstructionClass, MemoryLatency]
    unmatched: int  # waits that the decoder linked, but the steps of their waves do not explain

    @property
    def scratch_share(self) -> Optional[float]:
        """Of the stall of all waits, what is at waits for nothing but scratch: spilled registers,
        and arrays outside registers. None if no wait stalled."""
        total = sum(report.code.stall for report in self.waits)
        return (
            sum(r.code.stall for r in self.waits if _is_for_scratch(r)) / total if total else None
        )


def _is_for_scratch(report: WaitReport) -> bool:
    opcodes = [dependency.code.opcode for dependency in report.dependencies]
    return bool(opcodes) and all(opcode.startswith("scratch_") for opcode in opcodes)


@dataclass
class _Samples:
    """Latencies collected while going through the waves."""

    by_pair: dict[tuple[int, int], list[int]] = field(default_factory=dict)  # (wait, memory)
    exposed: dict[InstructionClass, list[int]] = field(default_factory=dict)
    stall: dict[InstructionClass, int] = field(default_factory=dict)
    unmatched: int = 0


def analyse_waits(trace: ThreadTrace) -> Optional[WaitAnalysis]:
    """None when no wave was recorded (a statistics table has none)."""
    if not trace.waves:
        return None
    code = {line.line: line for line in trace.code}
    classes = {number: instruction_class(line.text) for number, line in code.items()}
    samples = _Samples()
    for wave in trace.waves:
        _collect(wave, code, classes, samples)
    return WaitAnalysis(
        waits=tuple(_reports(code, samples)),
        memory=_memory(classes, samples),
        unmatched=samples.unmatched,
    )


def _collect(
    wave: TracedWave,
    code: Mapping[int, CodeLine],
    classes: Mapping[int, InstructionClass],
    samples: _Samples,
) -> None:
    """Finds for every wait of the wave the steps that it is about.

    A link names lines, not steps, and one that had nothing to wait for has no link. So the steps
    are followed in order: a link belongs to a step of its line if all that it names were issued
    before and have not been waited for yet. Memory instructions end a wait in the order of issue.
    """
    links: dict[int, deque[Wait]] = {}
    for wait in wave.waits:
        if _is_sensible(wait, code):
            links.setdefault(wait.line, deque()).append(wait)
        else:
            samples.unmatched += 1
    outstanding: dict[int, deque[int]] = {
        line: deque() for queue in links.values() for wait in queue for line in wait.waited_for
    }
    steps = wave.steps
    concerned = np.flatnonzero(np.isin(steps.line, [*links, *outstanding]))
    columns = (steps.line, steps.time, steps.stall, steps.duration)
    for line, time, stall, duration in zip(*(column[concerned].tolist() for column in columns)):
        if line in outstanding:
            outstanding[line].append(time + stall)
        elif links[line]:
            _end_wait(links[line], outstanding, (stall, time + duration), classes, samples)
    samples.unmatched += sum(map(len, links.values()))


def _end_wait(
    links: deque[Wait],
    outstanding: Mapping[int, deque[int]],
    stall_and_end: tuple[int, int],
    classes: Mapping[int, InstructionClass],
    samples: _Samples,
) -> None:
    """Takes the links of one execution of a wait: one per counter that it names, at most."""
    stall, end = stall_and_end
    last: Optional[tuple[int, InstructionClass]] = None
    waited_for = 0
    seen: set[bool] = set()  # of vector memory or not, which have counters of their own
    while links:
        wait = links[0]
        vector = classes[wait.waited_for[0]] is InstructionClass.VMEM
        if vector in seen or not _all_outstanding(wait, outstanding):
            break
        seen.add(vector)
        links.popleft()
        waited_for += len(wait.waited_for)
        for line in wait.waited_for:
            issued = outstanding[line].popleft()
            samples.by_pair.setdefault((wait.line, line), []).append(end - issued)
            if last is None or issued > last[0]:
                last = issued, classes[line]
    if last is not None:
        issued, kind = last
        samples.stall[kind] = samples.stall.get(kind, 0) + stall
        if stall > UNSTALLED_WAIT and _last_is_certain(kind, waited_for, len(seen)):
            samples.exposed.setdefault(kind, []).append(end - issued)


def _last_is_certain(kind: InstructionClass, waited_for: int, counters: int) -> bool:
    """Whether what was issued last also came back last: scalar loads return in any order, and
    of two counters either may have been the later one."""
    return counters == 1 and (kind is not InstructionClass.SMEM or waited_for == 1)


def _is_sensible(wait: Wait, code: Mapping[int, CodeLine]) -> bool:
    """A wait of the code, for instructions of the code that are no waits themselves."""
    known = all(line in code for line in (wait.line, *wait.waited_for))
    return (
        known and _is_wait(code[wait.line]) and not any(_is_wait(code[n]) for n in wait.waited_for)
    )


def _is_wait(line: CodeLine) -> bool:
    return line.text.startswith("s_wait")


def _all_outstanding(wait: Wait, outstanding: Mapping[int, deque[int]]) -> bool:
    return all(
        len(outstanding[line]) >= wait.waited_for.count(line) for line in set(wait.waited_for)
    )


def _reports(code: Mapping[int, CodeLine], samples: _Samples) -> list[WaitReport]:
    dependencies: dict[int, list[Dependency]] = {}
    for (wait, line), cycles in sorted(samples.by_pair.items()):
        dependencies.setdefault(wait, []).append(Dependency(code[line], _latency(cycles)))
    reports = [
        WaitReport(line, tuple(dependencies.get(number, ())))
        for number, line in code.items()
        if line.hits and _is_wait(line)
    ]
    return sorted(reports, key=lambda report: (-report.code.stall, report.code.line))


def _memory(
    classes: Mapping[int, InstructionClass], samples: _Samples
) -> dict[InstructionClass, MemoryLatency]:
    by_class: dict[InstructionClass, list[int]] = {}
    for (_, line), cycles in samples.by_pair.items():
        by_class.setdefault(classes[line], []).extend(cycles)
    return {
        kind: MemoryLatency(
            until_wait_ends=_latency(cycles),
            exposed=_latency(samples.exposed[kind]) if kind in samples.exposed else None,
            stall=samples.stall.get(kind, 0),
        )
        for kind, cycles in by_class.items()
    }


def _latency(cycles: Iterable[int]) -> Latency:
    values = list(cycles)
    return Latency(len(values), sum(values) / len(values), min(values), max(values))
