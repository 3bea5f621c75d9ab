"""``python -m benchmarks.verdicts.variations [NAME ...]``: the same fault in another size.

Programs of the corpus with one constant changed (twice or half of it, mostly). What is wrong with
them is the same, so the first advice has to be. Constants were chosen from the sources alone,
before any of the changed programs was run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.verdicts.measure import advised, compile_source
from benchmarks.verdicts.pair import PROGRAMS, Pair
from benchmarks.verdicts.pairs import BY_NAME
from rocm_perf_lab.vrocm.prefix import ensure_prefix


@dataclass(frozen=True)
class Variation:
    pair: Pair
    now: str  # in the source, once
    then: str


def _of(name: str, now: str, then: str) -> Variation:
    """``then`` is the other value of the constant that ``now`` defines."""
    return Variation(BY_NAME[name], now, f"{now.rpartition('= ')[0]}= {then}")


VARIATIONS = (
    _of("thirteen-a", "kSide = 1024", "512"),
    _of("fourteen-a", "kMatrices = 1 << 12", "1 << 13"),
    _of("fourteen-d", "kImages = 128", "256"),
    _of("fifteen-a", "kPixels = 1 << 17", "1 << 16"),
    _of("fifteen-b", "kRays = 1 << 17", "1 << 16"),
    _of("fifteen-d", "kLargest = 1 << 14", "1 << 13"),
    _of("sixteen-b", "kPairs = 912", "608"),
    _of("sixteen-d", "kWells = 256", "128"),
    _of("seventeen-a", "kColumns = 1 << 18", "1 << 17"),
    _of("seventeen-b", "kSamples = 1 << 21", "1 << 20"),
    _of("seventeen-c", "kParticles = 1 << 18", "1 << 19"),
    _of("seventeen-d", "kStars = 1 << 18", "1 << 19"),
    _of("eighteen-a", "kBytes = 1 << 22", "1 << 23"),
    _of("eighteen-b", "kGroups = 2432", "1216"),
    _of("eighteen-c", "kCount = 1 << 19", "1 << 20"),
    _of("nineteen-a", "kRows = 1 << 15", "1 << 16"),
    _of("nineteen-b", "kReads = 1824", "2736"),
    _of("nineteen-c", "kNodes = 1 << 16", "1 << 15"),
    _of("twenty-a", "kWalks = 12", "24"),
    _of("twenty-b", "kTraces = 304", "608"),
    _of("twenty-b", "kPieces = 96", "48"),
    _of("twenty-d", "kSounds = 1 << 16", "1 << 17"),
    _of("twentyone-a", "kEdge = 1024", "512"),
    _of("twentyone-b", "kHeads = 48", "24"),
    _of("twentyone-c", "kRounds = 72", "144"),
    Variation(BY_NAME["twentyone-d"], "k < 6000", "k < 3000"),
    _of("twentytwo-a", "kMessages = 1 << 17", "1 << 16"),
    _of("twentytwo-b", "kPowers = 1 << 17", "1 << 16"),
    _of("twentytwo-c", "kTimes = 80", "40"),
    _of("twentytwo-d", "kLetters = 256", "128"),
    _of("twentythree-a", "kOrder = 1 << 12", "1 << 13"),
    _of("twentythree-b", "kTurns = 4", "8"),
    _of("twentythree-c", "kLines = 304 * 64", "304 * 128"),
    _of("twentythree-d", "kCells = 1 << 21", "1 << 22"),
    _of("twentyfour-a", "kWeights = 1 << 23", "1 << 22"),
    _of("twentyfour-b", "kLongest = 15 * 1024", "10 * 1024"),
    _of("twentyfour-c", "kTaps = 64", "32"),
    _of("twentyfour-d", "kOptions = 1 << 15", "1 << 16"),
)


def varied(variation: Variation) -> str:
    """The source with the other constant."""
    source = (PROGRAMS / f"{variation.pair.program}.hip").read_text()
    if source.count(variation.now) != 1:
        raise SystemExit(f"{variation.pair.name}: {variation.now!r} is not once in its source")
    return source.replace(variation.now, variation.then)


def _row(variation: Variation, mends: tuple[str, ...]) -> str:
    pair = variation.pair
    said = "" if mends[:1] == (pair.mend,) else "**other**"
    cells = (pair.name, variation.then, pair.mend, ", ".join(mends), said)
    return f"| {' | '.join(cells)} |"


def main(words: list[str]) -> None:
    name = "python -m benchmarks.verdicts.variations"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a pair that is varied")
    names = parser.parse_args(words).names
    unknown = set(names) - {one.pair.name for one in VARIATIONS}
    if unknown:
        parser.error(f"no variation of {', '.join(sorted(unknown))}")
    wanted = [one for one in VARIATIONS if not names or one.pair.name in names]
    prefix = ensure_prefix(lambda step: print(step, file=sys.stderr))
    print("| pair | with | mend | advised | |\n|---|---|---|---|---|", flush=True)
    same = 0
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "varied.hip", Path(folder) / "varied"
        for one in wanted:
            source.write_text(varied(one))
            found = advised(one.pair, compile_source(source, program, prefix), prefix)
            mends = tuple(advice["mend"] for advice in found["advice"])
            same += mends[:1] == (one.pair.mend,)
            print(_row(one, mends), flush=True)
    print(f"\n**The first advice is the mend in {same} of {len(wanted)}**")


if __name__ == "__main__":
    main(sys.argv[1:])
