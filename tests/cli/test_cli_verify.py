"""``rocm-perf verify`` without a device: commands, files, checks, wrong usage."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rocm_perf_lab.cli.main import main


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return f"{sys.executable} {name}"


def verify(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main(["verify", "--json", *words])
    return code, json.loads(capsys.readouterr().out)


SAME = "print(1)\nopen('out', 'w').write('x')\n"


def test_the_same_output_is_equal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = program(here, "old.py", SAME), program(here, "new.py", SAME)
    code, document = verify(capsys, "--baseline", old, "--candidate", new, "--file", "out")
    assert (code, document["verdict"], document["tier"]) == (0, "equal", "bit_exact")
    assert [stage["name"] for stage in document["application"]["stages"]] == ["stdout", "file out"]


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        ("print(2)\nopen('out', 'w').write('x')\n", "different"),
        ("print(1)\nopen('out', 'w').write('y')\n", "different"),
        ("print(1)\n", "different"),  # what the baseline left is not an output of the candidate
        ("print(1)\nopen('out', 'w').write('x')\nraise SystemExit(3)\n", "different"),
    ],
)
def test_other_output_is_different(
    here: Path, capsys: pytest.CaptureFixture[str], new: str, verdict: str
) -> None:
    words = ("--baseline", program(here, "old.py", SAME), "--candidate")
    code, document = verify(capsys, *words, program(here, "new.py", new), "--file", "out")
    assert (code, document["verdict"]) == (1, verdict)


def test_no_output_is_unverified_even_with_a_check(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = program(here, "silent.py", "pass\n")
    words = ("--baseline", silent, "--candidate", silent)
    code, document = verify(capsys, *words, "--check", "true")
    assert (code, document["verdict"]) == (1, "unverified")


def test_the_users_check_can_only_refuse(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = program(here, "same.py", SAME)
    words = ("--baseline", same, "--candidate", same, "--check")
    assert verify(capsys, *words, "true")[0] == 0
    code, document = verify(capsys, *words, "false")
    assert (code, document["verdict"]) == (1, "different")
    assert document["reason"].startswith("user check: the given command ended: exit code 1")


def test_a_baseline_that_fails_proves_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = program(here, "broken.py", "print(1)\nraise SystemExit(2)\n")
    code, document = verify(capsys, "--baseline", broken, "--candidate", broken)
    assert (code, document["verdict"]) == (1, "unverified")


CURIOUS = """
import os, pathlib
try:
    pathlib.Path(os.environ["OUTSIDE"], "changed").write_text("x")
except (KeyError, OSError) as error:
    print(type(error).__name__)
print(pathlib.Path("input").read_text(), "HOME" in os.environ and os.environ["HOME"] != "/mine")
pathlib.Path("results/out").write_text("y")
"""


def test_both_commands_run_in_a_box(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They read what lies here, and write nowhere but in a folder of their own."""
    monkeypatch.setenv("OUTSIDE", str(here))
    monkeypatch.setenv("HOME", "/mine")
    (here / "input").write_text("seen")
    (here / "results").mkdir()
    (here / "results" / "other").write_text("z")
    same = program(here, "curious.py", CURIOUS)
    words = ("--baseline", same, "--candidate", same, "--file", "results/out")
    code, document = verify(capsys, *words, "--check", "cmp results/out results/expected")
    assert (code, document["verdict"]) == (1, "different")  # there is nothing to compare with
    (here / "results" / "expected").write_text("y")
    code, document = verify(capsys, *words, "--check", "cmp results/out results/expected")
    assert (code, document["verdict"]) == (0, "equal"), document["reason"]
    assert sorted(path.name for path in (here / "results").iterdir()) == ["expected", "other"]
    assert not (here / "changed").exists()
    code, document = verify(capsys, *words, "--unboxed")
    assert (code, document["verdict"]) == (0, "equal")
    assert document["application"]["notes"] == ["both commands ran with your own rights: --unboxed"]
    assert (here / "changed").read_text() == "x"
    assert (here / "results" / "out").read_text() == "y"


def test_a_long_output_is_compared_whole(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "print({!r})\nprint('x' * 70, *range(20000), sep='\\n')\n"
    old, new = (program(here, f"{word}.py", text.format(word)) for word in ("old", "new"))
    code, document = verify(capsys, "--baseline", old, "--candidate", new)
    assert (code, document["verdict"]) == (1, "different")
    assert "line 1 differs" in document["reason"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to verify"),
        (("--baseline", "x", "--candidate", "y", "--file", "/z"), "not below the folder"),
        (("--baseline", "x", "--candidate", "y", "--file", "../z"), "not below the folder"),
        (("capture",), "belong together"),
        (("--hsaco", "x"), "belong together"),
        (("--baseline", "x"), "belong together"),
        (("capture", "--hsaco", "x", "--file", "y"), "--file and --check need"),
        (("--baseline", "x", "--candidate", "y", "--timeout", "0"), "is not a time limit"),
        (("capture", "--hsaco", "x", "--seed", "-1"), "--device and --seed must be at least 0"),
        (("--baseline", "'", "--candidate", "y"), "cannot split"),
    ],
)
def test_wrong_usage(
    here: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main(["verify", *words]) == 2
    assert message in capsys.readouterr().err
