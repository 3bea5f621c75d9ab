"""Which changes of the rules are proven for all inputs, on the examples.

    python -m benchmarks.symbolic [--rocm PREFIX] [--results FILE] [--jobs N] [NAME ...]

Every rule is applied to every kernel of the examples, wherever it applies; each change is compiled
and compared with the original without running anything. ``--results`` keeps what was found, change
by change; those that are in it already are not looked at again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.optimize.rules.registry import ALL_RULES
from rocm_perf_lab.optimize.rules.rule import (
    LAUNCH_BOUNDS,
    REASSOCIATE,
    Change,
    Launch,
    Situation,
)
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.source import Kernel, Parser, compile_command, splice_body
from rocm_perf_lab.optimize.source.splice import splice_launch_bounds
from rocm_perf_lab.prove.symbolic import device_ir, prove_equal
from rocm_perf_lab.vrocm.prefix import ensure_prefix

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
FOLDERS = ("", "untuned", "by_rule", "bottlenecks", "tuned")
FLAGS = ("-O3",)
THREADS = 256
# Rules after which a thread does the same operations in the same order.
KEEP_ORDER = (
    "unroll",
    "unroll-pragma",
    "hoist",
    "strength-reduction",
    "bounds-check",
    "branch-to-select",
    "launch-bounds",
)


@dataclass(frozen=True)
class Task:
    name: str  # "untuned/rolled_reduction partial_sums unroll 0"
    source: str
    kernel: str
    rule: str
    title: str
    text: str  # the changed file


@dataclass(frozen=True)
class Outcome:
    name: str
    rule: str
    title: str
    proven: bool
    reason: str
    seconds: float


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted((EXAMPLES / folder).glob("*.hip"))


def tasks(source: Path, prefix: Prefix) -> Iterator[Task]:
    parser = Parser(compile_command(prefix, source, list(FLAGS)), source)
    try:
        unit = parser.parse()
    finally:
        parser.close()
    for kernel in unit.kernels:
        situation = Situation(
            unit,
            kernel,
            launch=Launch((64, 1, 1), (THREADS, 1, 1)),
            allowed=frozenset({REASSOCIATE, LAUNCH_BOUNDS}),
            largest_block=THREADS,
        )
        for rule in ALL_RULES:
            changes = [found for found in rule.look(situation) if isinstance(found, Change)]
            for number, change in enumerate(changes):
                place = source.relative_to(EXAMPLES).with_suffix("")
                name = f"{place} {kernel.name} {rule.name} {number}"
                text = changed(situation, kernel, change).decode()
                yield Task(name, str(source), kernel.name, rule.name, change.title, text)


def changed(situation: Situation, kernel: Kernel, change: Change) -> bytes:
    body = edited(situation.data, kernel.body, change.edits)
    data = splice_body(situation.data, kernel, body)
    if change.launch_bounds:
        tokens = situation.unit.files[kernel.path].tokens
        data = splice_launch_bounds(data, kernel, tokens, change.launch_bounds)
    return data


@cache
def original_ir(prefix: Prefix, source: str) -> str:
    return device_ir(prefix, Path(source), FLAGS)


def proved(task: Task, prefix: Prefix) -> Outcome:
    try:
        before = original_ir(prefix, task.source)
        with tempfile.TemporaryDirectory(prefix="rocm-perf-benchmark-") as folder:
            file = Path(folder) / Path(task.source).name
            file.write_text(task.text)
            after = device_ir(prefix, file, (*FLAGS, f"-I{Path(task.source).parent}"))
    except PerfLabError as error:
        why = f"does not compile: {error.cause}"
        return Outcome(task.name, task.rule, task.title, False, why, 0.0)
    compiled = time.perf_counter()
    report = prove_equal(before, after, task.kernel)
    seconds = time.perf_counter() - compiled
    print(f"{task.name}: {'proven' if report.proven else report.reason}", file=sys.stderr)
    return Outcome(task.name, task.rule, task.title, report.proven, report.reason, seconds)


def table(outcomes: Sequence[Outcome]) -> str:
    lines = [
        "| rule | changes | proven | why the others are not |",
        "|---|---|---|---|",
    ]
    for rule in (rule.name for rule in ALL_RULES):
        own = [one for one in outcomes if one.rule == rule]
        if not own:
            continue
        reasons = Counter(_plain(one.reason) for one in own if not one.proven)
        told = "; ".join(f"{why} ({count})" for why, count in reasons.most_common())
        lines.append(f"| {rule} | {len(own)} | {sum(o.proven for o in own)} | {told} |")
    return "\n".join(lines)


def _plain(reason: str) -> str:
    """Without the line, which differs from change to change."""
    return reason.split(": ", 1)[1] if reason.startswith("line ") else reason


def summary(outcomes: Sequence[Outcome]) -> str:
    ordered = [one for one in outcomes if one.rule in KEEP_ORDER]
    parts = []
    for words, some in (("all rules", outcomes), ("rules that keep the order", ordered)):
        share = sum(one.proven for one in some)
        percent = 100 * share / len(some) if some else 0
        parts.append(f"{words}: {share} of {len(some)} changes proven ({percent:.0f} %)")
    times = sorted(one.seconds for one in outcomes) or [0.0]
    parts.append(
        f"{times[len(times) // 2]:.1f} s for a proof in the median, {times[-1]:.0f} s at most"
    )
    return "; ".join(parts)


def kept(file: Optional[Path]) -> dict[str, Outcome]:
    if file is None or not file.is_file():
        return {}
    lines = [json.loads(line) for line in file.read_text().splitlines() if line]
    return {line["name"]: Outcome(**line) for line in lines}


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only what has this in its name")
    parser.add_argument("--rocm", type=Path, help="the prefix to compile with")
    parser.add_argument("--results", type=Path, metavar="FILE", help="JSON lines; resumed")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at a time (2)")
    arguments = parser.parse_args(argv)
    prefix = find_prefix(arguments.rocm or ensure_prefix(print))
    known = kept(arguments.results)
    wanted = [
        task
        for source in sources()
        for task in tasks(source, prefix)
        if not arguments.names or any(name in task.name for name in arguments.names)
    ]
    missing = [task for task in wanted if task.name not in known]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(proved, missing, [prefix] * len(missing)):
            known[outcome.name] = outcome
            if arguments.results is not None:
                with arguments.results.open("a") as file:
                    file.write(json.dumps(asdict(outcome)) + "\n")
    outcomes = [known[task.name] for task in wanted]
    print(table(outcomes))
    print(f"\n{summary(outcomes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
