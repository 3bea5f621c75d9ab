"""``--jobs N``: a process per GPU of this machine, one measurement at a time on each.

A process and not a thread: a signal then ends what it measures as well. One that ends by itself is
started again, and what it measured is measured again.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.doctor.runtime_gpus import runtime_gpus
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.errors import PerfLabError, ToolMissing, UsageError
from rocm_perf_lab.tune.measurement import Configuration, Measurement
from rocm_perf_lab.tune.run.spec import ProgramSpec
from rocm_perf_lab.tune.run.workers import MOST_LOST, lost

# In the order in which they take effect last: HIP numbers what ROCr lets through.
CHOICES = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_SPAWN = get_context("spawn")


def environments(jobs: int, prefix: Optional[Prefix]) -> list[dict[str, str]]:
    """One GPU each, of those that the user lets us see. Without ROCm there is none to choose."""
    for variable in CHOICES:
        chosen = [word for word in os.environ.get(variable, "").split(",") if word.strip()]
        if chosen:
            return _first(jobs, [{variable: word.strip()} for word in chosen], f" in {variable}")
    if prefix is None:
        return [{} for _ in range(jobs)]
    count = len(runtime_gpus(prefix).gpus)
    return _first(jobs, [{"ROCR_VISIBLE_DEVICES": str(n)} for n in range(count)], "")


def _first(jobs: int, found: list[dict[str, str]], where: str) -> list[dict[str, str]]:
    if jobs > len(found):
        raise UsageError(
            f"--jobs {jobs}, but there are {len(found)} GPUs{where}",
            "one measurement at a time on each GPU; name at most as many jobs",
        )
    return found[:jobs]


def optional_prefix(spec: ProgramSpec) -> Optional[Prefix]:
    """A program that prints its own time may still run on a GPU."""
    try:
        return find_prefix(spec.rocm)
    except ToolMissing:
        return None


@dataclass
class _Question:
    number: int
    configuration: Configuration
    best: Optional[float]
    tries: int = 0


class _Worker:
    """A process, its pipe, and what it is measuring."""

    def __init__(self, spec: ProgramSpec, folder: Path, environment: Mapping[str, str]) -> None:
        self._how = (spec, folder, dict(environment))
        self.question: Optional[_Question] = None
        self.process: Optional[BaseProcess] = None
        self.pipe: Optional[Connection] = None

    def ask(self, question: _Question) -> None:
        if self.process is None:
            self.pipe, theirs = _SPAWN.Pipe()
            self.process = _SPAWN.Process(target=_serve, args=(theirs, *self._how), daemon=True)
            self.process.start()
            theirs.close()
        question.tries += 1
        self.question = question
        assert self.pipe is not None
        with suppress(OSError):  # it has ended: whoever waits for the answer finds out
            self.pipe.send((dict(question.configuration), question.best))

    def end(self) -> None:
        if self.process is not None and self.pipe is not None:
            self.pipe.close()
            self.process.terminate()  # it ends what it runs
            self.process.join()
        self.process = self.pipe = None


class Gpus:
    def __init__(
        self, spec: ProgramSpec, folder: Path, places: Sequence[Mapping[str, str]]
    ) -> None:
        self._waiting: deque[_Question] = deque()
        self._workers = [_Worker(spec, folder, place) for place in places]

    def start(self, number: int, configuration: Configuration, best: Optional[float]) -> None:
        self._waiting.append(_Question(number, configuration, best))
        self._hand_out()

    def next_done(self) -> tuple[int, Measurement]:
        while True:
            self._hand_out()
            busy = {worker.pipe: worker for worker in self._workers if worker.question is not None}
            pipes = [pipe for pipe in busy if pipe is not None]
            for pipe in connection.wait(pipes):
                assert isinstance(pipe, Connection)
                found = self._answer(busy[pipe])
                if found is not None:
                    return found

    def _answer(self, worker: _Worker) -> Optional[tuple[int, Measurement]]:
        question, worker.question = worker.question, None
        assert question is not None
        assert worker.pipe is not None
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            worker.end()
            if question.tries >= MOST_LOST:
                return question.number, lost(question.configuration)
            self._waiting.appendleft(question)
            return None
        if isinstance(answer, BaseException):
            raise answer
        return question.number, answer

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.question is None and self._waiting:
                worker.ask(self._waiting.popleft())

    def close(self) -> None:
        for worker in self._workers:
            worker.end()


@contextmanager
def gpus(spec: ProgramSpec, folder: Path, jobs: int) -> Iterator[Gpus]:
    prefix = spec.prefix() or optional_prefix(spec)
    workers = Gpus(spec, folder, environments(jobs, prefix))
    try:
        yield workers
    finally:
        workers.close()


def _serve(
    pipe: Connection, spec: ProgramSpec, folder: Path, environment: Mapping[str, str]
) -> None:
    """A worker's whole life. Ctrl-C reaches every process of the terminal; the first one decides
    and ends the others with SIGTERM."""
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        program = spec.open(folder, environment)
        while True:
            configuration, best = pipe.recv()
            pipe.send(program.measure(configuration, best))
    except PerfLabError as error:
        pipe.send(error)
    except (EOFError, OSError):
        return  # who asked is gone
