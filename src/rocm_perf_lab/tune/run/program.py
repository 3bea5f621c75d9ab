"""The user's program as an evaluator: a configuration is built, checked, and timed a few times."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress, Step
from rocm_perf_lab.errors import ApplicationFailed, BuildFailed, NothingRecorded
from rocm_perf_lab.measure.meter import Command, Meter, MeterOptions
from rocm_perf_lab.measure.process_times import ProcessTimes
from rocm_perf_lab.tune.measurement import Configuration, Measurement, Status
from rocm_perf_lab.tune.run.builds import Made
from rocm_perf_lab.tune.run.machine import host_label, machine_label
from rocm_perf_lab.tune.run.objective import Objective
from rocm_perf_lab.tune.run.template import OUTPUT, Template
from rocm_perf_lab.tune.triton.launches import LaunchLog

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
class Reading:
    """Of one process. Both are None where it said nothing of what was asked for."""

    value: Optional[float]
    second: Optional[float] = None
    machine: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)  # by the key of a Triton launch


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
    builds: Optional[Made] = None
    options: ProgramOptions = field(default_factory=ProgramOptions)
    second: Optional[Objective] = None
    environment: Mapping[str, str] = field(default_factory=dict)  # which GPU is used
    cwd: Optional[Path] = None
    launches: Optional[LaunchLog] = None  # of a Triton kernel

    def measure(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        found = self._measured(configuration, best)
        return (
            found if self.builds is None else replace(found, code=self.builds.facts(configuration))
        )

    def _measured(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        try:
            command = self.command(configuration)
            wrong = self._wrong(command, configuration)
            if wrong is not None:
                return Measurement(configuration, "wrong", reason=wrong)
            return self._timed(configuration, command, best)
        except BuildFailed as error:
            return Measurement(configuration, "build-failed", reason=error.cause)
        except ApplicationFailed as error:
            status: Status = "timeout" if "time limit" in error.cause else "failed"
            return Measurement(configuration, status, reason=error.cause)
        except NothingRecorded as error:
            return Measurement(configuration, "no-time", reason=error.cause)

    def command(self, configuration: Configuration) -> Command:
        """Built, if it has to be. Raises ``BuildFailed``."""
        values = self._values(configuration)
        environment = {
            name: " ".join(template.filled(values))
            for name, template in self.templates.environment.items()
        }
        words = self.templates.command.filled(values)
        return Command(words, {**self.environment, **environment}, self.cwd)

    def _values(self, configuration: Configuration) -> dict[str, object]:
        values: dict[str, object] = dict(configuration)
        if self.builds is not None:
            build = self.builds.build(configuration)
            if build.problem is not None:
                raise BuildFailed(build.problem)
            values[OUTPUT] = build.program
        return values

    def _wrong(self, command: Command, configuration: Configuration) -> Optional[str]:
        """What the user's own check says of this configuration's result."""
        if self.templates.verify is None:
            return None
        argv = self.templates.verify.filled(self._values(configuration))
        try:
            result = run_process(
                argv,
                env={**os.environ, **command.env},
                cwd=self.cwd,
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
        seconds: list[float] = []
        parts: list[Mapping[str, float]] = []
        while len(times) < self.options.repeat or _again(times, self.options.repeat):
            reading = self.read(command, Step("repeat", len(times) + 1, self.options.repeat))
            if reading.value is None:
                return Measurement(configuration, "no-time", reason=self._nothing(self.objective))
            if self.second is not None and reading.second is None:
                return Measurement(configuration, "no-time", reason=self._nothing(self.second))
            times.append(reading.value)
            seconds += [] if reading.second is None else [reading.second]
            parts.append(reading.parts)
            if best is not None and min(times) > self.options.hopeless * best:
                break
            if len(times) == 2 and times[0] == times[1]:
                break  # to the nanosecond: a third would say the same
        return Measurement(
            configuration,
            "ok",
            statistics.median(times),
            tuple(times),
            unstable=_differ(times),
            second=statistics.median(seconds) if seconds else None,
            machine=reading.machine,
            parts={key: statistics.median(part[key] for part in parts) for key in _common(parts)},
        )

    def read(self, command: Command, step: Step) -> Reading:
        """One process, with the profiler unless all that counts is printed."""
        objectives = [one for one in (self.objective, self.second) if one is not None]
        printed = [one for one in objectives if one.pattern is not None]
        text = self.output(command) if printed else ""
        if self.launches is not None:
            self.launches.forget()
        times = self._recorded(command, step) if len(printed) < len(objectives) else None
        machine = host_label() if times is None else machine_label(times.machine)
        found = [
            one.of_output(text) if times is None or one.pattern else one.of_process(times)
            for one in objectives
        ]
        parts: Mapping[str, float] = {}
        if self.launches is not None and times is not None:
            parts = self.launches.parts(times)
        return Reading(found[0], found[1] if self.second is not None else None, machine, parts)

    def _recorded(self, command: Command, step: Step) -> ProcessTimes:
        assert self.prefix is not None
        options = MeterOptions(
            self.options.timeout_s,
            echo_stderr=self.options.echo_stderr,
            progress=self.options.progress,
        )
        meter = Meter(command, self.prefix, self.space, options)
        return meter.measure(step)

    def output(self, command: Command) -> str:
        """What it prints, without the profiler."""
        try:
            result = run_process(
                command.words,
                env={**os.environ, **command.env},
                cwd=command.cwd,
                timeout_s=self.options.timeout_s,
                stdout=Stdout.CAPTURE,
                echo_stderr=self.options.echo_stderr,
                most_stdout=_MOST_OUTPUT,
            )
        except OSError as error:
            raise ApplicationFailed(f"{command.words[0]} cannot start: {error.strerror}") from None
        if not result.ok:
            raise ApplicationFailed(f"the application ended with {result.ending}")
        return result.answer

    @staticmethod
    def _nothing(objective: Objective) -> str:
        if objective.pattern is not None:
            return f"its output has no positive number for {objective.name}"
        named = f" {objective.kernel}" if objective.kernel else ""
        return f"it launched no kernel{named}"


def _common(parts: Sequence[Mapping[str, float]]) -> list[str]:
    return [key for key in parts[0] if all(key in part for part in parts)]


def _again(times: list[float], repeat: int) -> bool:
    """What differs too much runs as often once more; one time alone says nothing of that."""
    return repeat <= len(times) < 2 * repeat and _differ(times)


def _differ(times: list[float]) -> bool:
    return len(times) > 1 and statistics.stdev(times) > UNSTABLE_CV * statistics.mean(times)
