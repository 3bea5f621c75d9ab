"""The finalist is judged against the default on processes that the search did not use."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

pytest.importorskip("sklearn")

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.prove.evidence import verify_bundle

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "autotune-1.0.json"
PROGRAM = """\
import sys
a, counter = int(sys.argv[1]), sys.argv[2]
with open(counter, "a") as file: file.write("%d\\n" % a)
print("sum 42")
print("time=%g" % (100 + a))
"""


def words(tmp_path: Path, *, program: str = PROGRAM) -> list[str]:
    script = tmp_path / "kernel.py"
    script.write_text(program)
    space = tmp_path / "space.json"
    space.write_text(json.dumps({"A": [40, 30, 20, 10], "B": [1]}))
    command = f"{sys.executable} -S {script} {{A}} {tmp_path / 'ran'}"
    return [
        *("autotune", "--space", str(space), "--cmd-template", command, "--repeat", "1"),
        *("--objective", "stdout:time=([0-9.]+)", "--budget", "3"),
        *("--evidence", str(tmp_path / "evidence")),
    ]


def test_the_best_is_judged_and_its_evidence_can_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    found = document["judgement"]
    ratio = 140 / document["best_config"]["value"]
    assert found["verdict"] == "faster"
    assert found["speedup"] == pytest.approx(ratio, rel=1e-3)
    assert 1 < found["claim"] <= ratio + 1e-9
    assert (found["output"], found["accepted"]) == ("equal", True)
    # 12 blocks of three and three for the output, beside the three of the search
    assert (found["blocks"], found["processes"]) == (12, 39)
    assert document["evaluated_configs"] == 3
    assert len((tmp_path / "ran").read_text().splitlines()) == 42
    checked = verify_bundle(tmp_path / "evidence" / "finalist")
    assert (checked.intact, checked.state) == (True, "complete")
    assert checked.decision is not None
    assert checked.decision.accepted


def test_other_output_is_not_called_wrong_and_not_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = PROGRAM.replace('print("sum 42")', 'print("sum", a)')
    assert main(words(tmp_path, program=program)) == 0
    text = capsys.readouterr().out
    assert "Judge: faster than the default" in text
    assert "not proven to be right" in text
    assert "--verify CMD" in text


def test_what_leaves_the_judge_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words(tmp_path), "--no-judge", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["judgement"], document["not_judged"]) == (None, "not asked for (--no-judge)")
    assert main([*words(tmp_path), "--default", "A=10", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["not_judged"] == "the default is the best"
    assert document["default_config"]["parameters"] == {"A": 10, "B": 1}
    assert not (tmp_path / "evidence").exists()


@pytest.mark.parametrize(
    ("default", "message"),
    [
        ("A=11", "--default: A cannot be 11"),
        ("C=1", "--default: C is not a parameter of the space"),
        ("A", "--default A is not NAME=TEXT"),
    ],
)
def test_defaults_that_make_no_sense(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], default: str, message: str
) -> None:
    assert main([*words(tmp_path), "--default", default]) == 2
    assert message in capsys.readouterr().err


def test_two_objectives_give_a_pareto_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Time falls while energy rises, but for one that is worse in both."""
    program = PROGRAM + 'print("energy=%g" % (99 if a == 20 else 50 - a))\n'
    command = words(tmp_path, program=program)
    command[command.index("--objective") + 1] = "stdout:time=([0-9.]+),stdout:energy=([0-9.]+)"
    space = Path(command[command.index("--space") + 1])
    space.write_text(json.dumps({"A": [40, 30, 20, 10, 1], "B": [1]}))
    command[command.index("--budget") + 1] = "4"
    assert main([*command, "--no-judge", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    measured = {one["parameters"]["A"] for one in document["measurements"]}
    front = [one["parameters"]["A"] for one in document["pareto"]]
    assert front == sorted(measured - {20})
    assert main([*command, "--no-judge", "--evidence", str(tmp_path / "other")]) == 0
    assert "No other one is better in both" in capsys.readouterr().out
