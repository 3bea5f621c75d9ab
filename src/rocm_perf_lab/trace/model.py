"""The columnar ``Trace``: what happened on the GPU and at its API, whatever file it came from.

Small things (agents, kernels, queues, streams, processes) are tuples of frozen records;
large things (dispatches, copies, API calls) are NumPy columns whose integers index those tuples.
A value that the recording does not hold is ``None`` in a record and ``UNKNOWN`` (-1) in an
integer column; it is never 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Callable, Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import force_setattr

from rocm_perf_lab.redaction import redacted_line

UNKNOWN = -1
# A part of the virtual device's product name, all that every format carries of it; between the
# brackets may be what is unusual: "(virtual, 10 CUs per XCD, 1.42 GHz, noise typical)".
_VIRTUAL = re.compile(r"\(virtual(, [^()]+)?\)")
ROCPROFILER_SKEW_NS = 2_000

IntColumn = npt.NDArray[np.int64]
IndexColumn = npt.NDArray[np.int32]
FloatColumn = npt.NDArray[np.float64]


def names_virtual_device(text: Optional[str]) -> bool:
    """A product's name, or what names the product."""
    return _VIRTUAL.search(text or "") is not None


def _ints(*shape: int) -> IntColumn:
    return np.zeros(shape or (0,), dtype=np.int64)


def _indexes() -> IndexColumn:
    return np.zeros(0, dtype=np.int32)


class Agent(Struct, frozen=True):
    """A CPU or GPU of the recorded machine. ``facts`` is rocprofiler's own agent record."""

    process: int  # index into Trace.processes; ids are unique only within one process
    id: int  # node id, as dispatch rows name it
    kind: str  # "CPU" or "GPU"
    name: str  # "gfx942"
    product: Optional[str]
    type_index: int  # 0 for the first GPU
    facts: Mapping[str, object] = field(default_factory=dict)


class Kernel(Struct, frozen=True):
    """A kernel symbol with the registers and memory that its code object declares."""

    process: int
    id: int
    name: str  # demangled, for people
    symbol: Optional[str]  # mangled, with ".kd"
    code_object: Optional[int] = None
    arch_vgpr: Optional[int] = None
    accum_vgpr: Optional[int] = None
    sgpr: Optional[int] = None
    static_lds: Optional[int] = None
    static_scratch: Optional[int] = None
    kernarg_size: Optional[int] = None

    @property
    def is_runtime_blit(self) -> bool:
        """Copy and fill kernels that the HIP runtime launches on its own account."""
        return self.name.startswith("__amd_rocclr_")


class Queue(Struct, frozen=True):
    """A hardware queue."""

    process: int
    id: int
    name: str


class Stream(Struct, frozen=True):
    """A stream of the application; its id is the runtime's number of it."""

    process: int
    id: int
    name: str
    independent: bool = False  # never waits for the legacy default stream, nor that for it

    @property
    def is_default(self) -> bool:
        """The legacy default stream, which orders itself with all that are not independent."""
        return self.id == 0 and not self.independent


class CodeObject(Struct, frozen=True):
    """Code that was loaded onto a device."""

    process: int
    id: int
    agent: int  # index into Trace.agents, UNKNOWN when not recorded
    uri: Optional[str]
    load_base: Optional[int]
    load_size: Optional[int]


class Process(Struct, frozen=True):
    """One recorded process. ``environment`` is never kept, of ``command`` only what may be."""

    guid: str
    pid: int
    command: Optional[str]
    hostname: Optional[str]
    source: str  # the file it was read from
    rank: Optional[int] = None  # in a distributed application, where the recording says so

    def __post_init__(self) -> None:
        if self.command is not None:
            force_setattr(self, "command", redacted_line(self.command))


# Tables of columns are not compared.
class Dispatches(Struct, frozen=True, eq=False):
    """One row per kernel launch, in the order of the recording (not sorted by time)."""

    start: IntColumn = field(default_factory=_ints)  # ns
    end: IntColumn = field(default_factory=_ints)
    kernel: IndexColumn = field(default_factory=_indexes)
    agent: IndexColumn = field(default_factory=_indexes)
    queue: IndexColumn = field(default_factory=_indexes)
    stream: IndexColumn = field(default_factory=_indexes)
    process: IndexColumn = field(default_factory=_indexes)
    thread: IntColumn = field(default_factory=_ints)
    dispatch_id: IntColumn = field(default_factory=_ints)
    stack_id: IntColumn = field(default_factory=_ints)  # links to the launching API call
    grid: IntColumn = field(default_factory=lambda: _ints(0, 3))  # work-items
    block: IntColumn = field(default_factory=lambda: _ints(0, 3))
    lds: IntColumn = field(default_factory=_ints)  # bytes, dynamic LDS included where recorded
    scratch: IntColumn = field(default_factory=_ints)
    graph_exec: IntColumn = field(default_factory=_ints)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def duration(self) -> IntColumn:
        return self.end - self.start


class Copies(Struct, frozen=True, eq=False):
    """One row per memory copy that a copy engine or blit made."""

    start: IntColumn = field(default_factory=_ints)
    end: IntColumn = field(default_factory=_ints)
    direction: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    bytes: IntColumn = field(default_factory=_ints)
    source_agent: IndexColumn = field(default_factory=_indexes)
    target_agent: IndexColumn = field(default_factory=_indexes)
    stream: IndexColumn = field(default_factory=_indexes)
    process: IndexColumn = field(default_factory=_indexes)
    thread: IntColumn = field(default_factory=_ints)
    stack_id: IntColumn = field(default_factory=_ints)

    def __len__(self) -> int:
        return len(self.start)


class Allocations(Struct, frozen=True, eq=False):
    """One row per allocation or release of device memory."""

    start: IntColumn = field(default_factory=_ints)
    end: IntColumn = field(default_factory=_ints)
    operation: IndexColumn = field(default_factory=_indexes)  # Trace.strings: ALLOC, FREE, ...
    level: IndexColumn = field(default_factory=_indexes)  # Trace.strings: REAL, VIRTUAL, SCRATCH
    address: IntColumn = field(default_factory=_ints)
    bytes: IntColumn = field(default_factory=_ints)
    agent: IndexColumn = field(default_factory=_indexes)
    process: IndexColumn = field(default_factory=_indexes)

    def __len__(self) -> int:
        return len(self.start)


class ApiCalls(Struct, frozen=True, eq=False):
    """One row per HIP, HSA or other API call on the host; ROCTx ranges are in ``Markers``."""

    start: IntColumn = field(default_factory=_ints)
    end: IntColumn = field(default_factory=_ints)
    name: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    category: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    process: IndexColumn = field(default_factory=_indexes)
    thread: IntColumn = field(default_factory=_ints)
    stack_id: IntColumn = field(default_factory=_ints)
    parent_stack_id: IntColumn = field(default_factory=_ints)
    event_id: IntColumn = field(default_factory=_ints)

    def __len__(self) -> int:
        return len(self.start)


class Markers(Struct, frozen=True, eq=False):
    """ROCTx ranges and marks with the text the application gave them."""

    start: IntColumn = field(default_factory=_ints)
    end: IntColumn = field(default_factory=_ints)
    message: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    process: IndexColumn = field(default_factory=_indexes)
    thread: IntColumn = field(default_factory=_ints)

    def __len__(self) -> int:
        return len(self.start)


class Operators(Struct, frozen=True, eq=False):
    """Operators of a framework on the host, such as PyTorch's ``aten::addmm``."""

    start: IntColumn = field(default_factory=_ints)
    end: IntColumn = field(default_factory=_ints)
    name: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    process: IndexColumn = field(default_factory=_indexes)
    thread: IntColumn = field(default_factory=_ints)

    def __len__(self) -> int:
        return len(self.start)


class Origins(Struct, frozen=True, eq=False):
    """Which operator, and which line of Python, launched a dispatch, where that was recorded."""

    dispatch: IndexColumn = field(default_factory=_indexes)  # row of Trace.dispatches
    operator: IndexColumn = field(default_factory=_indexes)  # row of Trace.operators or UNKNOWN
    place: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings or UNKNOWN

    def __len__(self) -> int:
        return len(self.dispatch)


class Counters(Struct, frozen=True, eq=False):
    """Long form: one row per (dispatch row, counter), summed over hardware instances."""

    dispatch: IndexColumn = field(default_factory=_indexes)  # row of Trace.dispatches
    name: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    value: FloatColumn = field(default_factory=lambda: np.zeros(0, dtype=np.float64))

    def __len__(self) -> int:
        return len(self.value)


class Samples(Struct, frozen=True, eq=False):
    """Samples of program counters: how many fell on one instruction of a dispatch, and why."""

    dispatch: IndexColumn = field(default_factory=_indexes)  # row of Trace.dispatches
    instruction: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    place: IndexColumn = field(default_factory=_indexes)  # "file:line" in Trace.strings, or UNKNOWN
    # Why the wave issued nothing, in Trace.strings; there "" is that it did. UNKNOWN: not recorded.
    stall: IndexColumn = field(default_factory=_indexes)
    count: IntColumn = field(default_factory=_ints)

    def __len__(self) -> int:
        return len(self.dispatch)


class TimeBounds(Struct, frozen=True, eq=False):
    """Dispatches of the virtual device whose time a bound decided: the simulation said less."""

    dispatch: IndexColumn = field(default_factory=_indexes)  # row of Trace.dispatches
    name: IndexColumn = field(default_factory=_indexes)  # index into Trace.strings
    simulated: IntColumn = field(default_factory=_ints)  # ns

    def __len__(self) -> int:
        return len(self.dispatch)


# Reads the arguments of one API call (row number) as (name, type, value) triples in call order.
ArgumentReader = Callable[[int], "tuple[tuple[str, str, str], ...]"]


def no_arguments(_row: int) -> tuple[tuple[str, str, str], ...]:
    return ()


class Trace(Struct, frozen=True, eq=False):
    """Everything one run recorded. ``warnings`` names what had to be left out, and why."""

    source: str
    processes: tuple[Process, ...] = ()
    agents: tuple[Agent, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    queues: tuple[Queue, ...] = ()
    streams: tuple[Stream, ...] = ()
    code_objects: tuple[CodeObject, ...] = ()
    strings: tuple[str, ...] = ()
    dispatches: Dispatches = field(default_factory=Dispatches)
    copies: Copies = field(default_factory=Copies)
    allocations: Allocations = field(default_factory=Allocations)
    api_calls: ApiCalls = field(default_factory=ApiCalls)
    markers: Markers = field(default_factory=Markers)
    operators: Operators = field(default_factory=Operators)
    origins: Origins = field(default_factory=Origins)
    counters: Counters = field(default_factory=Counters)
    bounds: TimeBounds = field(default_factory=TimeBounds)
    samples: Samples = field(default_factory=Samples)
    warnings: tuple[str, ...] = ()
    api_arguments: ArgumentReader = no_arguments
    # Clocks of host and GPU are aligned to about this: work that ends later was not waited for.
    clock_skew_ns: int = ROCPROFILER_SKEW_NS

    @property
    def gpu_agents(self) -> tuple[Agent, ...]:
        return tuple(agent for agent in self.agents if agent.kind == "GPU")

    def agent_at(self, index: int) -> Optional[Agent]:
        return None if index == UNKNOWN else self.agents[index]

    @property
    def is_virtual(self) -> bool:
        """True when the recording was made on the virtual device."""
        return any(names_virtual_device(agent.product) for agent in self.gpu_agents)
