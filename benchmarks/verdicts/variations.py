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
    _of("plate_heat", "kSide = 1024", "512"),
    _of("lu_factors", "kMatrices = 1 << 12", "1 << 13"),
    _of("running_columns", "kImages = 128", "256"),
    _of("channel_mix", "kPixels = 1 << 17", "1 << 16"),
    _of("ray_lists", "kRays = 1 << 17", "1 << 16"),
    _of("pyramid_levels", "kLargest = 1 << 14", "1 << 13"),
    _of("common_subsequence", "kPairs = 912", "608"),
    _of("well_distances", "kWells = 256", "128"),
    _of("long_row_matvec", "kColumns = 1 << 18", "1 << 17"),
    _of("audio_filter", "kSamples = 1 << 21", "1 << 20"),
    _of("particle_collisions", "kParticles = 1 << 18", "1 << 19"),
    _of("star_drift", "kStars = 1 << 18", "1 << 19"),
    _of("picture_blend", "kBytes = 1 << 22", "1 << 23"),
    _of("letter_counts", "kGroups = 2432", "1216"),
    _of("polynomial", "kCount = 1 << 19", "1 << 20"),
    _of("sparse_matvec", "kRows = 1 << 15", "1 << 16"),
    _of("genome_reads", "kReads = 1824", "2736"),
    _of("graph_ranks", "kNodes = 1 << 16", "1 << 15"),
    _of("price_walks", "kWalks = 12", "24"),
    _of("seismic_filter", "kTraces = 304", "608"),
    _of("seismic_filter", "kPieces = 96", "48"),
    _of("decibels", "kSounds = 1 << 16", "1 << 17"),
    _of("double_matmul", "kEdge = 1024", "512"),
    _of("attention_heads", "kHeads = 48", "24"),
    _of("table_cipher", "kRounds = 72", "144"),
    Variation(BY_NAME["experts_and_note"], "k < 6000", "k < 3000"),
    _of("message_digest", "kMessages = 1 << 17", "1 << 16"),
    _of("modular_powers", "kPowers = 1 << 17", "1 << 16"),
    _of("rod_heat", "kTimes = 80", "40"),
    _of("text_fingerprints", "kLetters = 256", "128"),
    _of("power_iteration", "kOrder = 1 << 12", "1 << 13"),
    _of("walk_counts", "kTurns = 4", "8"),
    _of("row_smoothing", "kLines = 304 * 64", "304 * 128"),
    _of("rock_wave", "kCells = 1 << 21", "1 << 22"),
    _of("weight_unpacking", "kWeights = 1 << 23", "1 << 22"),
    _of("word_tree", "kLongest = 15 * 1024", "10 * 1024"),
    _of("constant_filter", "kTaps = 64", "32"),
    _of("option_lines", "kOptions = 1 << 15", "1 << 16"),
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
