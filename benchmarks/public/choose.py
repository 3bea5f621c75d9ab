"""Draws programs that check themselves, before anything is known of what can be gained in them.

    python -m benchmarks.public.choose SRC [--rocm PREFIX] [--seed 14] [--number 15]

``SRC`` is the folder ``src`` of a checkout of HeCBench. Eligible is a folder ``NAME-hip`` whose
sources mention PASS or FAIL, include nothing of another library, and are compiled by its Makefile
with hipcc alone. All eligible ones are shuffled; from the top those are taken that build and, at
the largest of five sizes that needs no more than ``--cpu`` seconds of processor time, end with exit
code 0, say PASS and do not say FAIL. Prints JSON lines: name, arguments, seconds.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Optional

from benchmarks.public.makefile import Recipe, recipe
from rocm_perf_lab.vrocm.prefix import ensure_prefix

_CHECKS = re.compile(r"\b(PASS|FAIL)")
_LIBRARIES = re.compile(
    r"#\s*include\s*[<\"](thrust|hipcub|cub|rocprim|rocthrust|hipblas|rocblas|hiprand|rocrand|"
    r"hipfft|rocfft|hipsparse|rocsparse|hipsolver|rocsolver|miopen|rccl|mpi|boost|gdal)"
)
_TEXTS = (".cu", ".cpp", ".cc", ".c", ".hip", ".h", ".hpp", ".cuh")
LEVELS = 5
_BUILD_SECONDS = 30


def eligible(sources: Path) -> Iterator[Recipe]:
    for folder in sorted(sources.glob("*-hip")):
        texts = [f.read_text(errors="replace") for f in folder.rglob("*") if f.suffix in _TEXTS]
        if not any(map(_CHECKS.search, texts)) or any(map(_LIBRARIES.search, texts)):
            continue
        found = recipe(folder)
        if found is not None:
            yield found


def passes(text: str) -> bool:
    words = _CHECKS.findall(text)
    return "PASS" in words and "FAIL" not in words


def fitting(one: Recipe, rocm: Path, cpu_s: float) -> tuple[str, Optional[tuple[str, ...]], float]:
    """Why it is not taken or "", its arguments, and the processor time of a run."""
    with tempfile.TemporaryDirectory(prefix="rocm-perf-choose-") as place:
        program = Path(place, "main")
        words = [str(rocm / "bin" / "hipcc"), *one.flags, *one.sources, "-o", str(program)]
        if _limited(words, one.folder, _BUILD_SECONDS)[0] is None:
            return "does not build", None, 0.0
        tried: list[tuple[str, ...]] = []
        for level in range(LEVELS):
            arguments = one.reduced(level)
            if arguments in tried:
                continue
            tried.append(arguments)
            said, seconds = _limited([str(program), *arguments], one.folder, cpu_s)
            if said is not None and seconds <= cpu_s and passes(said):
                return "", arguments, seconds
    return "no pass in time at any size", None, 0.0


def _limited(words: Sequence[str], folder: Path, cpu_s: float) -> tuple[Optional[str], float]:
    """What it printed, None when it did not end well; and its processor time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 2))

    before = _used()
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            preexec_fn=limit,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=20 * cpu_s + 60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, _used() - before
    text = done.stdout.decode(errors="replace")
    return (text if done.returncode == 0 else None), _used() - before


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, metavar="SRC")
    parser.add_argument("--rocm", type=Path, help="the prefix to build and run with")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--number", type=int, default=15)
    parser.add_argument("--cpu", type=float, default=0.5, help="seconds of one run (0.5)")
    arguments = parser.parse_args(argv)
    rocm = arguments.rocm or ensure_prefix(print)
    drawn = list(eligible(arguments.sources))
    print(f"{len(drawn)} are eligible", file=sys.stderr)
    random.Random(arguments.seed).shuffle(drawn)
    taken = 0
    for one in drawn:
        if taken == arguments.number:
            break
        why, words, seconds = fitting(one, rocm, arguments.cpu)
        if why or words is None:
            print(f"{one.name}: {why}", file=sys.stderr, flush=True)
            continue
        taken += 1
        line = {"name": one.name, "arguments": shlex.join(words), "seconds": round(seconds, 2)}
        print(json.dumps(line), flush=True)
    return 0 if taken == arguments.number else 1


if __name__ == "__main__":
    sys.exit(main())
