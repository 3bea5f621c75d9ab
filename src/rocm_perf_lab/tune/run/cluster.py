"""``--scheduler ADDRESS``: measurements on the workers of a Dask cluster.

Dask gives a question to another worker when the one that had it is lost. A worker that is much
slower than the others is duplicated: the same question goes out once more and the first answer
counts. Nothing here decides what is asked; that is the search's, in its own order.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import queue
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Optional, Union

from rocm_perf_lab.collect.rocprof.options import SILENT
from rocm_perf_lab.errors import PerfLabError, ToolFailed, ToolMissing
from rocm_perf_lab.trace.files.temporary import temporary_folder
from rocm_perf_lab.tune.measurement import Configuration, Measurement
from rocm_perf_lab.tune.run.gpus import CHOICES
from rocm_perf_lab.tune.run.program import Program
from rocm_perf_lab.tune.run.spec import ProgramSpec
from rocm_perf_lab.tune.run.workers import lost

CONNECT_S = 20
STRAGGLER_TIMES = 5.0  # the median of what the others took
STRAGGLER_LEAST_S = 60.0
_LOOK_S = 1.0
_RESUME = "what was measured is in the journal: the same command with --resume goes on"


@dataclass
class _Question:
    configuration: Configuration
    best: Optional[float]
    futures: list[Any] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)


class Cluster:
    """``client`` is a ``distributed.Client``."""

    def __init__(
        self, client: Any, spec: ProgramSpec, straggler_s: float = STRAGGLER_LEAST_S
    ) -> None:
        self._client = client
        self._spec = spec
        self._least = straggler_s
        self._open: dict[int, _Question] = {}
        self._arrived: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._took: list[float] = []

    def start(self, number: int, configuration: Configuration, best: Optional[float]) -> None:
        question = _Question(configuration, best)
        self._open[number] = question
        self._submit(number, question)

    def next_done(self) -> tuple[int, Measurement]:
        while True:
            try:
                number, future = self._arrived.get(timeout=_LOOK_S)
            except queue.Empty:
                self._double_stragglers()
                continue
            if number in self._open:  # else the second answer to a question
                return number, self._result(number, future)

    def _submit(self, number: int, question: _Question) -> None:
        """A try has a key of its own: never the remembered answer of another tuning."""
        key = f"rocm-perf-{os.getpid()}-{number}-{len(question.futures)}-{time.monotonic_ns()}"
        future = self._client.submit(
            measure_there,
            self._spec,
            dict(question.configuration),
            question.best,
            key=key,
            pure=False,
            priority=-number,
        )
        question.futures.append(future)
        future.add_done_callback(lambda done: self._arrived.put((number, done)))

    def _result(self, number: int, future: Any) -> Measurement:
        dask = _distributed()
        question = self._open.pop(number)
        try:
            answer: Union[Measurement, PerfLabError] = future.result()
        except dask.KilledWorker:
            return lost(question.configuration)
        except dask.CancelledError:
            raise ToolFailed("the scheduler is gone", _RESUME) from None
        for other in question.futures:
            if other is not future:
                other.cancel()
        if isinstance(answer, PerfLabError):
            raise answer
        self._took.append(time.monotonic() - question.since)
        return answer

    def _double_stragglers(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise ToolFailed("the scheduler is gone", _RESUME)
        if not self._took:
            return
        limit = max(self._least, STRAGGLER_TIMES * statistics.median(self._took))
        for number, question in self._open.items():
            is_late = time.monotonic() - question.since > limit
            if is_late and len(question.futures) == 1:
                self._submit(number, question)


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise ToolMissing(
            "--scheduler needs Dask distributed", 'pip install "rocm-perf-lab[cluster]"'
        ) from None


@contextmanager
def cluster(spec: ProgramSpec, address: str) -> Iterator[Cluster]:
    """Workers run in the folder where we are, which they need to see at the same place."""
    plain = replace(spec, options=replace(spec.options, progress=SILENT), cwd=Path.cwd())
    try:
        client = _distributed().Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ToolMissing(
            f"no scheduler answers at {address}: {error}", "start one with: dask scheduler"
        ) from None
    with client:
        yield Cluster(client, plain)


# --- on a worker ----------------------------------------------------------------------------------

_PROGRAMS: dict[str, Program] = {}
_ALONE = threading.Lock()  # a worker may have several threads; its GPU has one measurement


def measure_there(
    spec: ProgramSpec, configuration: dict[str, Any], best: Optional[float]
) -> Union[Measurement, PerfLabError]:
    """Our own errors are returned as answers: Dask would retry, and lose their message."""
    try:
        with _ALONE, _gpu_lock(spec):
            return _program(spec).measure(configuration, best)
    except PerfLabError as error:
        return error


def _program(spec: ProgramSpec) -> Program:
    """One for each tuning, with a folder that lasts as long as the worker: builds are kept."""
    key = repr(spec)
    if key not in _PROGRAMS:
        opened = contextlib.ExitStack()
        folder = opened.enter_context(temporary_folder("worker"))
        atexit.register(opened.close)
        _PROGRAMS[key] = spec.open(folder)
    return _PROGRAMS[key]


@contextmanager
def _gpu_lock(spec: ProgramSpec) -> Iterator[None]:
    """Workers of one machine that share a GPU take turns."""
    if not spec.is_recorded:
        yield
        return
    seen = "-".join(os.environ.get(name, "") for name in CHOICES)
    safe = "".join(char if char.isalnum() else "-" for char in seen)
    path = Path(tempfile.gettempdir()) / f"rocm-perf-{os.getuid()}-gpu-{safe}.lock"
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
