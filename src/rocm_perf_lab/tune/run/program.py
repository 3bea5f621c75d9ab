"""The user's program as an evaluator: a configuration is built, checked, and timed a few times."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.options import SILENT, Progress, Step
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.errors import ApplicationFailed, NothingRecorded
from rocm_perf_lab.measure.meter import Command, Meter, MeterOptions
from rocm_perf_lab.tune.measurement import Configuration, Measurement, Status
from rocm_perf_lab.tune.run.builds import Builds
from rocm_perf_lab.tune.run.objective import Objective
from rocm_perf_lab.tune.run.template import OUTPUT, Template

UNSTABLE_CV = 0.05
_MOST_OUTPUT = 1 << 20


@dataclass(frozen=True)
class ProgramOptions:
    repeat: int = 3
    hopeless: float = 1.3  # times the best: further repeats would not change that
    timeout_s: Optional[float] = None
    echo_stderr: bool = False
    progress: Progress = SILENT


@dataclass(frozen=True)
class Templates:
    command: Template
    environment: Mapping[str, Template] = field(default_factory=dict)
    verify: Optional[Template] = None


@dataclass
class Program:
    """``space`` is a folder for recordings; ``builds`` is None when nothing is built."""

    templates: Templates
    objective: Objective
    prefix: Optional[Prefix]  # None where nothing is recorded
    space: Path
    builds: Optional[Builds] = None
    options: ProgramOptions = field(default_factory=ProgramOptions)

    def measure(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        values: dict[str, object] = dict(configuration)
        if self.builds is not None:
            build = self.builds.build(configuration)
            if build.problem is not None:
                return Measurement(configuration, "build-failed", reason=build.problem)
            values[OUTPUT] = build.program
        try:
            wrong = self._wrong(values)
            if wrong is not None:
                return Measurement(configuration, "wrong", reason=wrong)
            return self._timed(configuration, self.command_of(values), best)
        except ApplicationFailed as error:
            status: Status = "timeout" if "time limit" in error.cause else "failed"
            return Measurement(configuration, status, reason=error.cause)
        except NothingRecorded as error:
            return Measurement(configuration, "no-time", reason=error.cause)

    def command_of(self, values: Mapping[str, object]) -> Command:
        environment = {
            name: " ".join(template.filled(values))
            for name, template in self.templates.environment.items()
        }
        return Command(self.templates.command.filled(values), environment)

    def _wrong(self, values: Mapping[str, object]) -> Optional[str]:
        """What the user's own check says of this configuration's result."""
        if self.templates.verify is None:
            return None
        argv = self.templates.verify.filled(values)
        environment = {**os.environ, **self.command_of(values).env}
        try:
            result = run_process(
                argv,
                env=environment,
                timeout_s=self.options.timeout_s,
                stdout=Stdout.DISCARD,
                echo_stderr=False,
            )
        except OSError as error:
            raise ApplicationFailed(f"the check {argv[0]} cannot start: {error.strerror}") from None
        return None if result.ok else f"the check ended with {result.ending}"

    def _timed(
        self, configuration: Configuration, command: Command, best: Optional[float]
    ) -> Measurement:
        times: list[float] = []
        for number in range(1, self.options.repeat + 1):
            value = self._once(command, Step("repeat", number, self.options.repeat))
            if value is None:
                return Measurement(configuration, "no-time", reason=self._nothing())
            times.append(value)
            if best is not None and min(times) > self.options.hopeless * best:
                break
            if len(times) == 2 and times[0] == times[1]:
                break  # to the nanosecond: a third would say the same
        return Measurement(
            configuration, "ok", statistics.median(times), tuple(times), unstable=_differ(times)
        )

    def _once(self, command: Command, step: Step) -> Optional[float]:
        if self.objective.pattern is not None:
            return self._printed(command)
        assert self.prefix is not None
        options = MeterOptions(
            self.options.timeout_s,
            echo_stderr=self.options.echo_stderr,
            progress=self.options.progress,
        )
        meter = Meter(command, self.prefix, self.space, options)
        return self.objective.of_process(meter.measure(step))

    def _printed(self, command: Command) -> Optional[float]:
        try:
            result = run_process(
                command.words,
                env={**os.environ, **command.env},
                timeout_s=self.options.timeout_s,
                stdout=Stdout.CAPTURE,
                echo_stderr=self.options.echo_stderr,
                most_stdout=_MOST_OUTPUT,
            )
        except OSError as error:
            raise ApplicationFailed(f"{command.words[0]} cannot start: {error.strerror}") from None
        if not result.ok:
            raise ApplicationFailed(f"the application ended with {result.ending}")
        return self.objective.of_output(result.answer)

    def _nothing(self) -> str:
        if self.objective.pattern is not None:
            return f"its output has no positive number for {self.objective.name}"
        named = f" {self.objective.kernel}" if self.objective.kernel else ""
        return f"it launched no kernel{named}"


def _differ(times: list[float]) -> bool:
    return len(times) > 1 and statistics.stdev(times) > UNSTABLE_CV * statistics.mean(times)
