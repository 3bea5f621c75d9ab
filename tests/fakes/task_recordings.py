"""Writes down small recordings by hand: kernels and calls with the times of one's choice."""

from __future__ import annotations

from dataclasses import dataclass, field

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Kernel, Process, Trace


@dataclass
class Recording:
    """One process with two GPUs (agents 2 and 3) and one host thread."""

    pid: int = 1
    dispatches: int = 0
    calls: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._builder = TraceBuilder(Process(f"guid-{self.pid}", self.pid, "./app", "box", "hand"))
        for node in (2, 3):
            self._builder.add_agent(Agent(0, node, "GPU", "gfx942", None, node - 2))

    def kernel(
        self,
        name: str,
        start: int,
        end: int,
        *,
        stream: int = 1,
        agent: int = 2,
        stack_id: int = UNKNOWN,
        queue: int = UNKNOWN,
    ) -> None:
        self.dispatches += 1
        number = self.names.setdefault(name, len(self.names) + 1)
        self._builder.add_dispatch(
            start=start,
            end=end,
            kernel=self._builder.add_kernel(Kernel(0, number, name, None)),
            agent_id=agent,
            dispatch_id=self.dispatches,
            stream_id=stream,
            queue_id=queue,
            thread=9,
            stack_id=stack_id,
        )

    def copy(
        self, start: int, end: int, size: int, *, to_host: bool = False, stack_id: int = UNKNOWN
    ) -> None:
        """On stream 1 of the first GPU."""
        self._builder.add_agent(Agent(0, 0, "CPU", "cpu", None, 0))
        ends = (2, 0) if to_host else (0, 2)
        self._builder.add_copy(
            start=start,
            end=end,
            direction="MEMORY_COPY_DEVICE_TO_HOST" if to_host else "MEMORY_COPY_HOST_TO_DEVICE",
            size=size,
            source_agent_id=ends[0],
            target_agent_id=ends[1],
            stream_id=1,
            stack_id=stack_id,
        )

    def marker(self, message: str, start: int, end: int) -> None:
        self._builder.add_marker(start=start, end=end, message=message, thread=9)

    def call(self, name: str, start: int, end: int, **arguments: str) -> int:
        """The stack id of the call."""
        self.calls += 1
        self._builder.add_api_call(
            start=start,
            end=end,
            name=name,
            category="HIP_RUNTIME_API_EXT",
            thread=9,
            stack_id=self.calls,
            parent_stack_id=0,
            arguments=tuple((key, "", value) for key, value in arguments.items()),
        )
        return self.calls

    def launch(self, start: int, *, stream: int = 1) -> int:
        return self.call("hipLaunchKernel", start, start + 50, stream=hex(0x5000 + stream))

    def trace(self) -> Trace:
        return self._builder.build()
