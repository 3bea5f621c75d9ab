"""Runs one pair: what is said about the slow program, and how much faster the mended one is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from benchmarks.verdicts.pair import PROGRAMS, Pair

_VERB = [sys.executable, "-m", "rocm_perf_lab.cli.main"]
_RUNS = ["--runs", "1", "--json"]
OUTSIDE = frozenset({"fuse", "ahead", "copies", "host", "beside"})  # mends that change no kernel
_ROUNDING = 0.99  # a bound is not missed by a digit


@dataclass(frozen=True)
class Answer:
    """``gain`` and ``bound`` are of the kernel, or end to end where the mend changes none."""

    pair: Pair
    label: Optional[str]
    mends: tuple[str, ...]  # as advised, the first first
    gain: float  # measured: slow over mended
    bound: Optional[float]  # promised for the mend; None if it was not advised

    @property
    def is_first(self) -> bool:
        return self.mends[:1] == (self.pair.mend,)

    @property
    def is_among(self) -> bool:
        return self.pair.mend in self.mends

    @property
    def bound_holds(self) -> bool:
        """Never below what was gained; where the mend was not advised nothing was promised."""
        return self.bound is None or self.bound >= _ROUNDING * self.gain


def compile_program(name: str, prefix: Path, folder: Path) -> Path:
    return compile_source(PROGRAMS / f"{name}.hip", folder / name, prefix)


def compile_source(source: Path, program: Path, prefix: Path) -> Path:
    """``source`` may lie elsewhere and include what programs share."""
    command = [str(prefix / "bin" / "hipcc"), "-O3", "-Wall", "-Wextra", "-Werror", str(source)]
    subprocess.run([*command, "-I", str(PROGRAMS), "-o", str(program)], check=True)
    return program


def sums(program: Path, pair: Pair) -> list[str]:
    """Of all results, slow and mended: the mend must not change them."""
    return [
        subprocess.run(
            [str(program), pair.letter, variant, "check"],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        for variant in "01"
    ]


def advised(pair: Pair, program: Path, prefix: Path) -> dict[str, Any]:
    """What ``explain`` says of the slow program."""
    return _document(["explain", "--no-walls", "--rocm", str(prefix), *_RUNS], program, pair, "0")


def answer(pair: Pair, program: Path, prefix: Path) -> Answer:
    slow = advised(pair, program, prefix)
    with_path = ["profile", "--rocm", str(prefix), "--critical-path", *_RUNS]
    mended = _document(with_path, program, pair, "1")
    outside = pair.mend in OUTSIDE
    if outside:
        gain = slow["time"]["span_ms"] * 1e6 / mended["critical_path"]["span_ns"]
    else:
        gain = _kernel_us(slow) / (_own_ns(mended) / 1e3)
    (kernel,) = [k for k in slow["kernels"] if k["kernel"] == slow["kernel"]]
    given = {advice["mend"]: advice for advice in slow["advice"]}
    promised = given.get(pair.mend, {}).get("gain" if outside else "kernel_gain")
    label = kernel["bottleneck"]["primary"] if kernel["bottleneck"] else None
    return Answer(pair, label, tuple(given), gain, promised)


def _document(verb: list[str], program: Path, pair: Pair, variant: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:  # without roofs that were measured
        done = subprocess.run(
            [*_VERB, *verb, "--", str(program), pair.letter, variant],
            env={**os.environ, "XDG_DATA_HOME": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _kernel_us(slow: dict[str, Any]) -> float:
    own = [k for k in slow["kernels"] if not k["kernel"].startswith("__amd_rocclr")]
    return float(sum(k["launches"] * k["mean_us"] for k in own if not _prepares(k["kernel"])))


def _own_ns(mended: dict[str, Any]) -> float:
    own = [k for k in mended["kernels"] if not k["runtime_internal"]]
    return float(sum(k["total_ns"] for k in own if not _prepares(k["name"])))


def _prepares(kernel: str) -> bool:
    """Makes data: no part of what is mended."""
    return "prepare" in kernel
