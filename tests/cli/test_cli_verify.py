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
        ("print(1)\n", "different"),  # what the baseline left is no output of the candidate
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to verify"),
        (("capture",), "belong together"),
        (("--hsaco", "x"), "belong together"),
        (("--baseline", "x"), "belong together"),
        (("capture", "--hsaco", "x", "--file", "y"), "--file and --check need"),
        (("--baseline", "x", "--candidate", "y", "--timeout", "0"), "is no time limit"),
        (("capture", "--hsaco", "x", "--seed", "-1"), "--device and --seed must be at least 0"),
        (("--baseline", "'", "--candidate", "y"), "cannot split"),
    ],
)
def test_wrong_usage(
    here: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main(["verify", *words]) == 2
    assert message in capsys.readouterr().err
