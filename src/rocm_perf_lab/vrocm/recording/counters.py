"""Counters of the dispatches of one process: which are counted, and with what values."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rocm_perf_lab.vrocm.counters.request import CounterRequest, Group
from rocm_perf_lab.vrocm.counters.values import Device, Evaluator, NotDelivered
from rocm_perf_lab.vrocm.recording.records import ProcessRecords, Record, integer, text

_NOT_COUNTED_BY_MODEL = "the virtual device does not count {what}, which {name} needs"


@dataclass(frozen=True)
class Gpu:
    """A GPU of the recording, as the warnings of rocprofv3 call it."""

    node: int
    index: int
    name: str
    device: Device


def gpus_of(records: ProcessRecords) -> dict[int, Gpu]:
    """The GPUs of a recording by their node ids."""
    found = {}
    for record in records.all("agent"):
        if record.get("type") == "GPU":
            node, properties = integer(record, "id"), record.get("properties")
            facts: Mapping[str, object] = properties if isinstance(properties, dict) else {}
            index, name = integer(record, "type_index"), text(record, "name") or "unknown"
            found[node] = Gpu(node, index, name, Device(facts))
    return found


class CountedDispatches:
    """Takes the dispatches in the order of their launch and says what was counted of each."""

    def __init__(self, request: CounterRequest, gpus: Mapping[int, Gpu]) -> None:
        self._request = request
        self._gpus = gpus
        # A group of which a GPU knows nothing takes no turn there.
        self._groups = {
            node: [group for group in request.groups if request.known(group, gpu.index)]
            for node, gpu in gpus.items()
        }
        self._iterations: Tally[int] = Tally()
        self._dispatches: Tally[int] = Tally()
        self._any = False
        self._absent: dict[tuple[int, Group], dict[str, str]] = {}  # counter -> what it lacks

    def values(self, record: Record, kernel_name: str) -> dict[str, float]:
        """Counters of this dispatch by name; empty when it is not counted."""
        if not self._is_target(integer(record, "kernel"), kernel_name):
            return {}
        self._any = True
        node = integer(record, "agent")
        groups = self._groups.get(node)
        if not groups:
            return {}
        turn = self._dispatches[node] // self._request.interval
        self._dispatches[node] += 1
        return self._evaluate(node, groups[turn % len(groups)], record)

    def warnings(self) -> Iterator[str]:
        """What was asked for and is not there, in the words of rocprofv3; for every GPU."""
        if not self._any:
            return
        lacking: dict[str, None] = {}
        for node, gpu in sorted(self._gpus.items()):
            for group in self._request.groups:
                absent = self._absent.get((node, group), {})
                message = self._missing(gpu, group, absent)
                if message:
                    yield message
                for name, what in absent.items():
                    lacking[_NOT_COUNTED_BY_MODEL.format(what=what, name=name)] = None
        yield from lacking

    def _is_target(self, kernel: int, name: str) -> bool:
        filters = self._request.filters
        if not filters.match(name):
            return False
        self._iterations[kernel] += 1
        return filters.takes(self._iterations[kernel])

    def _evaluate(self, node: int, group: Group, record: Record) -> dict[str, float]:
        gpu, counted = self._gpus[node], record.get("counters")
        evaluator = Evaluator(
            self._request.catalogue, gpu.device, counted if isinstance(counted, dict) else {}
        )
        values = {}
        for name in self._request.known(group, gpu.index):
            try:
                values[name] = evaluator.value(name)
            except NotDelivered as absence:
                self._absent.setdefault((node, group), {})[name] = str(absence)
        return values

    def _missing(self, gpu: Gpu, group: Group, absent: Mapping[str, str]) -> str:
        own = [wanted for wanted in group if wanted.concerns(gpu.index)]
        found = [
            wanted.text
            for wanted in own
            if self._request.catalogue.find(wanted.name) and wanted.name not in absent
        ]
        missing = [wanted.text for wanted in own if wanted.text not in found]
        if not missing:
            return ""
        asked = ", ".join(wanted.text for wanted in group)
        return (
            f"Unable to find all counters for agent {gpu.node} (gpu-{gpu.index}, {gpu.name}) in "
            f"[{asked}]. Found: [{', '.join(found)}]. Missing: [{', '.join(missing)}]"
        )
