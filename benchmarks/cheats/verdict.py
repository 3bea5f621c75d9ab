"""Where the time of a verdict goes: the same honest changes, one at a time.

    python -m benchmarks.cheats verdict [NAME ...]

Parts are told by functions of the oracle, each without those that it calls and that are parts, too.
Compiling, capturing and the guards come before the verdict and are not in it.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Optional
from unittest import mock

from benchmarks.cheats.asking import Questions
from benchmarks.cheats.honest import manifest, tried
from rocm_perf_lab.prove.oracle.baseline import Baseline
from rocm_perf_lab.prove.oracle.executed.stage import ExecutedCode
from rocm_perf_lab.prove.oracle.precision.comparing import Comparing
from rocm_perf_lab.vrocm.prefix import ensure_prefix

# A sum in another order, atomics, a stencil, a matrix product, plain arithmetic.
USUAL = ("product-four-sums", "private-bins", "stencil-tile", "tiled-product", "wide-copy")
LIMIT_SECONDS = 60.0

REST = "other trials, code and bookkeeping"
PARTS: dict[str, tuple[tuple[type, str], ...]] = {
    "launches on the device": ((Baseline, "play"),),
    "what was executed": (
        (ExecutedCode, "ran"),
        (ExecutedCode, "captured_code"),
        (Baseline, "covered"),
        (ExecutedCode, "near_misses"),
    ),
    "what can be executed": (
        (ExecutedCode, "new_unseen"),
        (ExecutedCode, "lost_unseen"),
        (ExecutedCode, "is_worth_a_search"),
    ),
    "outputs compared": (
        (Comparing, "judged"),
        (Comparing, "find_sharpness"),
        (Comparing, "look_ahead"),
    ),
}


class Stopwatch:
    """Seconds by part; time belongs to the part that began last."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._within: list[str] = []
        self._since = 0.0

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        self._change()
        self._within.append(name)
        try:
            yield
        finally:
            self._change()
            self._within.pop()

    def _change(self) -> None:
        now = time.perf_counter()
        if self._within:
            self.seconds[self._within[-1]] += now - self._since
        self._since = now

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*words: Any, **named: Any) -> Any:
            with self.part(name):
                return function(*words, **named)

        return call


@contextlib.contextmanager
def watched(watch: Stopwatch) -> Iterator[None]:
    """Every verdict inside is timed; the oracle's own preparation belongs to it."""
    with contextlib.ExitStack() as stack:
        wrapped: list[tuple[str, type, str]] = [
            (REST, Questions, "__init__"),
            (REST, Questions, "ask"),
        ]
        wrapped += [(part, *place) for part, places in PARTS.items() for place in places]
        for part, owner, name in wrapped:
            timed = watch.timed(part, getattr(owner, name))
            stack.enter_context(mock.patch.object(owner, name, timed))
        yield


def row(name: str, watch: Stopwatch, verdict: str) -> str:
    total = sum(watch.seconds.values())
    parts = " | ".join(f"{watch.seconds[part]:.1f}" for part in (*PARTS, REST))
    return f"| {name} | {verdict} | {total:.1f} | {parts} |"


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of honest changes")
    parser.add_argument("--rocm", type=Path, help="the prefix to build and run with")
    arguments = parser.parse_args(argv)
    rocm = arguments.rocm or ensure_prefix(lambda line: print(line, file=sys.stderr))
    known = {one.name: one for one in manifest()}
    slow = 0
    print(f"| change | verdict | seconds | {' | '.join((*PARTS, REST))} |")
    print("|---|---|---" + "|---" * (len(PARTS) + 1) + "|", flush=True)
    for name in arguments.names or USUAL:
        watch = Stopwatch()
        with watched(watch):
            (outcome,) = tried([known[name]], rocm)
        slow += sum(watch.seconds.values()) > LIMIT_SECONDS
        print(row(name, watch, outcome.verdict), flush=True)
    return 1 if slow else 0
