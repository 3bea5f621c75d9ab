"""`rocm-perf compare` on two commands, again and again, on the virtual device with `VROCM_NOISE`.

How often is a kernel that became 5 % slower a regression with exit code 1, and the same program no
change? Every trial is the verb with its defaults and a series of noise of its own. Only the start
of an interpreter per profiled process is saved: `rocprofv3` is the same code in a fork of this
process. `--trials 100 --noise typical,quiet` chooses; about 5 s of CPU per trial.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Optional
from unittest import mock

from rocm_perf_lab.cli.main import main as rocm_perf
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.collect.process import ProcessResult, run_process
from rocm_perf_lab.measure import blocks
from rocm_perf_lab.measure.meter import Command, Meter, MeterOptions
from rocm_perf_lab.prove.judge.trials import Rate
from rocm_perf_lab.vrocm import rocprofv3
from rocm_perf_lab.vrocm.profiler import run as profiler_run

SOURCE = Path(__file__).parent / "kernels" / "compare" / "two_kernels.hip"
BASE, SLOWER = 2000, 2115  # turns of the loop: 5.0 % more time of that kernel
TRIALS = {"typical": 100, "quiet": 30, "noisy": 30}
assert profiler_run, "imported before the forks, so that none of them has to"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--noise", default=",".join(TRIALS), help=f"of {', '.join(TRIALS)}")
    parser.add_argument("--jobs", type=int, help="trials at a time (one per core)")
    parser.add_argument("--trials", type=int, help="of each; 100 typical, 30 of the others")
    arguments = parser.parse_args(argv)
    started, missed = time.monotonic(), 0
    print("| VROCM_NOISE | commands | regression | no change | improvement | undecided | blocks |")
    print("|---|---|---|---|---|---|---|")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(profiler_in_forks())
        pool = stack.enter_context(multiprocessing.get_context("fork").Pool(arguments.jobs))
        app = _built(folder)
        for name in arguments.noise.split(","):
            trials = range(arguments.trials or TRIALS[name])
            for head in (BASE, SLOWER):
                found = pool.map(partial(_trial, app, head, name), trials, chunksize=1)
                missed += _report(name, head, found)
    print(f"\n{(time.monotonic() - started) / 60:.0f} minutes")
    return 1 if missed else 0


def _report(name: str, head: int, found: Sequence[Mapping[str, Any]]) -> int:
    words = Counter(one["verdict"] for one in found)
    assert all((one["exit_code"] == 1) == (one["verdict"] == "regression") for one in found)
    what = "the same twice" if head == BASE else "one kernel 5 % slower"
    mean = sum(one["method"]["blocks"] for one in found) / len(found)
    cells = " | ".join(
        f"{words.get(word, 0)} of {len(found)}"
        for word in ("regression", "no change", "improvement", "inconclusive")
    )
    print(f"| {name} | {what} | {cells} | {mean:.0f} |", flush=True)
    if head == BASE:
        return int(words["regression"] + words["improvement"] > 0)
    return int(name == "typical" and Rate(words["regression"], len(found)).share < 0.95)


def _built(folder: Path) -> Path:
    app = folder / "app"
    hipcc = find_prefix(None).path / "bin" / "hipcc"
    subprocess.run([str(hipcc), "-O2", str(SOURCE), "-o", str(app)], check=True)
    return app


def _trial(app: Path, head: int, noise: str, number: int) -> Mapping[str, Any]:
    counted = app.parent / f"processes-{noise}-{head}-{number}"
    os.environ["VROCM_NOISE"] = f"{number + 1}:{noise}:{counted}"
    words = ["compare", "--json", "--fail-on", "regression", "--seed", str(number)]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = rocm_perf([*words, f"{app} {BASE}", f"{app} {head}"])
    return {**json.loads(output.getvalue()), "exit_code": code}


@contextlib.contextmanager
def profiler_in_forks() -> Iterator[None]:
    def run(argv: Sequence[str], **options: Any) -> ProcessResult:
        if len(argv) < 3 or Path(argv[0]).name != "rocprofv3" or "--" not in argv:
            return run_process(argv, **options)
        return _forked(argv, options.get("env"), options.get("cwd"))

    def meter(command: Command, prefix: Prefix, space: Path, options: MeterOptions) -> Meter:
        return Meter(command, prefix, space, replace(options, start=run))

    with mock.patch.object(blocks, "Meter", meter):
        yield


def _forked(
    argv: Sequence[str], env: Optional[Mapping[str, str]], cwd: Optional[Path]
) -> ProcessResult:
    start = time.perf_counter_ns()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            if env is not None:
                os.environ.clear()
                os.environ.update(env)
            os.chdir(cwd or ".")
            prefix = Path(argv[0]).resolve().parents[1]
            status = rocprofv3.main(["--rocm-root", str(prefix), *argv[1:]])
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return ProcessResult(
        argv=tuple(argv),
        exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        timed_out=False,
        wall_ns=time.perf_counter_ns() - start,
        stderr_tail="",
        stdout=b"",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
