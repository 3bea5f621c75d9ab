"""Noise that was recorded on a real GPU, as blocks for trials of the judge.

`h200_noise.jsonl.gz` of the folder that ROCM_PERF_RECORDINGS names: six kernels, alone and beside
another process; a block has two processes of the same program (A, A2) and two that do less work
(B2, B5). Blocks are drawn with repetition.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab.prove.judge import Block

Case = tuple[str, str]  # regime, kernel
RecordedBlock = dict[str, tuple[float, ...]]
Draw = Callable[[int], tuple[Block, ...]]  # so many blocks


def recorded() -> Optional[dict[Case, list[RecordedBlock]]]:
    here = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("ROCM_PERF_RECORDINGS", here)) / "gpu-noise" / "h200_noise.jsonl.gz"
    return read_noise(path) if path.is_file() else None


def read_noise(path: Path) -> dict[Case, list[RecordedBlock]]:
    found: dict[Case, dict[int, RecordedBlock]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            case = found.setdefault((row["regime"], row["kernel"]), {})
            times = tuple(float(time) for time in row["ns"])
            case.setdefault(row["block"], {})[row["tag"]] = times
    return {case: [b for _, b in sorted(by.items()) if len(b) == 4] for case, by in found.items()}


def no_op(blocks: Sequence[RecordedBlock], source: random.Random) -> Draw:
    """A and A2 of a block, which is which at random; the third process is of another block."""

    def one() -> Block:
        block, other = source.sample(blocks, 2)
        first, second = source.sample(("A", "A2"), 2)
        return Block(block[first], other[source.choice(("A", "A2"))], block[second])

    return lambda count: tuple(one() for _ in range(count))


def gain(blocks: Sequence[RecordedBlock], tag: str, source: random.Random) -> Draw:
    def draw(count: int) -> tuple[Block, ...]:
        return tuple(Block(b["A"], b["A2"], b[tag]) for b in source.choices(blocks, k=count))

    return draw
