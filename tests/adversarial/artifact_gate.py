"""G3 for the corpus: what candidates compile to. Several kernels' candidates share one build."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpus import Case

from rocm_perf_lab.codeobject import CodeObjectFile, read_code_objects
from rocm_perf_lab.collect.disassembly import disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.guards.artifact import (
    Artifact,
    ArtifactVerdict,
    Launch,
    artifact_of,
    check_artifact,
)

# How programs/kernels.hip launches its kernels.
LAUNCHES: Mapping[str, Launch] = {"block_sum": Launch(256, dynamic_lds=1024)}
DEFAULT_LAUNCH = Launch(256)


def combined(cases: Sequence[Case]) -> bytes:
    """One program with the candidates of several cases, of different kernels, in it."""
    assert len({case.kernel for case in cases}) == len(cases)
    data = cases[0].program.read_bytes()
    for case in sorted(cases, key=lambda case: case.span, reverse=True):
        start, end = case.span
        data = data[:start] + case.candidate.read_bytes().strip(b"\n") + data[end:]
    return data


class ArtifactGate:
    """Builds device code only, with the same flags for every version."""

    def __init__(self, prefix: Prefix, folder: Path) -> None:
        self._prefix = prefix
        self._folder = folder
        self._count = 0
        self._baselines: dict[Path, CodeObjectFile] = {}

    def build(self, source: bytes) -> CodeObjectFile:
        return read_code_objects(self.compile(source))[0]

    def compile(self, source: bytes) -> Path:
        self._count += 1
        file = self._folder / f"{self._count}.hip"
        file.write_bytes(source)
        output = file.with_suffix(".co")
        command = [str(self._prefix.tool("hipcc")), "--genco", "-O3", str(file), "-o", str(output)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        return output

    def artifact(self, code: CodeObjectFile, kernel: str) -> Artifact:
        symbol = next(k.name for k in code.kernels if f"{len(kernel)}{kernel}" in k.name)
        info = code.kernel(symbol)
        assert info is not None
        listing = disassemble(self._prefix, code, info)
        found = artifact_of(code, symbol, [instruction.text for instruction in listing])
        assert found is not None
        return found

    def decide(self, cases: Sequence[Case]) -> dict[str, ArtifactVerdict]:
        """By the id of each case."""
        program = cases[0].program
        if program not in self._baselines:
            self._baselines[program] = self.build(program.read_bytes())
        before, after = self._baselines[program], self.build(combined(cases))
        return {
            case.id: check_artifact(
                self.artifact(before, case.kernel),
                self.artifact(after, case.kernel),
                LAUNCHES.get(case.kernel, DEFAULT_LAUNCH),
            )
            for case in cases
        }
