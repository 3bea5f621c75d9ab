"""Several workers: the same questions, every answer once, whoever is quick, slow or lost."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Optional

import pytest

pytest.importorskip("sklearn")

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.reporters.decisions.tuning import render_tuning
from rocm_perf_lab.tune.document import tuning_document
from rocm_perf_lab.tune.journal import Journal, header_of, key_of, read_journal
from rocm_perf_lab.tune.measurement import Configuration, Measurement
from rocm_perf_lab.tune.request import Tuned, TuneRequest
from rocm_perf_lab.tune.run.builds import Builds
from rocm_perf_lab.tune.run.gpus import Gpus, environments
from rocm_perf_lab.tune.run.spec import Commands, ProgramSpec
from rocm_perf_lab.tune.run.template import read_template
from rocm_perf_lab.tune.space.space_file import space_of
from rocm_perf_lab.tune.tuning import Tuner, Tuning

SPACE = space_of({"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": [1, 2, 4, 8]})
HEADER = header_of(SPACE, "runtime", {})
PATTERN = "stdout:time=([0-9.]+)"
PROGRAM = """\
import os, sys, time
a, b, log = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
time.sleep(0.05)
if a == 8: sys.exit(3)
with open(log, "a") as file: file.write("%d %d %s\\n" % (a, b, os.environ.get("GPU", "")))
print("time=%g" % (abs(a - 3) + b / 8 + 1))
"""


def answer(configuration: Configuration) -> Measurement:
    a, b = int(configuration["a"]), int(configuration["b"])
    if a == 8:
        return Measurement(configuration, "failed", reason="exit code 3")
    return Measurement(configuration, "ok", abs(a - 3) + b / 8 + 1, machine="m")


class Unordered:
    """Answers in any order, as a cluster does."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._open: list[tuple[int, Configuration]] = []

    def measure(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        raise AssertionError("workers do that")

    def start(self, number: int, configuration: Configuration, best: Optional[float]) -> None:
        self._open.append((number, configuration))

    def next_done(self) -> tuple[int, Measurement]:
        number, configuration = self._open.pop(self._rng.randrange(len(self._open)))
        return number, answer(configuration)


def tuned(seed: int, path: Optional[Path] = None, ahead: int = 5) -> Tuning:
    journal = Journal(HEADER) if path is None else Journal.open(path, HEADER, resume=path.exists())
    workers = Unordered(seed)
    return Tuner(SPACE, workers, journal, 16, workers=workers, ahead=ahead).run()


def test_the_order_of_answers_changes_nothing(tmp_path: Path) -> None:
    first, second = tuned(1), tuned(2, tmp_path / "j")
    assert first.measurements == second.measurements
    assert len(first.measurements) == 16
    assert len({key_of(one.configuration) for one in first.measurements}) == 16
    assert tuned(3, tmp_path / "j").resumed == 16
    assert len((tmp_path / "j").read_text().splitlines()) == 17
    assert first.machines == {"m": sum(one.value is not None for one in first.measurements)}


class TwoKinds:
    """A cluster of two kinds of GPU."""

    def measure(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        del best
        other = "gfx942, 304 CUs" if configuration["b"] == 1 else "gfx90a, 104 CUs"
        return replace(answer(configuration), machine=other)


def test_different_machines_are_never_mixed_without_saying_so() -> None:
    one = Tuned(tuned(1), "ms", False, HEADER)
    document = tuning_document(one, TuneRequest())
    assert (document.mixed_machines, list(document.machines)) == (False, ["m"])
    assert "different machines" not in render_tuning(document)
    two = Tuned(Tuner(SPACE, TwoKinds(), Journal(HEADER), 16).run(), "ms", False, HEADER)
    mixed = tuning_document(two, TuneRequest())
    assert mixed.mixed_machines
    assert sum(mixed.machines.values()) == 16
    text = " ".join(render_tuning(mixed).split())
    assert "Warning: one model of different machines:" in text
    assert f"{mixed.machines['gfx942, 304 CUs']} on gfx942, 304 CUs" in text


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.py"
    path.write_text(PROGRAM)
    return path


def spec(script: Path, log: Path) -> ProgramSpec:
    command = f"{sys.executable} -S {script} {{a}} {{b}} {log}"
    return ProgramSpec(Commands(command), ("a", "b"), PATTERN)


def test_a_lost_process_costs_nothing(script: Path, tmp_path: Path) -> None:
    workers = Gpus(spec(script, tmp_path / "log"), tmp_path, [{"GPU": "0"}, {"GPU": "1"}])
    try:
        for number in range(1, 5):
            workers.start(number, {"a": number, "b": 1}, None)
        victim = workers._workers[0].process
        assert victim is not None
        assert victim.pid is not None
        os.kill(victim.pid, signal.SIGKILL)
        found = dict(workers.next_done() for _ in range(4))
    finally:
        workers.close()
    assert {number: one.value for number, one in found.items()} == {
        number: abs(number - 3) + 1 / 8 + 1 for number in range(1, 5)
    }
    ran = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert {gpu for _, _, gpu in ran} == {"0", "1"}


def test_one_gpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROCR_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "2, 5,7")
    assert environments(2, None) == [{"HIP_VISIBLE_DEVICES": "2"}, {"HIP_VISIBLE_DEVICES": "5"}]
    with pytest.raises(UsageError, match="--jobs 4, but there are 3 GPUs in HIP_VISIBLE_DEVICES"):
        environments(4, None)


def test_two_processes_build_the_same_once(tmp_path: Path) -> None:
    code = "import sys,time; time.sleep(.2); open(sys.argv[1]+'.log','a').write('x'); "
    code += "open(sys.argv[1],'w')"
    template = read_template(
        f'{sys.executable} -S -c "{code}" {{output}}', "b", frozenset(["output"])
    )
    makers = [Builds(template, tmp_path) for _ in range(3)]
    threads = [threading.Thread(target=maker.build, args=({},)) for maker in makers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert next(tmp_path.glob("*.log")).read_text() == "x"
    assert len({maker.build({}).program for maker in makers}) == 1


# --- a cluster ------------------------------------------------------------------------------------


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    distributed = pytest.importorskip("distributed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    port = address.rpartition(":")[2]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    scheduler = subprocess.Popen([*start, "--port", port, "--no-dashboard"], **quiet)  # type: ignore[call-overload]
    start = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
    start += ["--nthreads", "1", "--no-dashboard", "--death-timeout", "60"]
    workers = [subprocess.Popen(start, **quiet) for _ in range(4)]  # type: ignore[call-overload]
    try:
        with distributed.Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(4, timeout=60)
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def command(script: Path, tmp_path: Path, name: str) -> list[str]:
    space = tmp_path / "space.json"
    parameters = {p.name: list(p.values) for p in SPACE.parameters}
    space.write_text(json.dumps(parameters))
    words = f"{sys.executable} -S {script} {{a}} {{b}} {tmp_path / name}.log"
    return [
        *("autotune", "--space", str(space), "--cmd-template", words, "--objective", PATTERN),
        *("--repeat", "1", "--budget", "14", "--ahead", "6", "--no-judge", "--json"),
        *("--journal", str(tmp_path / f"{name}.jsonl")),
    ]


def test_a_cluster_that_loses_two_of_four_workers_finds_the_same(
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    script: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address, workers = cluster
    log = tmp_path / "many.log"

    def kill_two() -> None:
        while not log.exists() or len(log.read_text().splitlines()) < 6:
            time.sleep(0.01)
        for worker in workers[:2]:
            worker.kill()

    killer = threading.Thread(target=kill_two, daemon=True)
    killer.start()
    assert main([*command(script, tmp_path, "many"), "--scheduler", address]) == 0
    many = json.loads(capsys.readouterr().out)
    killer.join(1)
    assert [worker.poll() for worker in workers] == [-9, -9, None, None]
    assert main(command(script, tmp_path, "one")) == 0
    one = json.loads(capsys.readouterr().out)
    assert many == one
    assert many["under_way"] == 6
    lines = (tmp_path / "many.jsonl").read_text().splitlines()[1:]
    keys = [key_of(json.loads(line)["configuration"]) for line in lines]
    assert len(keys) == len(set(keys)) == 14
    assert read_journal(tmp_path / "many.jsonl").known == read_journal(tmp_path / "one.jsonl").known


def test_no_scheduler_there(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    words = [*command(script, tmp_path, "none"), "--scheduler", "127.0.0.1:bad"]
    assert main(words) == 3
    assert "no scheduler answers at 127.0.0.1:bad" in capsys.readouterr().err


def test_kill_9_and_resume(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command(script, tmp_path, "one")
    start = [sys.executable, "-m", "rocm_perf_lab.cli.main", *words]
    process = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = tmp_path / "one.jsonl"
    while not journal.exists() or len(journal.read_text().splitlines()) < 6:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert main([*words, "--resume"]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert main(command(script, tmp_path, "whole")) == 0
    whole = json.loads(capsys.readouterr().out)
    assert resumed["resumed"] >= 5
    assert resumed["measurements"] == whole["measurements"]
