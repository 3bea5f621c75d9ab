"""G5 for the corpus: one captured dispatch per kernel, and the oracle of the proof over it."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from corpus import Case

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.prove.oracle import Oracle, OracleReport, OracleRequest
from rocm_perf_lab.prove.oracle.oracle import opened_oracle
from rocm_perf_lab.replay.isolate import IsolateOptions, isolate

_LAUNCH_SECONDS = 5.0  # the longest of the corpus takes a tenth of a second


def renamed(case: Case) -> str:
    return f"{case.kernel}_{case.id.partition('-')[0]}"


def all_in_one(cases: Sequence[Case]) -> bytes:
    """A program with every candidate beside its original, under another name: one build."""
    assert len({case.program for case in cases}) == 1
    data = cases[0].program.read_bytes()
    for case in sorted(cases, key=lambda case: case.span, reverse=True):
        text = case.candidate.read_text("utf-8").strip("\n")
        old = f" {case.kernel}("
        assert text.count(old) == 1, case.id
        copy = text.replace(old, f" {renamed(case)}(") + _instance(text, case)
        data = data[: case.span[1]] + b"\n\n" + copy.encode() + data[case.span[1] :]
    return data


def _instance(text: str, case: Case) -> str:
    """Templates of the corpus have one parameter T, and are launched for float."""
    if not text.startswith("template <class T>"):
        return ""
    head = text.partition(">\n")[2].partition(" {")[0]
    head = re.sub(r"\bT\b", "float", head)
    return f"\ntemplate {head.replace(case.kernel, renamed(case) + '<float>')};"


class OracleGate:
    """Each program is built when it is first asked about; the oracle of one kernel is open at a
    time, because it keeps what all of its trials left."""

    def __init__(self, prefix: Prefix, folder: Path) -> None:
        self._prefix, self._folder = prefix, folder
        self._open = contextlib.ExitStack()
        self._oracle: Optional[Oracle] = None
        self._key: Optional[tuple[Path, str]] = None

    def decide(self, case: Case, code: Path, name: str) -> OracleReport:
        """``code`` is a code object that has the candidate under another ``name``."""
        key = (case.program, case.kernel)
        if self._oracle is None or key != self._key:
            self._open.close()
            out = self._folder / f"{case.program.stem}-{case.kernel}"
            options = IsolateOptions(kernel=rf"\b{case.kernel}\b", out=out, timeout_s=60.0)
            capture = isolate([str(self._built(case.program))], self._prefix, options).capture
            self._open.callback(shutil.rmtree, out)
            request = OracleRequest(capture, code, self._prefix, timeout_s=_LAUNCH_SECONDS)
            self._oracle = self._open.enter_context(opened_oracle(request))
            self._key = key
        return self._oracle.check(code, name)

    def _built(self, source: Path) -> Path:
        program = self._folder / source.stem
        if not program.exists():
            command = [str(self._prefix.tool("hipcc")), "-O3", str(source), "-o", str(program)]
            subprocess.run(command, check=True, capture_output=True)
        return program

    def close(self) -> None:
        self._open.close()
