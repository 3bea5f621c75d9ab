"""Runs kernels with VROCM_COVERAGE in a process of their own, and finds instructions by offset."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Union

import numpy as np
from exec_support import Buffer, importing, load

from rocm_perf_lab.replay.coverage import (
    COVERAGE_VARIABLE,
    DispatchCoverage,
    read_coverage,
)

OBJDUMP = "llvm-objdump-19"
_LABEL = re.compile(r"^(?P<address>[0-9a-f]{16}) <(?P<name>.+)>:$")
_INSTRUCTION = re.compile(r"^\t(?P<text>\S.*?)\s*// (?P<address>[0-9A-F]{12,16}):")

Argument = Union[int, str]  # the name of an array, or a number


@dataclass(frozen=True)
class Launch:
    kernel: str
    arguments: Sequence[Argument] = ()
    grid: int = 64
    group: int = 64


@dataclass(frozen=True)
class Ran:
    status: int
    stderr: str
    coverage: Sequence[DispatchCoverage]
    text: bytes  # of the file
    arrays: Mapping[str, np.ndarray]  # and `taken`: instructions and nanoseconds of each launch


def run_launches(folder: str) -> None:
    """In the child process: one launch behind the other."""
    arrays = dict(np.load(Path(folder, "arrays.npz")))
    buffers = {name: Buffer(values, name) for name, values in arrays.items()}
    code = load(Path(folder, "code.co").read_bytes())
    taken = []
    for one in json.loads(Path(folder, "launches.json").read_text()):
        arguments = [buffers[a] if isinstance(a, str) else a for a in one["arguments"]]
        ran = code.run(one["kernel"], one["grid"], one["group"], arguments)
        taken.append((ran.wave_instructions, ran.duration_ns))
    after = {name: buffer.array for name, buffer in buffers.items()}
    np.savez(Path(folder, "after.npz"), taken=np.array(taken), **after)


def run_covered(
    folder: Path,
    code_object: bytes,
    launches: Sequence[Launch],
    arrays: Mapping[str, np.ndarray],
    covers: bool = True,
    **environment: str,
) -> Ran:
    written = folder / "coverage"
    written.unlink(missing_ok=True)
    (folder / "after.npz").unlink(missing_ok=True)
    (folder / "code.co").write_bytes(code_object)
    (folder / "launches.json").write_text(json.dumps([vars(one) for one in launches]))
    np.savez(folder / "arrays.npz", **arrays)  # type: ignore[arg-type]
    script = importing(__file__) + f"import cover_support as c\nc.run_launches({str(folder)!r})\n"
    variable = {COVERAGE_VARIABLE: str(written)} if covers else {}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **variable, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    after = folder / "after.npz"
    return Ran(
        done.returncode,
        done.stderr,
        read_coverage(written) if written.exists() else (),
        written.read_bytes() if written.exists() else b"",
        dict(np.load(after)) if after.exists() else {},
    )


def listing(folder: Path, code_object: bytes) -> tuple[dict[str, int], dict[int, str]]:
    """Addresses of symbols, and the text of every instruction by address."""
    path = folder / "listed.co"
    path.write_bytes(code_object)
    done = subprocess.run([OBJDUMP, "-d", str(path)], capture_output=True, text=True, check=True)
    symbols, texts = {}, {}
    for line in done.stdout.splitlines():
        label, instruction = _LABEL.match(line), _INSTRUCTION.match(line)
        if label:
            symbols[label["name"]] = int(label["address"], 16)
        elif instruction:
            texts[int(instruction["address"], 16)] = instruction["text"]
    return symbols, texts
