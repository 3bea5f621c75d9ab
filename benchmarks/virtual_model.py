"""What time and counters of the virtual MI300X cost: kernel time with them over function only."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.virtual_device import SIZES, best_seconds, compile_speed
from rocm_perf_lab.vrocm.prefix import ensure_prefix

FUNCTION_ONLY = {"VROCM_TIMING": "0"}
COUNTED = {"VROCM_COUNTERS": "1"}
MOST_COUNTED_RATIO = 3.0


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="runs per figure; the best counts")
    arguments = parser.parse_args(list(argv))
    prefix = ensure_prefix(lambda step: None)
    worst = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        program = compile_speed(prefix, Path(temporary))

        def best(what: str, variables: dict[str, str]) -> float:
            return best_seconds(program, what, variables, arguments.repeat)

        print(f"{'kernel':16} {'seconds':>8} {'timed':>8} {'counted':>8}")
        for what, size in SIZES.items():
            alone = best(what, FUNCTION_ONLY)
            timed, counted = best(what, {}) / alone, best(what, COUNTED) / alone
            worst = max(worst, counted)
            print(f"{what + ' ' + str(size):16} {alone:8.4f} {timed:7.1f}x {counted:7.1f}x")
    print(f"(one host thread; target with counters: at most {MOST_COUNTED_RATIO:.0f}x)")
    return 1 if worst > MOST_COUNTED_RATIO else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
