#!/usr/bin/env python3
"""Writes, or with --check verifies, tests/fixtures/recordings from the recordings themselves.

The folder of recordings is the argument, or the one that ROCM_PERF_RECORDINGS names.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Callable

from known_answers.agents import agents
from known_answers.batched_product import batched_product
from known_answers.files import Files, different, write
from known_answers.noise import noise
from known_answers.prefill import prefill
from known_answers.product_run import product_run
from known_answers.pytorch import pytorch
from known_answers.tuning_spaces import tuning_spaces
from known_answers.vec_copy import vec_copy

FIXTURES = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "recordings"
DRAWN: tuple[Callable[[Path], Files], ...] = (
    *(agents, batched_product, noise, prefill, product_run, pytorch, tuning_spaces, vec_copy),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", nargs="?", default=os.environ.get("ROCM_PERF_RECORDINGS"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.recordings is None:
        parser.error("name the folder of recordings")
    files: Files = {}
    for draw in DRAWN:
        files.update(draw(Path(options.recordings)))
    if not options.check:
        write(FIXTURES, files)
        return 0
    for name in different(FIXTURES, files):
        print(f"{name} is not what is drawn from the recordings", file=sys.stderr)
    return 1 if different(FIXTURES, files) else 0


if __name__ == "__main__":
    raise SystemExit(main())
