"""Asking the oracle about many candidates: one capture and one oracle for each kernel."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.codeobject import read_code_objects
from rocm_perf_lab.collect.disassembly import disassemble
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.prove.oracle import OracleRequest
from rocm_perf_lab.prove.oracle.executed.plain import PlainMaker
from rocm_perf_lab.prove.oracle.oracle import opened_oracle
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.isolate import IsolateOptions, isolate

LAUNCH_SECONDS = 60.0


@dataclass(frozen=True)
class Answer:
    """``verdict`` is the oracle's, or "refused" where the code cannot take the kernel's place."""

    verdict: str
    stage: str
    reason: str
    seconds: float


def build(prefix: Prefix, source: Path, output: Path, *flags: str) -> Path:
    """Raises with the compiler's words when it does not compile."""
    command = [str(prefix.tool("hipcc")), "-O3", *flags, str(source), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PerfLabError(f"{source} does not compile", done.stderr[-3000:])
    return output


def build_program(rocm: Path, source: Path, output: Path) -> Path:
    return build(find_prefix(rocm), source, output)


def capture_of(
    prefix: Prefix, program: Path, kernel: str, folder: Path, arguments: Sequence[str] = ()
) -> Capture:
    options = IsolateOptions(kernel=rf"\b{kernel}\b", out=folder, timeout_s=60.0)
    return isolate([str(program), *arguments], prefix, options).capture


class Questions:
    """One oracle for many candidates of one captured kernel."""

    def __init__(self, prefix: Prefix, capture: Capture, seed: int) -> None:
        request = OracleRequest(
            capture, capture.folder, prefix, seed=seed, timeout_s=LAUNCH_SECONDS
        )  # which candidate is told with each question
        self._open = contextlib.ExitStack()
        self._oracle = self._open.enter_context(opened_oracle(request))

    def ask(
        self,
        code: Path,
        name: Optional[str] = None,
        plain: Optional[PlainMaker] = None,
        *,
        allow_unseen: bool = False,
    ) -> Answer:
        """``name`` is the kernel's in ``code``, if it is not the captured one."""
        began = time.perf_counter()
        try:
            report = self._oracle.check(code, name, plain=plain, allow_unseen=allow_unseen)
            said: tuple[str, str, str] = (report.verdict, report.stage or "", report.reason)
        except PerfLabError as error:
            said = ("refused", "code object", str(error))
        return Answer(*said, seconds=round(time.perf_counter() - began, 2))

    def close(self) -> None:
        self._open.close()


def listing(prefix: Prefix, code: Path, name: str) -> tuple[str, ...]:
    """The instructions of one kernel."""
    file = read_code_objects(code)[0]
    found = [one for one in file.kernels if one.name.startswith(f"_Z{len(name)}{name}")]
    assert len(found) == 1, name
    return tuple(one.text for one in disassemble(prefix, file, found[0]))
