"""G5 for the corpus: one captured dispatch per kernel, and the oracle of the proof over it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from corpus import Case

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.prove.oracle import Oracle, OracleReport, OracleRequest
from rocm_perf_lab.prove.oracle.oracle import opened_oracle
from rocm_perf_lab.replay.isolate import IsolateOptions, isolate

_LAUNCH_SECONDS = 5.0  # the longest of the corpus takes a tenth of a second


class OracleGate:
    """``program`` is the built baseline; each kernel is captured when it is first asked about."""

    def __init__(self, prefix: Prefix, program: Path, folder: Path) -> None:
        self._prefix, self._program, self._folder = prefix, program, folder
        self._open = contextlib.ExitStack()
        self._oracles: dict[str, Oracle] = {}

    def decide(self, case: Case, code: Path, name: str) -> OracleReport:
        """``code`` is a code object that has the candidate under another ``name``."""
        if case.kernel not in self._oracles:
            out = self._folder / case.kernel
            options = IsolateOptions(kernel=case.kernel, out=out, timeout_s=60.0)
            capture = isolate([str(self._program)], self._prefix, options).capture
            request = OracleRequest(capture, code, self._prefix, timeout_s=_LAUNCH_SECONDS)
            self._oracles[case.kernel] = self._open.enter_context(opened_oracle(request))
        return self._oracles[case.kernel].check(code, name)

    def close(self) -> None:
        self._open.close()
