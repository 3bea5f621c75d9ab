"""One run of the application under the profiler, and the recording that it leaves."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ApplicationFailed
from rocm_perf_lab.vrocm.att.options import VARIABLES as THREAD_TRACE_VARIABLES
from rocm_perf_lab.vrocm.profiler.application import Ending, run_application
from rocm_perf_lab.vrocm.profiler.output import (
    check_writable,
    has_events,
    write_process,
    write_summaries,
)
from rocm_perf_lab.vrocm.profiler.output_names import NamedProcess
from rocm_perf_lab.vrocm.profiler.refusal import (
    COUNTERS_VARIABLE,
    REFUSAL_VARIABLES,
    Refusal,
    counter_refusal,
)
from rocm_perf_lab.vrocm.profiler.session import Session
from rocm_perf_lab.vrocm.recording.device_time import on_one_clock
from rocm_perf_lab.vrocm.recording.domains import recorder_words
from rocm_perf_lab.vrocm.recording.noise import noise_of
from rocm_perf_lab.vrocm.recording.records import ProcessRecords, integer, read_folder
from rocm_perf_lab.vrocm.recording.trace import build_trace

# What the virtual runtime listens to (native/vgpu/hip/record/recorder.h).
_FOLDER_VARIABLE, _DOMAINS_VARIABLE = "VROCM_TRACE", "VROCM_TRACE_DOMAINS"
_DEVICES_VARIABLE = "VROCM_DEVICES"


def run_session(session: Session, application: Sequence[str], root: Optional[Path]) -> Ending:
    """Run, and write what was recorded, however the application ended. Raises ``OSError``."""
    for warning in session.warnings:
        _warn(session, warning)
    check_writable(session.directory)
    folder = Path(tempfile.mkdtemp(prefix="rocprofv3-", dir=os.environ.get("ROCPROF_TMPDIR")))
    launched = time.localtime()
    try:
        refusal = counter_refusal(session.selection, _gpu_count())
        environment = _environment(session, root, folder, refusal)
        try:
            ending = run_application(application, environment)
        except OSError as error:
            raise ApplicationFailed(
                f"cannot start {application[0]}: {error.strerror}",
                "check its path and that it is executable",
            ) from error
        if ending.signal_number:
            _warn(session, f"the application was ended by {ending.signal_name}")
        processes = on_one_clock(read_folder(folder))
        if refusal is not None:
            ending = refusal.ending(ending, processes)
            session = replace(session, selection=refusal.selection_without_counters)
        recording = _Recording(session, application, environment, launched)
        if session.selection.records_anything:
            recording.write(processes)
        if session.thread_trace is not None:
            recording.write_thread_traces(processes, folder)
        return ending
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def say(message: str) -> None:
    print(f"[rocprofv3] {message}", file=sys.stderr, flush=True)


def _warn(session: Session, message: str) -> None:
    if session.logs("warning"):
        say(f"Warning: {message}")


def _gpu_count() -> int:
    """How many GPUs the virtual machine of the application has (native/vgpu/hsa/agent/agent.h)."""
    told = os.environ.get(_DEVICES_VARIABLE, "")
    return int(told) if told.isdigit() else 1


def _environment(
    session: Session, root: Optional[Path], folder: Path, refusal: Optional[Refusal]
) -> dict[str, str]:
    """The caller's environment, with the recorder on and the libraries of the prefix."""
    environment = dict(os.environ)
    environment.pop(_FOLDER_VARIABLE, None)
    for name in (COUNTERS_VARIABLE, *REFUSAL_VARIABLES, *THREAD_TRACE_VARIABLES):
        environment.pop(name, None)
    if session.selection.counters is not None:
        environment[COUNTERS_VARIABLE] = "1"
    if refusal is not None:
        environment.update(refusal.environment())
    if session.thread_trace is not None:
        environment.update(session.thread_trace.environment())
    if session.recorded_domains:
        environment[_FOLDER_VARIABLE] = str(folder)
        environment[_DOMAINS_VARIABLE] = recorder_words(session.recorded_domains)
    if root is not None:
        libraries = [environment.get("LD_LIBRARY_PATH", ""), str(root / "lib")]
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, libraries))
    if session.preload:
        preload = [*session.preload, environment.get("LD_PRELOAD", "")]
        environment["LD_PRELOAD"] = ":".join(filter(None, preload))
    return environment


class _Recording:
    """The files of one run."""

    def __init__(
        self,
        session: Session,
        application: Sequence[str],
        environment: Mapping[str, str],
        launched: time.struct_time,
    ) -> None:
        self._session = session
        self._application = application
        self._environment = environment
        self._launched = launched
        self._hostname = socket.gethostname()
        self._written: dict[Path, int] = {}  # and the process of which it is

    def write(self, processes: Sequence[ProcessRecords]) -> None:
        traces = []
        for records in processes:
            guid = str(uuid.uuid4())
            selection, noise = self._session.selection, noise_of(self._environment)
            trace = build_trace(records, selection, self._hostname, guid, noise)
            for warning in trace.warnings:
                _warn(self._session, warning)
            if has_events(trace):
                traces.append(trace)
                for path in write_process(trace, self._session, self._named(records)):
                    self._note_written(path, records.pid, "put %pid% into the name")
        write_summaries(traces, self._session)
        if not traces:
            _warn(self._session, _nothing_recorded(processes))

    def write_thread_traces(self, processes: Sequence[ProcessRecords], folder: Path) -> None:
        """``folder`` is where the virtual device left them."""
        from rocm_perf_lab.vrocm.att.recording import ThreadTraceWriter  # slow to import, and rare

        assert self._session.thread_trace is not None
        times, directory = self._session.selection.times, self._session.directory
        writer = ThreadTraceWriter(self._session.thread_trace, times, folder)
        nothing = True
        for records in processes:
            stem = directory / self._named(records).expand(self._session.prefix)
            written = writer.write(records, directory, stem)
            for warning in written.warnings:
                _warn(self._session, warning)
            for path in written.files:
                nothing = False
                self._note_written(path, records.pid, "trace one process at a time")
        if nothing:
            _warn(self._session, "no thread trace was taken: no kernel that was chosen ran")

    def _named(self, records: ProcessRecords) -> NamedProcess:
        command = records.process.get("command")
        return NamedProcess(
            self._hostname,
            records.pid,
            integer(records.process, "ppid", missing=os.getpid()),
            command if isinstance(command, list) else self._application,
            self._environment,
            self._launched,
        )

    def _note_written(self, path: Path, pid: int, cure: str) -> None:
        if path in self._written:
            if self._written[path] == pid:
                cure = "it went on as another program (exec); trace its programs one at a time"
            _warn(
                self._session,
                f"{path} of process {self._written[path]} is replaced by that of process "
                f"{pid}: {cure}",
            )
        self._written[path] = pid
        if self._session.logs("error"):
            say(f"Opened result file: {path}")


def _nothing_recorded(processes: Sequence[ProcessRecords]) -> str:
    if processes:
        return "nothing was recorded: the application did nothing of what was to be traced"
    return "nothing was recorded: no process used the HIP runtime of the virtual ROCm"
