"""Faults at random against the oracle: how many of them does it accept?

    python -m benchmarks.cheats fuzz --count 500 --seed 1 [--results FILE] [--kernel NAME ...]

Every fault lies behind a condition that the captured launch does not fulfil (or that it fulfils
for a few work-items only), and that some launch within the kernel's contract does. One that is
accepted is a hole, unless the compiler made the same instructions of it as of the right kernel.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Optional

from benchmarks.cheats.asking import Answer, Questions, build, build_program, capture_of, listing
from benchmarks.cheats.mutant import Mutant, all_in_one, mutants, renamed
from benchmarks.cheats.pool import POOL, PoolKernel
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.vrocm.prefix import ensure_prefix

PROCESSES = 2
_BATCH = 8  # mutants that share a process and an oracle


@dataclass(frozen=True)
class Outcome:
    key: str
    kernel: str
    condition: str
    fault: str
    statement: str
    verdict: str
    stage: str
    reason: str
    seconds: float
    same_code: bool  # the compiler found that the fault changes nothing

    @property
    def accepted(self) -> bool:
        return self.verdict == "equal"

    @property
    def is_hole(self) -> bool:
        return self.accepted and not self.same_code


def tried(
    batch: Sequence[Mutant], rocm: Path, programs: Path, results: Optional[Path]
) -> list[Outcome]:
    """Mutants of one kernel; ``programs`` has the built ones, ``results`` grows by each answer."""
    outcomes = []
    prefix = find_prefix(rocm)
    kernel = batch[0].kernel
    with tempfile.TemporaryDirectory(prefix="cheats-") as name:
        folder = Path(name)
        capture = capture_of(prefix, programs / kernel.program, kernel.name, folder / "capture")
        source = folder / "mutants.hip"
        right = renamed(kernel.text, kernel.name, _right(kernel))
        source.write_text(all_in_one(kernel, [right, *(mutant.text for mutant in batch)]), "utf-8")
        code = build(prefix, source, folder / "mutants.co", "--genco")
        with contextlib.closing(Questions(prefix, capture, batch[0].seed)) as oracle:
            for mutant in batch:
                outcome = _outcome(prefix, mutant, oracle.ask(code, mutant.name), code)
                outcomes.append(outcome)
                if results is not None:
                    with results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(outcome)) + "\n")
    return outcomes


def _outcome(prefix: Prefix, mutant: Mutant, answer: Answer, code: Path) -> Outcome:
    same = answer.verdict == "equal" and (
        listing(prefix, code, _right(mutant.kernel)) == listing(prefix, code, mutant.name)
    )
    return Outcome(
        key=mutant.key, kernel=mutant.kernel.name, condition=mutant.condition.kind,
        fault=mutant.fault, statement=mutant.statement, verdict=answer.verdict, stage=answer.stage,
        reason=answer.reason, seconds=answer.seconds, same_code=same,
    )  # fmt: skip


def _right(kernel: PoolKernel) -> str:
    return f"{kernel.name}_right"


def batches(wanted: Iterable[Mutant]) -> list[list[Mutant]]:
    of_kernel: dict[str, list[Mutant]] = {}
    for mutant in wanted:
        of_kernel.setdefault(mutant.kernel.name, []).append(mutant)
    return [
        ones[first : first + _BATCH]
        for ones in of_kernel.values()
        for first in range(0, len(ones), _BATCH)
    ]


def kept(file: Optional[Path]) -> dict[str, Outcome]:
    if file is None or not file.is_file():
        return {}
    lines = file.read_text("utf-8").splitlines()
    return {one.key: one for one in (Outcome(**json.loads(line)) for line in lines if line)}


def run(wanted: Sequence[Mutant], rocm: Path, results: Optional[Path]) -> list[Outcome]:
    """Those that ``results`` has already, with the same fault, are not asked again."""
    known = kept(results)
    texts = {mutant.key: mutant.statement for mutant in wanted}
    done = {key: one for key, one in known.items() if texts.get(key) == one.statement}
    left = batches(mutant for mutant in wanted if mutant.key not in done)
    with (
        tempfile.TemporaryDirectory(prefix="cheats-") as name,
        ProcessPoolExecutor(PROCESSES) as pool,
    ):
        programs = Path(name)
        sources = {batch[0].kernel.source for batch in left}
        list(pool.map(build_program, *zip(*((rocm, one, programs / one.stem) for one in sources))))
        for future in as_completed(
            [pool.submit(tried, batch, rocm, programs, results) for batch in left]
        ):
            for outcome in future.result():
                done[outcome.key] = outcome
                print(f"{len(done)} of {len(wanted)}: {_line(outcome)}", file=sys.stderr)
    return [done[mutant.key] for mutant in wanted]


def _line(one: Outcome) -> str:
    how = f"{one.verdict} ({one.stage})" if one.stage else one.verdict
    return f"{one.key} {one.kernel}: {one.fault} by {one.condition}: {how} {one.seconds:.1f} s"


def table(outcomes: Sequence[Outcome], column: str) -> str:
    tried_, holes = Counter[str](), Counter[str]()
    for one in outcomes:
        tried_[getattr(one, column)] += 1
        holes[getattr(one, column)] += one.is_hole
    lines = [f"| {column} | tried | accepted |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {k} | {tried_[k]} | {holes[k]} |" for k in sorted(tried_))])


def report(outcomes: Sequence[Outcome]) -> str:
    lines = [table(outcomes, column) + "\n" for column in ("condition", "fault", "kernel")]
    for one in outcomes:
        if one.accepted:
            why = "the same instructions as the right kernel" if one.same_code else "wrong"
            lines.append(f"accepted {one.key} {one.kernel}, {one.condition}, {why}:")
            lines.append(f"    {one.statement}")
    equivalent = sum(one.same_code for one in outcomes)
    holes = sum(one.is_hole for one in outcomes)
    if equivalent:
        lines.append(
            f"{equivalent} faults that the compiler found to change nothing are not counted"
        )
    lines.append(f"Result: {holes} of {len(outcomes) - equivalent} accepted")
    return "\n".join(lines)


def chosen(names: Sequence[str]) -> tuple[PoolKernel, ...]:
    return tuple(kernel for kernel in POOL if not names or kernel.name in names)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cheats fuzz")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, help="JSON lines; what is in it is not asked again")
    parser.add_argument("--kernel", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--rocm", type=Path, help="prefix; the virtual one if it is left out")
    options = parser.parse_args(argv)
    rocm = options.rocm or ensure_prefix(lambda line: print(line, file=sys.stderr))
    wanted = list(mutants(options.seed, options.count, chosen(options.kernel)))
    outcomes = run(wanted, rocm, options.results)
    print(report(outcomes))
    return 1 if any(one.is_hole for one in outcomes) else 0
