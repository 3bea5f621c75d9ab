"""Executes random host programs on a simple machine and records what happened.

Independent of the analysis: the machine keeps one ready time per stream and one clock per host,
and notes for every piece of work what it had to wait for.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace

GPU, CPU = 2, 0
KERNEL_LATENCY, COPY_LATENCY = 700, 300
DEFAULT = 0  # stream
Because = Optional[int]  # the piece of work that was waited for, None: the start of the host


@dataclass(frozen=True)
class Instruction:
    what: (
        str  # launch, copy, record, wait_event, sync_stream, sync_device, sync_event, memcpy, host
    )
    stream: int = DEFAULT
    event: int = 0
    kernel: int = 0
    duration: int = 0


@dataclass(frozen=True)
class Program:
    non_blocking: frozenset[int]
    streams: int
    instructions: tuple[Instruction, ...]


@dataclass
class Piece:
    """One executed kernel or copy."""

    kernel: Optional[int]
    stream: int
    start: int
    end: int
    because: Because
    stack_id: int


@dataclass
class Machine:
    """Runs a program; ``extra`` lengthens pieces of work, ``factor`` makes kernels faster."""

    program: Program
    extra: Mapping[int, int] = field(default_factory=dict)
    factor: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        streams = range(self.program.streams + 1)
        self.clock, self.clock_because = 1_000_000, None
        self.own: dict[int, tuple[int, Because]] = dict.fromkeys(streams, (0, None))
        self.gate: dict[int, tuple[int, Because]] = dict.fromkeys(streams, (0, None))
        self.events: dict[int, tuple[int, Because]] = {}
        self.pieces: list[Piece] = []
        self.ties = 0  # waits that two different pieces of work explain equally well
        self.calls: list[tuple[int, int, str, tuple[tuple[str, str, str], ...]]] = []

    def run(self) -> Machine:
        for stream in range(1, self.program.streams + 1):
            flag = "1" if stream in self.program.non_blocking else "0"
            self._call("hipStreamCreateWithFlags", 100, ("flags", flag))
        for instruction in self.program.instructions:
            getattr(self, f"_{instruction.what}")(instruction)
        return self

    @property
    def last_end(self) -> int:
        return max(piece.end for piece in self.pieces)

    @property
    def span(self) -> int:
        return self.last_end - min(piece.start for piece in self.pieces)

    def true_path(self) -> list[int]:
        at: Because = max(range(len(self.pieces)), key=lambda i: (self.pieces[i].end, i))
        path = []
        while at is not None:
            path.append(at)
            at = self.pieces[at].because
        return path[::-1]

    def trace(self) -> Trace:
        builder = TraceBuilder(Process("", 7, "./app", "box", "executor"))
        builder.add_agent(Agent(0, CPU, "CPU", "cpu", None, 0))
        builder.add_agent(Agent(0, GPU, "GPU", "gfx942", None, 0))
        for stream in range(self.program.streams + 1):
            builder.add_stream(stream)
        for number, piece in enumerate(self.pieces, start=1):
            where = {"stream_id": piece.stream, "thread": 9, "stack_id": piece.stack_id}
            when = {"start": piece.start, "end": piece.end}
            if piece.kernel is None:
                builder.add_copy(
                    **when, **where, direction="H2D", source_agent_id=CPU, target_agent_id=GPU
                )
            else:
                kernel = builder.add_kernel(Kernel(0, piece.kernel, f"k{piece.kernel}", None))
                builder.add_dispatch(
                    **when, **where, kernel=kernel, agent_id=GPU, dispatch_id=number
                )
        for number, (start, end, name, arguments) in enumerate(self.calls, start=1):
            builder.add_api_call(
                start=start,
                end=end,
                name=name,
                category="HIP_RUNTIME_API_EXT",
                thread=9,
                stack_id=number,
                parent_stack_id=0,
                arguments=arguments,
            )
        return builder.build()

    def _call(self, name: str, cost: int, *arguments: tuple[str, str]) -> int:
        """Notes a call that does not wait; returns its start."""
        start = self.clock
        self.clock += cost
        texts = tuple((key, "", value) for key, value in arguments)
        self.calls.append((start, self.clock, name, texts))
        return start

    def _latest(self, *times: tuple[int, Because]) -> tuple[int, Because]:
        latest = max(times, key=lambda time: time[0])
        self.ties += any(t[0] == latest[0] and t[1] != latest[1] for t in times)
        return latest

    def _blocking(self) -> list[int]:
        own = [s for s in self.own if s != DEFAULT and s not in self.program.non_blocking]
        return [DEFAULT, *own]

    def _issued(self, stream: int) -> tuple[int, Because]:
        """When everything that was issued to the stream has ended."""
        streams = self._blocking() if stream == DEFAULT else [stream]
        return self._latest(*(self.own[s] for s in streams))

    def _stream_ready(self, stream: int) -> tuple[int, Because]:
        """When the next thing issued to the stream can begin."""
        return self._latest(self._issued(stream), self.gate[stream])

    def _occupy(self, stream: int, until: tuple[int, Because]) -> None:
        """What follows on the stream, and after the default stream on all blocking ones."""
        self.own[stream] = until
        if stream == DEFAULT:
            self.gate.update((other, until) for other in self._blocking() if other != DEFAULT)

    def _submit(
        self, stream: int, kernel: Optional[int], start_of_call: int, duration: int
    ) -> None:
        latency = COPY_LATENCY if kernel is None else KERNEL_LATENCY
        submitted = (start_of_call + latency, self.clock_because)
        start, because = self._latest(submitted, self._stream_ready(stream))
        number = len(self.pieces)
        if kernel in self.factor:
            duration = round(duration / self.factor[kernel])
        end = start + duration + self.extra.get(number, 0)
        self.pieces.append(Piece(kernel, stream, start, end, because, len(self.calls)))
        self._occupy(stream, (end, number))

    def _wait(self, until: tuple[int, Because], start: int) -> None:
        """The call that was noted last returns only after ``until``."""
        cost = self.clock - start
        self.ties += until[0] == start
        if until[0] > start:
            self.clock, self.clock_because = until[0] + cost, until[1]
            self.calls[-1] = (start, self.clock, *self.calls[-1][2:])

    def _launch(self, i: Instruction) -> None:
        start = self._call("hipLaunchKernel", 200, ("stream", _handle(i.stream)))
        self._submit(i.stream, i.kernel, start, i.duration)

    def _copy(self, i: Instruction) -> None:
        start = self._call("hipMemcpyAsync", 150, ("stream", _handle(i.stream)))
        self._submit(i.stream, None, start, i.duration)

    def _memcpy(self, i: Instruction) -> None:
        start = self._call("hipMemcpy", 250)
        self._submit(DEFAULT, None, start, i.duration)
        self._wait(self.own[DEFAULT], start)

    def _record(self, i: Instruction) -> None:
        event = ("event", hex(0x9000 + i.event))
        self._call("hipEventRecord", 80, event, ("stream", _handle(i.stream)))
        self.events[i.event] = self._stream_ready(i.stream)
        self._occupy(i.stream, self.events[i.event])

    def _wait_event(self, i: Instruction) -> None:
        event = ("event", hex(0x9000 + i.event))
        self._call("hipStreamWaitEvent", 90, ("stream", _handle(i.stream)), event)
        if i.event in self.events:
            before = self._stream_ready(i.stream)
            self._occupy(i.stream, self._latest(before, self.events[i.event]))

    def _sync_stream(self, i: Instruction) -> None:
        start = self._call("hipStreamSynchronize", 60, ("stream", _handle(i.stream)))
        self._wait(self._issued(i.stream), start)

    def _sync_event(self, i: Instruction) -> None:
        start = self._call("hipEventSynchronize", 70, ("event", hex(0x9000 + i.event)))
        self._wait(self.events.get(i.event, (0, None)), start)

    def _sync_device(self, i: Instruction) -> None:
        start = self._call("hipDeviceSynchronize", 50)
        self._wait(self._latest(*self.own.values()), start)

    def _host(self, i: Instruction) -> None:
        self.clock += i.duration


def random_program(seed: int) -> Program:
    chance = random.Random(seed)
    streams = chance.randint(1, 5)
    non_blocking = frozenset(s for s in range(1, streams + 1) if chance.random() < 0.4)
    # Work that the host alone delays, one of each kind and on every stream, is how launch
    # latencies and stream handles become visible in a recording.
    instructions = [Instruction("copy", DEFAULT, duration=chance.randint(1, 999))]
    for stream in range(1, streams + 1):
        duration = chance.randint(1, 3000)
        instructions += [
            Instruction("host", duration=chance.randint(5000, 9000)),
            Instruction("launch", stream, kernel=0, duration=duration),
        ]
    kinds = ["launch"] * 8 + ["copy"] * 2 + ["record"] * 3 + ["wait_event"] * 3
    kinds += ["sync_stream", "sync_event", "sync_device", "memcpy", "host"]
    for _ in range(chance.randint(5, 40)):
        instructions.append(
            Instruction(
                chance.choice(kinds),
                stream=chance.randint(0, streams),
                event=chance.randint(0, 3),
                kernel=chance.randint(0, 4),
                duration=chance.choice((chance.randint(0, 50), chance.randint(100, 20_000))),
            )
        )
    return Program(non_blocking, streams, tuple(instructions))


def _handle(stream: int) -> str:
    return "0" if stream == DEFAULT else hex(0x5000 + stream)
