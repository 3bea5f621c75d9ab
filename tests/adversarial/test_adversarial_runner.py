"""The runner that others point at their own gate: it counts wrong verdicts, and is not fooled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from runner import main

GATE = """
import json, sys
program, kernel, candidate, form = sys.argv[1:]
text = open(candidate, encoding="utf-8").read()
assert kernel in open(program).read() and form in ("kernel", "edits", "reply")
print("some noise")
print(json.dumps({"verdict": VERDICT, "stage": "mine"}))
"""
PLACES = ["{program}", "{kernel}", "{candidate}", "{form}"]
THREE = ["--case", "01-early-return", "--case", "c01-identity", "--case", "c13-crlf"]


def gate(tmp_path: Path, verdict: str) -> list[str]:
    script = tmp_path / "gate.py"
    script.write_text(GATE.replace("VERDICT", verdict))
    return ["--", sys.executable, str(script), *PLACES]


@pytest.mark.parametrize(
    ("verdict", "wrong"), [('"accept"', 2), ('"reject"', 2), ('"no_change"', 2), ("None", 2)]
)
def test_a_gate_with_one_answer_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verdict: str, wrong: int
) -> None:
    assert main([*THREE, *gate(tmp_path, verdict)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"Result: 3 cases, {wrong} wrong verdicts"
    assert len(lines) == 4


def test_a_gate_that_is_right_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = '"reject" if "return;" in text else "accept" if form == "reply" else "no_change"'
    assert main([*THREE, *gate(tmp_path, right)]) == 0
    out = capsys.readouterr().out
    assert out.endswith("Result: 3 cases, 0 wrong verdicts\n")
    assert "ok    01-early-return          reject    reject mine" in out


@pytest.mark.parametrize("verdict", ["1 / 0", "[]['x']"])
def test_no_answer_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verdict: str
) -> None:
    assert main(["--case", "01-early-return", *gate(tmp_path, verdict)]) == 1
    assert "exit code 1, no verdict on the last line" in capsys.readouterr().out


def test_a_gate_that_hangs_or_is_not_there_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hang = ["--", sys.executable, "-c", "import time; time.sleep(60)"]
    assert main(["--case", "01-early-return", "--seconds", "0.5", *hang]) == 1
    assert main(["--case", "01-early-return", "--", "/nowhere/gate"]) == 1
    assert "timed out" in capsys.readouterr().out
