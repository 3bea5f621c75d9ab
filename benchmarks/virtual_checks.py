"""What the checks of the virtual MI300X (VROCM_CHECK) cost: kernel time with them over without.

Both on one host thread, because a checked kernel runs on one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.virtual_device import SIZES, best_seconds, compile_speed
from rocm_perf_lab.vrocm.prefix import ensure_prefix

CHECKS = ("memory", "uninit", "race", "waitcnt")
ALL = ",".join(CHECKS)
MOST_RATIO = 20.0


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="runs per figure; the best counts")
    arguments = parser.parse_args(list(argv))
    prefix = ensure_prefix(lambda step: None)
    worst = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        program = compile_speed(prefix, Path(temporary))

        def best(what: str, check: str) -> float:
            return best_seconds(program, what, {"VROCM_CHECK": check}, arguments.repeat)

        print(f"{'kernel':16} {'seconds':>8}", *(f"{name:>8}" for name in (*CHECKS, "all")))
        for what, size in SIZES.items():
            without = best(what, "")
            ratios = [best(what, check) / without for check in (*CHECKS, ALL)]
            worst = max(worst, *ratios)
            print(f"{what + ' ' + str(size):16} {without:8.4f}", *(f"{r:7.1f}x" for r in ratios))
    print(f"(target: at most {MOST_RATIO:.0f}x)")
    return 1 if worst > MOST_RATIO else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
