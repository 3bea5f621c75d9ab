"""Do both commands print the same? A time of a program that computes something else is no gain."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, Optional

from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.measure.meter import Command
from rocm_perf_lab.prove.oracle.application import Output, compare_outputs
from rocm_perf_lab.prove.oracle.report import Stage

OutputWord = Literal["same", "different", "not compared"]


@dataclass(frozen=True)
class PrintedOutput:
    word: OutputWord
    reason: str


NOT_RUN = PrintedOutput("not compared", "nothing was run: recordings and profiles hold no output")
NOT_ASKED = PrintedOutput("not compared", "the commands were not run for it")


def compare_printed(
    base: Command, head: Command, timeout_s: Optional[float] = None
) -> PrintedOutput:
    """Runs BASE twice, which shows what of its output varies, and HEAD once. None is measured."""
    runs = []
    for side, command in (("BASE", base), ("BASE", base), ("HEAD", head)):
        try:
            runs.append(_printed(command, timeout_s))
        except OSError as error:
            return PrintedOutput("not compared", f"{side} does not start: {error.strerror}")
        if side == "BASE" and not runs[-1].ok:
            return PrintedOutput("not compared", f"BASE ended: {runs[-1].ending}")
    return _judged(compare_outputs(runs[0], runs[1], runs[2])[0])


def _judged(stage: Stage) -> PrintedOutput:
    if stage.verdict == "pass":
        return PrintedOutput("same", stage.detail)
    if stage.verdict == "fail":
        return PrintedOutput("different", stage.detail)
    return PrintedOutput("not compared", stage.detail)


def _printed(command: Command, timeout_s: Optional[float]) -> Output:
    result = run_process(
        command.words,
        env={**os.environ, **command.env},
        cwd=command.cwd,
        timeout_s=timeout_s,
        stdout=Stdout.CAPTURE,
        stdin_closed=True,
    )
    return Output(result.ending, result.ok, result.stdout, {})
