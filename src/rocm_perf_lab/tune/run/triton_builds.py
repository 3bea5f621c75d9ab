"""What the first run compiled, by configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.tune.measurement import CodeFacts
from rocm_perf_lab.tune.run.builds import Build
from rocm_perf_lab.tune.run.code_facts import code_facts
from rocm_perf_lab.tune.triton.report import TritonConfig


@dataclass(frozen=True)
class TritonBuilds:
    """``folder`` has NUMBER.hsaco with NUMBER.lds, or NUMBER.problem, of each configuration that
    was compiled."""

    configs: Sequence[TritonConfig]
    folder: Path
    kernel: str

    def key(self, configuration: Mapping[str, object]) -> str:
        rows = [dict(one.row) for one in self.configs]
        return str(rows.index(dict(configuration)))  # type: ignore[arg-type]

    def build(self, configuration: Mapping[str, object]) -> Build:
        """One that nobody compiled may still compile in the program."""
        beside = self.folder / self.key(configuration)
        problem = beside.with_suffix(".problem")
        return Build(
            beside.with_suffix(".hsaco"), problem.read_text() if problem.is_file() else None
        )

    def facts(self, configuration: Mapping[str, object]) -> Optional[CodeFacts]:
        """Triton asks for its LDS at the launch."""
        code = self.build(configuration).program
        lds = code.with_suffix(".lds")
        if not (code.is_file() and lds.is_file()):
            return None
        return code_facts(code, self.kernel, int(lds.read_text()))
