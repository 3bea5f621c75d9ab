"""What ``rocm-perf optimize`` finds in untuned examples, and that it claims nothing of tuned ones.

    python -m benchmarks.optimize [--rocm PREFIX] [--results FILE] [NAME ...]

One program after the other, each in a process of its own. ``--results`` keeps what was measured,
program by program; those that are in it already are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.vrocm.prefix import ensure_prefix

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
KINDS = ("untuned", "by_rule", "bottlenecks", "tuned")  # goals are for the first and the last
LEAST_GAIN, LEAST_MEDIAN, LEAST_GAINING = 1.2, 1.8, 10
# Sums whose order has to change in order to be faster; the oracle's error budget decides.
REASSOCIATED = ("rolled_reduction", "row_sums_serial", "scalar_softmax")


@dataclass(frozen=True)
class Found:
    """Of one program. ``gain`` is estimated, ``claim`` is proven; 1 when nothing was accepted.
    ``claims``: of each accepted change, what is claimed of its kernel and the ratio of the sums of
    all times that it rests on."""

    name: str
    kind: str
    verdict: str
    gain: float
    claim: float
    application: float
    attempts: int
    seconds: float
    change: str
    claims: tuple[tuple[float, float], ...] = ()


def programs() -> Iterator[tuple[str, Path]]:
    for kind in KINDS:
        for source in sorted((EXAMPLES / kind).glob("*.hip")):
            yield kind, source


def optimized(kind: str, source: Path, rocm: Path, more: Sequence[str]) -> Found:
    allowed = ["--allow", "reassociate"] if source.stem in REASSOCIATED else []
    with tempfile.TemporaryDirectory(prefix="rocm-perf-benchmark-") as folder:
        words = ["optimize", str(source), "--json", "--rocm", str(rocm), *allowed, *more]
        command = [sys.executable, "-m", "rocm_perf_lab.cli.main", *words, "--", f"./{source.stem}"]
        began = time.perf_counter()
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "XDG_STATE_HOME": folder},
            stdout=subprocess.PIPE,
            check=False,
        )
        seconds = time.perf_counter() - began
        if not done.stdout:
            return Found(source.stem, kind, f"exit code {done.returncode}", 1, 1, 1, 0, seconds, "")
        document = json.loads(done.stdout)
        accepted = [one for one in document["attempts"] if one["verdict"] == "accept"]
        evidence = Path(document["evidence"])
        claims = tuple(claimed(evidence / one["bundle"]) for one in accepted)
    speedup = document["speedup"]
    return Found(
        name=source.stem,
        kind=kind,
        verdict=document["verdict"],
        gain=speedup["kernel"] or 1.0,
        claim=speedup["kernel_low"] or 1.0,
        application=speedup["application"] or 1.0,
        attempts=len(document["attempts"]),
        seconds=seconds,
        change=" / ".join(one["proposal"] for one in accepted),
        claims=claims,
    )


def claimed(bundle: Path) -> tuple[float, float]:
    """The claim of a bundle, and the sum of all its times of the baseline / the candidate, of the
    confirmation where there is one: nothing was chosen by its blocks."""
    decision = json.loads((bundle / "decision.json").read_text("utf-8"))
    samples = json.loads((bundle / "samples.json").read_text("utf-8"))
    blocks = samples.get("confirmation") or samples["blocks"]
    old = sum(sum(block["A"]) + sum(block["A2"]) for block in blocks) / 2
    new = sum(sum(block["B"]) for block in blocks)
    return decision["kernel"]["claim"], old / new


def table(results: Sequence[Found]) -> str:
    lines = [
        "| program | verdict | gain | claim | sums | application | attempts | seconds | change |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        claim = f"{one.claim:.2f}x" if one.verdict == "accept" else "none"
        lines.append(
            f"| {one.kind}/{one.name} | {one.verdict} | {one.gain:.2f}x | {claim} | "
            f"{', '.join(f'{c:.3f} of {sums:.3f}' for c, sums in one.claims)} | "
            f"{one.application:.2f}x | {one.attempts} | {one.seconds:.0f} | {one.change} |"
        )
    return "\n".join(lines)


def summary(results: Sequence[Found]) -> tuple[str, bool]:
    """One line, and whether the goal is reached."""
    untuned = [one for one in results if one.kind == "untuned"]
    tuned = [one for one in results if one.kind == "tuned"]
    gaining = sum(one.claim >= LEAST_GAIN for one in untuned)
    median = statistics.median([one.gain for one in untuned]) if untuned else 1.0
    for_nothing = sum(one.verdict == "accept" for one in tuned)
    pairs = [pair for one in results for pair in one.claims]
    above = sum(claim > sums for claim, sums in pairs)
    reached = gaining >= LEAST_GAINING and median >= LEAST_MEDIAN and for_nothing == above == 0
    text = (
        f"{gaining} of {len(untuned)} untuned programs with a proven gain of at least "
        f"{LEAST_GAIN}x, median gain {median:.2f}x; {for_nothing} claims on {len(tuned)} tuned "
        f"ones; {above} of {len(pairs)} claims above the ratio of the sums"
    )
    return text, reached


def kept(file: Optional[Path]) -> dict[str, Found]:
    if file is None or not file.is_file():
        return {}
    lines = [json.loads(line) for line in file.read_text().splitlines() if line]
    return {
        line["name"]: Found(**{**line, "claims": tuple(map(tuple, line["claims"]))})
        for line in lines
    }


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--rocm", type=Path, help="the prefix to build and run with")
    parser.add_argument("--results", type=Path, metavar="FILE", help="JSON lines; resumed")
    parser.add_argument("--max-iters", type=int, default=1, metavar="N", help="of each (1)")
    arguments = parser.parse_args(argv)
    rocm = arguments.rocm or ensure_prefix(print)
    known = kept(arguments.results)
    results = []
    for kind, source in programs():
        if arguments.names and source.stem not in arguments.names:
            continue
        if source.stem not in known:
            known[source.stem] = optimized(
                kind, source, rocm, ("--max-iters", str(arguments.max_iters))
            )
            if arguments.results is not None:
                with arguments.results.open("a") as file:
                    file.write(json.dumps(asdict(known[source.stem])) + "\n")
        results.append(known[source.stem])
    text, reached = summary(results)
    print(table(results))
    print(f"\n{text}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
