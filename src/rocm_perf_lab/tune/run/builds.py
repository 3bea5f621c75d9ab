"""Building configurations: once for each different build command, in a private folder.

Several processes may build into the same folder: who comes second waits, and takes what is there.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Protocol

from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.tune.measurement import CodeFacts
from rocm_perf_lab.tune.run.code_facts import code_facts
from rocm_perf_lab.tune.run.template import OUTPUT, Template

BUILD_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Build:
    program: Path
    problem: Optional[str] = None  # why there is none


class Made(Protocol):
    """Whoever has the code of configurations."""

    def key(self, configuration: Mapping[str, object]) -> str: ...

    def build(self, configuration: Mapping[str, object]) -> Build: ...

    def facts(self, configuration: Mapping[str, object]) -> Optional[CodeFacts]: ...


@dataclass
class Builds:
    template: Template
    folder: Path
    timeout_s: float = BUILD_TIMEOUT_S
    cwd: Optional[Path] = None
    kernel: Optional[str] = None  # whose code counts; None: of all kernels
    _known: dict[str, Build] = field(default_factory=dict)
    _facts: dict[Path, Optional[CodeFacts]] = field(default_factory=dict)

    def build(self, configuration: Mapping[str, object]) -> Build:
        """The key is the command without its output: parameters that do not enter it share one."""
        key = self.key(configuration)
        if key not in self._known:
            program = self.folder / key
            with _alone(program.with_suffix(".lock")):
                self._known[key] = _found(program) or self._make(configuration, program)
        return self._known[key]

    def key(self, configuration: Mapping[str, object]) -> str:
        words = self.template.filled({**configuration, OUTPUT: OUTPUT})
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]

    def facts(self, configuration: Mapping[str, object]) -> Optional[CodeFacts]:
        """Of its code; None where it does not build or holds none for a GPU."""
        build = self.build(configuration)
        if build.problem is not None:
            return None
        if build.program not in self._facts:
            self._facts[build.program] = code_facts(build.program, self.kernel)
        return self._facts[build.program]

    @property
    def count(self) -> int:
        return len(self._known)

    def _make(self, configuration: Mapping[str, object], program: Path) -> Build:
        """Beside, then renamed: a builder that is killed leaves no half program behind."""
        beside = program.with_suffix(".building")
        problem = self._run(self.template.filled({**configuration, OUTPUT: str(beside)}), beside)
        if problem is None:
            os.replace(beside, program)
        else:
            program.with_suffix(".problem").write_text(problem)
        return Build(program, problem)

    def _run(self, argv: tuple[str, ...], program: Path) -> Optional[str]:
        try:
            result = run_process(
                argv,
                cwd=self.cwd,
                timeout_s=self.timeout_s,
                stdout=Stdout.DISCARD,
                echo_stderr=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return f"{argv[0]}: {error}"
        if not result.ok:
            said = result.stderr_tail.strip().splitlines()
            last = next((line for line in said if "error" in line), said[-1] if said else "")
            return f"the build ended with {result.ending}: {last}".rstrip(": ")
        if not program.is_file():
            return "the build ended well but wrote no {output}"
        return None


def _found(program: Path) -> Optional[Build]:
    """What another process made of the same command."""
    if program.is_file():
        return Build(program)
    problem = program.with_suffix(".problem")
    return Build(program, problem.read_text()) if problem.is_file() else None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
