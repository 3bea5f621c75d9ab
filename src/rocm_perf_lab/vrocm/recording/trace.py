"""From the records of one process to the ``Trace`` that the writers take.

Records appear in the order in which things ended in real time, which differs from run to run.
Sorted by virtual time, the same program gives the same recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.redaction import redacted_words
from rocm_perf_lab.trace.builder import Dim3, TraceBuilder
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Kernel, Process, Trace
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.vocabulary import readable_symbol
from rocm_perf_lab.vrocm.counters.request import CounterRequest
from rocm_perf_lab.vrocm.recording import domains
from rocm_perf_lab.vrocm.recording.counters import CountedDispatches, gpus_of
from rocm_perf_lab.vrocm.recording.kernel_names import Naming, formatted
from rocm_perf_lab.vrocm.recording.noise import with_noise
from rocm_perf_lab.vrocm.recording.periods import TimeFilter
from rocm_perf_lab.vrocm.recording.records import (
    ProcessRecords,
    Record,
    integer,
    optional_integer,
    text,
)

# Real ROCm fills memory with this kernel. The virtual device fills it at once, without waves or
# registers, so that only the name and the time are known.
_FILL_KERNEL = "__amd_rocclr_fillBufferAligned"
_DEFAULT_STREAM = 0


@dataclass(frozen=True)
class Selection:
    """Which of the records go into the recording, and how things are called there."""

    domains: frozenset[str]
    times: TimeFilter = field(default_factory=TimeFilter)
    naming: Naming = Naming.DEMANGLED
    by_queue: bool = False  # --group-by-queue: streams are not distinguished
    counters: Optional[CounterRequest] = None

    @property
    def traces_kernels(self) -> bool:
        """Whether every kernel is recorded; otherwise only those that are counted."""
        return domains.KERNEL in self.domains

    @property
    def records_anything(self) -> bool:
        return bool(self.domains) or self.counters is not None


def build_trace(
    records: ProcessRecords,
    selection: Selection,
    hostname: str,
    guid: str = "",
    noise: Optional[str] = None,
) -> Trace:
    """``guid`` tells recordings apart: a process id may come again in the next run. ``noise`` is
    what was asked of the device; its product name says so, because every format has that."""
    command = records.process.get("command")
    words = [str(word) for word in command] if isinstance(command, list) else None
    process = Process(
        guid=guid,
        pid=records.pid,
        command=None if words is None else " ".join(redacted_words(words)),
        hostname=hostname,
        source=f"process {records.pid}",
    )
    return _TraceOfRecords(records, selection, process, noise).build()


class _TraceOfRecords:
    def __init__(
        self,
        records: ProcessRecords,
        selection: Selection,
        process: Process,
        noise: Optional[str],
    ) -> None:
        self._records = records
        self._noise = noise
        self._selection = selection
        self._builder = TraceBuilder(process, list(records.warnings))
        kernels = (integer(kernel, "id") for kernel in records.all("kernel"))
        self._fill_kernel = max(kernels, default=0) + 1
        self._kernel_names: dict[int, str] = {}
        self._chosen = _Chooser(records, selection.times).chosen

    def build(self) -> Trace:
        self._add_agents()
        self._add_queues_and_streams()
        self._add_code()
        self._add_dispatches()
        self._add_copies()
        self._add_allocations()
        self._add_calls()
        self._add_markers()
        return self._builder.build()

    def _add_agents(self) -> None:
        for record in self._records.all("agent"):
            properties = record.get("properties")
            facts = dict(properties) if isinstance(properties, dict) else {}
            names = ("product_name", "vendor_name", "model_name")
            facts.update((name, record[name]) for name in names if text(record, name))
            product = with_noise(text(record, "product_name"), self._noise)
            if product is not None:
                facts["product_name"] = product
            self._builder.add_agent(
                Agent(
                    THIS_PROCESS,
                    integer(record, "id"),
                    text(record, "type") or "unknown",
                    text(record, "name") or "unknown",
                    product,
                    integer(record, "type_index"),
                    facts,
                )
            )

    def _add_queues_and_streams(self) -> None:
        for record in _by_number(self._records.all("queue"), "id"):
            self._builder.add_queue(integer(record, "id"))
        self._builder.add_stream(_DEFAULT_STREAM, "Default Stream")
        if not self._selection.by_queue:
            for record in _by_number(self._records.all("stream"), "id"):
                self._builder.add_stream(integer(record, "id"))

    def _add_code(self) -> None:
        for record in _by_number(self._records.all("code_object"), "id"):
            if record.get("loaded") is not False:
                self._builder.add_code_object(
                    integer(record, "id"),
                    integer(record, "agent"),
                    text(record, "uri"),
                    optional_integer(record, "load_base"),
                    optional_integer(record, "load_size"),
                )
        for record in _by_number(self._records.all("kernel"), "id"):
            symbol = text(record, "name") or ""
            name = text(record, "demangled") or readable_symbol(symbol) or ""
            shown = formatted(name, symbol, self._selection.naming)
            self._kernel_names[integer(record, "id")] = shown
            self._builder.add_kernel(
                Kernel(
                    THIS_PROCESS,
                    integer(record, "id"),
                    shown,
                    symbol,
                    optional_integer(record, "code_object"),
                    optional_integer(record, "arch_vgpr_count"),
                    optional_integer(record, "accum_vgpr_count"),
                    optional_integer(record, "sgpr_count"),
                    optional_integer(record, "group_segment_size"),
                    optional_integer(record, "private_segment_size"),
                    optional_integer(record, "kernarg_size"),
                )
            )

    def _add_dispatches(self) -> None:
        request = self._selection.counters
        counted = CountedDispatches(request, gpus_of(self._records)) if request else None
        if counted is None and not self._selection.traces_kernels:
            return
        for number, record in numbered_launches(self._records, self._selection.times):
            values = {}
            if counted is not None and record.get("record") == "dispatch":
                values = counted.values(record, self._kernel_name(record))
            if self._selection.traces_kernels or values:
                self._add_dispatch(number, record, values)
        if counted is not None:
            self._builder.warnings.extend(counted.warnings())

    def _add_dispatch(self, number: int, record: Record, values: Mapping[str, float]) -> None:
        row = self._builder.add_dispatch(
            start=integer(record, "start_ns"),
            end=integer(record, "end_ns"),
            kernel=self._kernel(record),
            agent_id=integer(record, "agent"),
            dispatch_id=number,
            queue_id=integer(record, "queue"),
            stream_id=self._stream(record),
            thread=integer(record, "tid"),
            stack_id=integer(record, "correlation"),
            grid=_size(record, "grid"),
            block=_size(record, "workgroup"),
            lds=integer(record, "group_segment_size"),
            scratch=integer(record, "private_segment_size"),
        )
        if row is not None:
            for name, value in values.items():
                self._builder.add_counter(row, name, value)
            bound = text(record, "bound")
            if bound:
                self._builder.add_bound(row, bound, integer(record, "simulated_ns"))

    def _kernel_name(self, record: Record) -> str:
        """As filters see it."""
        return self._kernel_names.get(integer(record, "kernel"), text(record, "name") or "")

    def _kernel(self, record: Record) -> int:
        if record.get("record") != "fill":
            return self._builder.kernel_of_id(integer(record, "kernel"))
        return self._builder.add_kernel(
            Kernel(THIS_PROCESS, self._fill_kernel, _FILL_KERNEL, f"{_FILL_KERNEL}.kd")
        )

    def _add_copies(self) -> None:
        if domains.COPY not in self._selection.domains:
            return
        for record in self._chosen(self._records.all("copy")):
            self._builder.add_copy(
                start=integer(record, "start_ns"),
                end=integer(record, "end_ns"),
                direction=f"MEMORY_COPY_{text(record, 'kind')}",
                size=integer(record, "bytes"),
                source_agent_id=integer(record, "src_agent"),
                target_agent_id=integer(record, "dst_agent"),
                stream_id=self._stream(record),
                thread=integer(record, "tid"),
                stack_id=integer(record, "correlation"),
            )

    def _add_allocations(self) -> None:
        if domains.ALLOCATION not in self._selection.domains:
            return
        for record in self._chosen(self._records.all("allocation")):
            self._builder.add_allocation(
                start=integer(record, "time_ns"),
                end=integer(record, "time_ns"),
                operation=text(record, "operation") or "ALLOC",
                level="REAL",
                size=integer(record, "bytes"),
                address=integer(record, "address"),
                agent_id=integer(record, "agent"),
            )

    def _add_calls(self) -> None:
        for record in self._chosen(self._records.all("api")):
            name = text(record, "name") or ""
            category = domains.api_domain(name)
            if category in self._selection.domains:
                self._builder.add_api_call(
                    start=integer(record, "start_ns"),
                    end=integer(record, "end_ns"),
                    name=name,
                    category=category,
                    thread=integer(record, "tid"),
                    stack_id=integer(record, "id"),
                    parent_stack_id=integer(record, "parent"),
                    arguments=tuple(_arguments(record)),
                )

    def _add_markers(self) -> None:
        if domains.MARKER not in self._selection.domains:
            return
        for record in self._chosen(self._records.all("marker")):
            self._builder.add_marker(
                start=integer(record, "start_ns"),
                end=integer(record, "end_ns"),
                message=text(record, "message") or "",
                thread=integer(record, "tid"),
            )

    def _stream(self, record: Record) -> int:
        return _DEFAULT_STREAM if self._selection.by_queue else integer(record, "stream")


class _Chooser:
    """Tells which operations belong to a recording."""

    def __init__(self, records: ProcessRecords, times: TimeFilter) -> None:
        self._collects = times.collects(records)
        self._call_time = {
            integer(call, "id"): integer(call, "start_ns") for call in records.all("api")
        }

    def chosen(self, records: Iterable[Record]) -> list[Record]:
        """What was asked for at a time of collection, in the order of virtual time."""
        kept = [record for record in records if self._collects(self._time_of_request(record))]
        return sorted(kept, key=_when)

    def _time_of_request(self, record: Record) -> int:
        return self._call_time.get(integer(record, "correlation"), _when(record)[0])


def numbered_launches(records: ProcessRecords, times: TimeFilter) -> Iterator[tuple[int, Record]]:
    """Dispatches and fills with their dispatch ids, which count in the order of virtual time: the
    recorded ones count real ends."""
    launched = [*records.all("dispatch"), *records.all("fill")]
    yield from enumerate(_Chooser(records, times).chosen(launched), start=1)


def _when(record: Record) -> tuple[int, ...]:
    """Order of virtual time; queues and ids decide between things at the same time."""
    start = optional_integer(record, "start_ns")
    if start is None:
        start = integer(record, "time_ns")
    return start, integer(record, "end_ns"), integer(record, "queue"), integer(record, "id")


def _by_number(records: Iterable[Record], name: str) -> list[Record]:
    return sorted(records, key=lambda record: integer(record, name))


def _size(record: Record, name: str) -> Dim3:
    values = record.get(name)
    if isinstance(values, list) and len(values) == 3:
        x, y, z = (value if isinstance(value, int) else UNKNOWN for value in values)
        return x, y, z
    return UNKNOWN, UNKNOWN, UNKNOWN


def _arguments(record: Record) -> Iterator[tuple[str, str, str]]:
    arguments = record.get("args")
    for argument in arguments if isinstance(arguments, list) else ():
        if isinstance(argument, dict):
            name, kind, value = (str(argument.get(key, "")) for key in ("name", "type", "value"))
            yield name, kind, value
