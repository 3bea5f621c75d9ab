"""How exact the mathematical functions of the virtual device are: errors against limits.

The limits were fixed before the first measurement; kernels/math/limits.txt has them with sources.
``--write`` renews the table in docs/virtual-rocm-math.md.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.vrocm.prefix import ensure_prefix

SOURCES = Path(__file__).parent / "kernels" / "math"
PAGE = Path(__file__).parent.parent / "docs" / "virtual-rocm-math.md"
MARK = "<!-- the table below is written by python -m benchmarks.math_sweep --write -->\n"
ROUNDINGS = ("_rn", "_rz", "_ru", "_rd")

# Who misses a limit, and why: AMD's library, clang's headers, or the instruction as specified.
CAUSES = {
    "tgammaf": "the library computes 1 / (x * gamma(3 - x)), which overflows below -31.4: 0",
    "jnf": "clang's header divides by x: NaN for 0",
    "jn": "clang's header divides by x: NaN for 0",
    "ynf": "clang's header subtracts infinities: NaN for 0",
    "yn": "clang's header subtracts infinities: NaN for 0",
    "__cosf": "clang multiplies by 1/2pi and takes the fraction, in single precision: the exact "
    "cosine of that is 6 steps off already",
    "__sincosf_cos": "as `__cosf`",
    "__tanf": "clang's header divides `__sinf` by `__cosf`, which is 0 next to a pole",
    "__frsqrt_rn": "`v_rsq_f32` takes a denormal argument for 0",
}


@dataclass(frozen=True)
class Limit:
    name: str
    documented: Optional[float]  # HIP's, in steps, inside `ranges`
    everywhere: Optional[float]  # in ulp
    source: str
    ranges: tuple[float, ...] = ()

    @property
    def request(self) -> str:
        words = [self.name, "1" if self.source == "unit" else "0", *map(repr, self.ranges)]
        return " ".join(words)


@dataclass(frozen=True)
class Row:
    """One function: its limits and what was found."""

    limit: Limit
    inputs: int
    steps: Optional[float]
    ulp: float
    nans: int
    signs_of_zero: int
    worst: tuple[float, ...]  # four arguments, the result, the exact value

    @property
    def misses(self) -> list[str]:
        limit, found = self.limit, []
        if (
            limit.documented is not None
            and self.steps is not None
            and self.steps > limit.documented
        ):
            found.append("HIP")
        if limit.everywhere is not None and self.ulp > limit.everywhere:
            found.append("NaN" if self.nans else "ulp")
        return found


def limits() -> list[Limit]:
    rows: list[Limit] = []
    section = ""
    for line in (SOURCES / "limits.txt").read_text("utf-8").splitlines():
        words = line.split()
        if line.startswith("["):
            section = line.strip("[]")
        elif words and not line.startswith("#"):
            rows += _READERS[section](words)
    return rows


def _number(word: str) -> Optional[float]:
    return None if word == "-" else float(word)


def _both_precisions(words: list[str]) -> list[Limit]:
    name, hip32, hip64, all32, all64, source, *ranges = words
    base, part, rest = name.partition("_")
    where = tuple(map(float, ranges))
    return [
        Limit(f"{base}f{part}{rest}", _number(hip32), _number(all32), source, where),
        Limit(name, _number(hip64), _number(all64), source, where),
    ]


def _intrinsic(words: list[str]) -> list[Limit]:
    name, hip, everywhere, source, *ranges = words
    return [Limit(name, _number(hip), _number(everywhere), source, tuple(map(float, ranges)))]


def _conversions(words: list[str]) -> list[Limit]:
    return [Limit(words[0] + rounding, None, 0.0, "exact") for rounding in ROUNDINGS]


def _sixteen_bits(words: list[str]) -> list[Limit]:
    name, everywhere, source = words
    bfloat = (0.0, "exact") if source == "exact" else (1.0, "own")
    return [
        Limit(name, None, float(everywhere), source),
        Limit(f"{name}/bf16", None, *bfloat),
    ]


_READERS = {
    "functions": _both_precisions,
    "intrinsics": _intrinsic,
    "conversions": _conversions,
    "half": _sixteen_bits,
}


def build(folder: Path) -> Path:
    """Compile the sweep."""
    hipcc = ensure_prefix(lambda step: None) / "bin" / "hipcc"
    program = folder / "sweep"
    files = [SOURCES / "sweep.hip", SOURCES / "reference.cpp"]
    subprocess.run([hipcc, "-std=c++17", "-O1", *files, "-o", program], check=True)
    return program


def measure(program: Path, wanted: Sequence[Limit], count: int) -> list[Row]:
    """Run the functions on their edge cases and on three times ``count`` random inputs."""
    done = subprocess.run(
        [program, str(count)],
        input="".join(f"{limit.request}\n" for limit in wanted),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "VROCM_TIMING": "0"},
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(wanted)
    return [_row(limit, line.split("\t")) for limit, line in zip(wanted, lines)]


def _row(limit: Limit, fields: list[str]) -> Row:
    name, inputs, steps, ulp, nans, signs, *worst = fields
    assert name == limit.name, (name, limit.name)
    return Row(
        limit,
        int(inputs),
        None if float(steps) < 0 else float(steps),
        float(ulp),
        int(nans),
        int(signs),
        tuple(map(float, worst)),
    )


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20000, help="a third of the random inputs")
    parser.add_argument("--write", action="store_true", help=f"renew the table in {PAGE.name}")
    arguments = parser.parse_args(list(argv))
    with tempfile.TemporaryDirectory() as temporary:
        rows = measure(build(Path(temporary)), limits(), arguments.count)
    if arguments.write:
        text = PAGE.read_text("utf-8")
        PAGE.write_text(text[: text.index(MARK)] + MARK + table(rows), "utf-8")
    missed = [row for row in rows if row.misses]
    for row in missed:
        print(f"{row.limit.name:18} {', '.join(row.misses):8} {_worst(row)}")
    print(f"{len(rows)} functions, {len(missed)} miss a limit, for known causes: ", end="")
    print(sum(row.limit.name in CAUSES for row in missed))
    return 1 if any(row.limit.name not in CAUSES for row in missed) else 0


def _worst(row: Row) -> str:
    x, y, z, w, got, exact = row.worst
    arguments = f"{x!r}, {y!r}, {z!r}, {w!r}"
    return f"steps {row.steps}, ulp {row.ulp:.6g} at ({arguments}): {got!r}, exact {exact!r}"


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| function | inputs | HIP: steps (limit) | everywhere: ulp (limit) | limit | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        limit = row.limit
        verdict = "ok"
        if row.misses:
            verdict = f"**misses** ({', '.join(row.misses)}): {CAUSES.get(limit.name, 'unknown')}"
        if row.signs_of_zero:
            verdict += f", sign of 0 ({row.signs_of_zero})"
        lines.append(
            f"| `{limit.name}` | {row.inputs:,} | {_against(row.steps, limit.documented)} "
            f"| {_against(row.ulp, limit.everywhere)} | {limit.source} | {verdict} |"
        )
    return "\n".join(lines) + "\n"


def _against(found: Optional[float], limit: Optional[float]) -> str:
    if found is None:
        return "-"
    text = "inf" if math.isinf(found) else f"{found:.3g}"
    return f"{text} ({'none' if limit is None else f'{limit:g}'})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
