"""From the records of one process to the thread traces of its dispatches."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.files.beside import written_beside
from rocm_perf_lab.vrocm.att.file import ThreadTrace, read_thread_trace
from rocm_perf_lab.vrocm.att.options import ThreadTraceRequest
from rocm_perf_lab.vrocm.att.output import TracedDispatch, write_dispatch
from rocm_perf_lab.vrocm.recording.periods import TimeFilter
from rocm_perf_lab.vrocm.recording.records import ProcessRecords, Record, integer, text
from rocm_perf_lab.vrocm.recording.trace import numbered_launches


@dataclass(frozen=True)
class Written:
    """The outcome of the thread traces of one process."""

    files: tuple[Path, ...]
    warnings: tuple[str, ...]


class ThreadTraceWriter:
    """``folder`` is where the virtual device left its files."""

    def __init__(self, request: ThreadTraceRequest, times: TimeFilter, folder: Path) -> None:
        self._request = request
        self._times = times
        self._folder = folder

    def write(self, records: ProcessRecords, directory: Path, stem: Path) -> Written:
        """Everything directly under ``directory``, code objects as ``stem`` says."""
        files: list[Path] = []
        warnings: list[str] = []
        process = _Process(records)
        for number, record in numbered_launches(records, self._times):
            file = text(record, "thread_trace")
            if file is None or not self._is_chosen(process.agent(record)):
                continue
            try:
                trace = read_thread_trace(self._folder / file)
            except RecordingError as error:
                warnings.append(error.cause)
                continue
            dispatch = process.dispatch(record, number)
            files += write_dispatch(trace, dispatch, directory)
            warnings += self._troubles(trace, dispatch)
        if files:
            files += _copy_code_objects(process, self._folder, stem)
        return Written(tuple(files), tuple(warnings))

    def _is_chosen(self, agent: Record) -> bool:
        return not self._request.gpus or integer(agent, "type_index") in self._request.gpus

    def _troubles(self, trace: ThreadTrace, dispatch: TracedDispatch) -> Iterator[str]:
        of = f"thread trace of dispatch {dispatch.number} ({dispatch.kernel})"
        if not trace.waves:
            yield (
                f"{of}: no wave ran on CU {self._request.target_cu} of shader engines "
                f"{self._request.engine_mask:#x}: use a larger grid, or --att-target-cu 0"
            )
        if trace.lost:
            yield f"{of}: {trace.lost} instructions did not fit: raise --att-buffer-size"
        elif trace.cut_waves:
            yield f"{of}: the ends of {trace.cut_waves} waves are missing"


class _Process:
    def __init__(self, records: ProcessRecords) -> None:
        self._agents = {integer(record, "id"): record for record in records.all("agent")}
        self._kernels = {integer(record, "id"): record for record in records.all("kernel")}
        self.code_objects = [
            record for record in records.all("code_object") if record.get("loaded") is not False
        ]

    def agent(self, record: Record) -> Record:
        return self._agents.get(integer(record, "agent"), {})

    def dispatch(self, record: Record, number: int) -> TracedDispatch:
        kernel = self._kernels.get(integer(record, "kernel"), {})
        own = integer(kernel, "code_object")
        # Another code object may have been at the same address before or after.
        loaded = sorted(self.code_objects, key=lambda c: integer(c, "id") == own)
        return TracedDispatch(
            agent=integer(record, "agent"),  # our own handle would differ from run to run
            number=number,
            kernel=text(record, "name") or "",
            start_ns=integer(record, "start_ns"),
            code_objects={integer(c, "load_delta"): integer(c, "id") for c in loaded},
        )


def _copy_code_objects(process: _Process, folder: Path, stem: Path) -> list[Path]:
    """Every code object of which the virtual device left a copy."""
    written = []
    for record in process.code_objects:
        file = text(record, "file")
        if file is None or not (folder / file).is_file():
            continue
        target = text(process.agent(record), "name") or "unknown"
        name = f"{stem.name}_{target}_code_object_id_{integer(record, 'id')}.out"
        stem.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(stem.with_name(name)) as beside:
            shutil.copyfile(folder / file, beside)
        written.append(stem.with_name(name))
    return written
