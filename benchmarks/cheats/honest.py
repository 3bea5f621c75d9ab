"""Honest changes against guards and oracle: how many of them are accepted?

    python -m benchmarks.cheats honest [--results FILE] [--only NAME ...]

``honest/manifest.json`` names them: kernels written by hand, which take the place of one of the
programs of ``tests/adversarial``, and changes that a rule makes to an example. As in ``optimize``,
what a rule changed need not be executed where it is proven for all inputs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Optional

from benchmarks.cheats.asking import Questions, build, capture_of
from benchmarks.cheats.guarding import Guards
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.vrocm.prefix import ensure_prefix

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "honest"
PROCESSES = 2
MISSING = "no change"


@dataclass(frozen=True)
class Honest:
    """``rule`` makes the change, or the file of its name is the new definition. ``arguments`` of
    the program keep its launches at about ten million instructions of lanes."""

    name: str
    program: Path
    kernel: str
    rule: Optional[str] = None
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    name: str
    verdict: str
    stage: str
    reason: str
    seconds: float

    @property
    def accepted(self) -> bool:
        return self.verdict == "equal"


def manifest(folder: Path = FOLDER) -> list[Honest]:
    document = json.loads((folder / "manifest.json").read_text("utf-8"))
    by_hand = [
        Honest(one["id"], ROOT / one["program"], one["kernel"]) for one in document["by_hand"]
    ]
    by_rule = [
        Honest(
            f"{one['rule']} of {one['kernel']} in {Path(one['program']).stem}",
            ROOT / one["program"],
            one["kernel"],
            one["rule"],
            tuple(one["arguments"]),
        )
        for one in document["by_rule"]
    ]
    return by_hand + by_rule


def tried(group: Sequence[Honest], rocm: Path) -> list[Outcome]:
    """Changes of one kernel: the program is built and captured once."""
    prefix = find_prefix(rocm)
    one = group[0]
    with tempfile.TemporaryDirectory(prefix="honest-") as name:
        folder = Path(name)
        program = build(prefix, one.program, folder / "program")
        capture = capture_of(prefix, program, one.kernel, folder / "capture", one.arguments)
        guards = Guards(prefix, one.program, one.kernel, capture, folder)
        with (
            contextlib.closing(guards),
            contextlib.closing(Questions(prefix, capture, 0)) as oracle,
        ):
            return [_decided(guards, oracle, honest) for honest in group]


def _decided(guards: Guards, oracle: Questions, honest: Honest) -> Outcome:
    began = time.perf_counter()

    def outcome(verdict: str, stage: str, reason: str) -> Outcome:
        return Outcome(honest.name, verdict, stage, reason, round(time.perf_counter() - began, 2))

    if honest.rule is not None:
        source = guards.changed_by(honest.rule)
    else:
        source = guards.with_definition((FOLDER / f"{honest.name}.hip").read_bytes().strip(b"\n"))
    if source is None:
        return outcome(MISSING, "rule", f"{honest.rule} has no change of this kernel")
    code, refusal = guards.decide(source)
    if code is None:
        assert refusal is not None
        return outcome("refused", refusal.stage.value, refusal.message)
    proven = honest.rule is not None and guards.proven(source)
    answer = oracle.ask(code, plain=lambda: guards.plain(source), allow_unseen=proven)
    stage = "proven for all inputs" if proven and answer.verdict == "equal" else answer.stage
    return outcome(answer.verdict, stage, answer.reason)


def groups(wanted: Sequence[Honest]) -> Iterator[list[Honest]]:
    of_kernel: dict[tuple[Path, str], list[Honest]] = {}
    for one in wanted:
        of_kernel.setdefault((one.program, one.kernel), []).append(one)
    yield from of_kernel.values()


def kept(file: Optional[Path]) -> dict[str, Outcome]:
    if file is None or not file.is_file():
        return {}
    lines = file.read_text("utf-8").splitlines()
    return {one.name: one for one in (Outcome(**json.loads(line)) for line in lines if line)}


def run(wanted: Sequence[Honest], rocm: Path, results: Optional[Path]) -> list[Outcome]:
    done = kept(results)
    left = groups([one for one in wanted if one.name not in done])
    with ProcessPoolExecutor(PROCESSES) as pool:
        for future in as_completed([pool.submit(tried, group, rocm) for group in left]):
            for outcome in future.result():
                done[outcome.name] = outcome
                if results is not None:
                    with results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(outcome)) + "\n")
                print(f"{len(done)} of {len(wanted)}: {outcome.name}", file=sys.stderr)
    return [done[one.name] for one in wanted]


def report(outcomes: Sequence[Outcome]) -> str:
    lines = ["| change | verdict | stage | seconds |", "|---|---|---|---|"]
    for one in outcomes:
        lines.append(f"| {one.name} | {one.verdict} | {one.stage} | {one.seconds:.1f} |")
    lines += [f"{one.name}: {one.reason}" for one in outcomes if not one.accepted]
    accepted = sum(one.accepted for one in outcomes)
    return "\n".join([*lines, f"Result: {accepted} of {len(outcomes)} accepted"])


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cheats honest")
    parser.add_argument("--results", type=Path, help="JSON lines; what is in it is not asked again")
    parser.add_argument("--only", action="append", default=[], help="this one; repeatable")
    parser.add_argument("--rocm", type=Path, help="prefix; the virtual one if it is left out")
    options = parser.parse_args(argv)
    rocm = options.rocm or ensure_prefix(lambda line: print(line, file=sys.stderr))
    wanted = [one for one in manifest() if not options.only or one.name in options.only]
    outcomes = run(wanted, rocm, options.results)
    print(report(outcomes))
    return 0 if all(one.accepted for one in outcomes) else 1
