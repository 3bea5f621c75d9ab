"""Building configurations: once for each different build command, in a private folder."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.tune.run.template import OUTPUT, Template

BUILD_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Build:
    program: Path
    problem: Optional[str] = None  # why there is none


@dataclass
class Builds:
    template: Template
    folder: Path
    timeout_s: float = BUILD_TIMEOUT_S
    _known: dict[str, Build] = field(default_factory=dict)

    def build(self, configuration: Mapping[str, object]) -> Build:
        """The key is the command without its output: parameters that do not enter it share one."""
        words = self.template.filled({**configuration, OUTPUT: OUTPUT})
        key = hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
        if key not in self._known:
            self._known[key] = self._make(configuration, self.folder / key)
        return self._known[key]

    @property
    def count(self) -> int:
        return len(self._known)

    def _make(self, configuration: Mapping[str, object], program: Path) -> Build:
        argv = self.template.filled({**configuration, OUTPUT: str(program)})
        try:
            result = run_process(
                argv, timeout_s=self.timeout_s, stdout=Stdout.DISCARD, echo_stderr=False
            )
        except (OSError, subprocess.SubprocessError) as error:
            return Build(program, f"{argv[0]}: {error}")
        if not result.ok:
            last = next(iter(reversed(result.stderr_tail.strip().splitlines())), "")
            return Build(program, f"the build ended with {result.ending}: {last}".rstrip(": "))
        if not program.is_file():
            return Build(program, "the build ended well but wrote no {output}")
        return Build(program)
