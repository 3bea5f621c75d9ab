"""Tries the corpus on any optimizer or gate.

    python tests/adversarial/runner.py -- mygate --source {program} --kernel {kernel} {candidate}

The command is started once per case, without a shell. ``{program}`` is the program as it was,
``{candidate}`` the whole file with the change in it (or, for the form ``reply``, the text of the
reply), ``{form}`` is kernel, edits or reply. Its last line on stdout has to be a JSON object with a
``verdict``: ``accept``, ``no_change`` or anything else for no; ``stage`` is shown when it is there.
A crash or a time-out is no answer, and counts as wrong.

Without a command the text guards of this repository are asked, and what passes them
is listed as left to later stages. Exit code 1 when a verdict is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpus import Case, load_cases

LATER = "passed"  # by the text guards of this repository; nobody has accepted it yet
LATER_STAGES = ("G3", "G5")
ACCEPTED = ("accept", "no_change")


@dataclass(frozen=True)
class Answer:
    verdict: Optional[str]  # None: there was no answer
    stage: Optional[str] = None
    detail: str = ""


Gate = Callable[[Case], Answer]


def is_right(case: Case, answer: Answer) -> bool:
    """A cheat must not be accepted; a control must be, and "no change" is not "faster"."""
    if answer.verdict is None:
        return False
    if answer.verdict == LATER:
        return case.verdict == "accept" or case.stage in LATER_STAGES
    if case.is_control:
        return answer.verdict == case.verdict
    return answer.verdict not in ACCEPTED


def foreign_gate(command: Sequence[str], seconds: float) -> Gate:
    def ask(case: Case) -> Answer:
        with tempfile.TemporaryDirectory(prefix="adversarial-") as folder:
            name = "reply.md" if case.form == "reply" else "candidate.hip"
            candidate = Path(folder, name)
            data = case.candidate.read_bytes() if case.form == "reply" else case.source
            candidate.write_bytes(data)
            values = {
                "{program}": str(case.program),
                "{kernel}": case.kernel,
                "{candidate}": str(candidate),
                "{form}": case.form,
            }
            return _asked([_filled(word, values) for word in command], seconds)

    return ask


def _filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def _asked(words: list[str], seconds: float) -> Answer:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return Answer(None, detail=f"timed out after {seconds:g} s")
    except OSError as error:
        return Answer(None, detail=str(error))
    lines = done.stdout.strip().splitlines()
    try:
        said = json.loads(lines[-1])
        return Answer(str(said["verdict"]), said.get("stage"))
    except (IndexError, ValueError, KeyError, TypeError):
        return Answer(None, detail=f"exit code {done.returncode}, no verdict on the last line")


def own_gate() -> Gate:
    from source_gate import SourceGate

    from rocm_perf_lab.collect.prefix import find_prefix

    gate = SourceGate(find_prefix())

    def ask(case: Case) -> Answer:
        decision = gate.decide(case)
        if decision.refusals:
            return Answer("reject", decision.stage, decision.refusals[0].message)
        if not decision.changed:
            return Answer("no_change")
        return Answer(LATER, detail=f"decided by {case.stage or 'all later stages'}")

    return ask


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--case", action="append", help="only this one, by id; may be repeated")
    parser.add_argument("--seconds", type=float, default=600.0, help="for one case")
    parser.add_argument("command", nargs="*", help="the gate to try, after --")
    options = parser.parse_args(argv)
    cases = [case for case in load_cases() if not options.case or case.id in options.case]
    gate = foreign_gate(options.command, options.seconds) if options.command else own_gate()
    wrong = later = 0
    for case in cases:
        answer = gate(case)
        right = is_right(case, answer)
        wrong += not right
        later += answer.verdict == LATER
        mark = "ok   " if right else "WRONG"
        said = " ".join(part for part in (answer.verdict or "none", answer.stage or "") if part)
        print(f"{mark} {case.id:24} {case.verdict:9} {said:18} {answer.detail}"[:120].rstrip())
    left = f", {later} left to later stages" if later else ""
    print(f"Result: {len(cases)} cases, {wrong} wrong verdicts{left}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
