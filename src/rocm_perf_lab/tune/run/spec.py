"""How the user's program is measured, as plain data: it travels to worker processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.errors import ApplicationFailed, UsageError
from rocm_perf_lab.tune.run.builds import Builds, Made
from rocm_perf_lab.tune.run.objective import Objective, read_objectives
from rocm_perf_lab.tune.run.program import Program, ProgramOptions, Templates
from rocm_perf_lab.tune.run.template import OUTPUT, Template, read_template
from rocm_perf_lab.tune.run.triton_builds import TritonBuilds
from rocm_perf_lab.tune.triton.launches import LaunchLog
from rocm_perf_lab.tune.triton.report import TritonConfig
from rocm_perf_lab.tune.triton.target import TritonTarget

_COMPILER = "hipcc"


@dataclass(frozen=True)
class Commands:
    """The user's templates, as written."""

    command: str
    build: Optional[str] = None
    verify: Optional[str] = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TritonProgram:
    """Its configurations, and the folder with their code."""

    target: TritonTarget
    configs: tuple[TritonConfig, ...]
    code: Path


@dataclass(frozen=True)
class ProgramSpec:
    commands: Commands
    parameters: tuple[str, ...]  # their names
    objective: str = "runtime"
    kernel: Optional[str] = None
    options: ProgramOptions = field(default_factory=ProgramOptions)
    rocm: Optional[Path] = None
    cwd: Optional[Path] = None  # None: where we are
    triton: Optional[TritonProgram] = None

    @property
    def objectives(self) -> tuple[Objective, ...]:
        return read_objectives(self.objective, self.kernel)

    @property
    def is_recorded(self) -> bool:
        """Whether the profiler is needed at all."""
        return any(one.pattern is None for one in self.objectives)

    def prefix(self) -> Optional[Prefix]:
        return find_prefix(self.rocm) if self.is_recorded else None

    def open(self, folder: Path, environment: Optional[Mapping[str, str]] = None) -> Program:
        """``folder`` is for builds and recordings; ``environment`` says which GPU is used."""
        if self.cwd is not None and not os.path.isdir(self.cwd):
            raise ApplicationFailed(
                f"the folder {self.cwd} is not on this machine",
                "workers need the same files at the same place",
            )
        builds = self._builds(folder)
        objectives = self.objectives
        log = self._launches(folder)
        return Program(
            self._templates(),
            objectives[0],
            self.prefix(),
            folder,
            builds,
            self.options,
            objectives[1] if len(objectives) > 1 else None,
            {**(environment or {}), **self._shim(log)},
            self.cwd,
            log,
        )

    def _launches(self, folder: Path) -> Optional[LaunchLog]:
        """Of this process: others may measure in the same folder."""
        if self.triton is None:
            return None
        return LaunchLog(folder / f"launches-{os.getpid()}.jsonl", self.triton.target.kernel)

    def _shim(self, log: Optional[LaunchLog]) -> dict[str, str]:
        if self.triton is None or log is None:
            return {}
        return self.triton.target.environment(log.path, find_prefix(self.rocm))

    def _templates(self) -> Templates:
        words = self.commands
        known = frozenset(self.parameters)
        runs = known | {OUTPUT} if words.build else known
        return Templates(
            read_template(words.command, "--cmd-template", runs),
            {n: read_template(t, f"--env {n}", runs) for n, t in words.environment.items()},
            read_template(words.verify, "--verify", runs) if words.verify else None,
        )

    def _builds(self, folder: Path) -> Optional[Made]:
        if self.triton is not None:
            return TritonBuilds(self.triton.configs, self.triton.code, self.triton.target.kernel)
        if not self.commands.build:
            return None
        known = frozenset(self.parameters) | {OUTPUT}
        template = read_template(self.commands.build, "--build-template", known)
        if OUTPUT not in template.names:
            raise UsageError("--build-template has no {output}", "such as hipcc a.hip -o {output}")
        return Builds(self._compiler_of(template), folder, cwd=self.cwd, kernel=self.kernel)

    def _compiler_of(self, template: Template) -> Template:
        """A compiler without its place is that of the installation that is measured with."""
        prefix = self.prefix() if template.words[0] == _COMPILER else None
        if prefix is None:
            return template
        return replace(template, words=(str(prefix.tool(_COMPILER)), *template.words[1:]))
