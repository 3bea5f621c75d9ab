"""``python -m benchmarks.verdicts [NAME ...]``: the corpus, or some pairs of it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.verdicts.earlier_pairs import PAIRS
from benchmarks.verdicts.measure import answer, compile_program, sums
from benchmarks.verdicts.pairs import ALL, BLIND_SETS, BY_NAME, SEEN
from benchmarks.verdicts.table import table
from rocm_perf_lab.vrocm.prefix import ensure_prefix

_SETS = {
    "seen": tuple(pair for pair in PAIRS if pair.name in SEEN),
    "unseen": tuple(pair for pair in PAIRS if pair.name not in SEEN),
    **BLIND_SETS,
}


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"a pair, or a set: {', '.join(_SETS)}"
    )
    names = parser.parse_args(words).names
    for name in names:
        if name not in _SETS and name not in BY_NAME:
            parser.error(f"no pair and no set is called {name}")
    wanted = [pair for name in names for pair in _SETS.get(name) or (BY_NAME[name],)] or list(ALL)
    prefix = ensure_prefix(lambda step: print(step, file=sys.stderr))
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        built = {}
        for name in sorted({pair.program for pair in wanted}):
            built[name] = compile_program(name, prefix, Path(folder))
        for pair in wanted:
            slow, mended = sums(built[pair.program], pair)
            if slow != mended:
                raise SystemExit(f"{pair.name}: the mend changes the result")
            answers.append(answer(pair, built[pair.program], prefix))
            print(f"{pair.name} done", file=sys.stderr)
    print(table(answers))


if __name__ == "__main__":
    main(sys.argv[1:])
