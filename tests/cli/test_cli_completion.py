"""Completion of the shell: what it offers is what the program understands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rocm_perf_lab.cli.main import VERBS, main

pytest.importorskip("shtab")

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_rocm_perf "$1" "${COMP_WORDS[COMP_CWORD]}" ""
echo "${COMPREPLY[*]}"
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pro", {"profile", "prompt"}),
        ("profile --ro", {"--rocm", "--roofline"}),
        ("replay ru", {"run"}),
        ("replay run --it", {"--iterations"}),
        ("optimize --allow re", {"reassociate"}),
        ("completion z", {"zsh"}),
    ],
)
def test_bash_offers(
    typed: str, offered: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "completion").write_text(script("bash", capsys))
    words = ["bash", "-c", ASK, "-", str(tmp_path / "completion"), "rocm-perf", *typed.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_verb(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    for verb in VERBS:
        assert verb in text
    assert "deep-analysis" in text


def test_without_the_library_the_cure_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 3
    assert 'pip install "rocm-perf-lab[terminal]"' in capsys.readouterr().err
