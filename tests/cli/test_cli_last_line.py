"""The last line for people is ``Result:``, for every verb; stdout holds nothing of anybody else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.fake_rocm import build_fake_rocm
from rocm_perf_lab.cli.main import VERBS, main
from rocm_perf_lab.prove.judge import Block, Samples
from rocm_perf_lab.prove.judge.samples_file import samples_text

APP = ("--", sys.executable, "-c", "print('words ' + 'of the application')")

# What they print is for programs: a path, commands of a shell, the protocol, a comment.
FOR_PROGRAMS = {"vrocm", "completion", "mcp", "ci"}
# They need the device, or minutes; tests/reporters/test_widths.py has the last line of each page.
PAGES_ONLY = {
    "autotune",
    "evidence",
    "isolate",
    "replay",
    "verify",
    "optimize",
    "llm-optimize",
    "prompt",
    "roofs",
    "selftest",
}

COMMANDS = [
    ("profile", "--rocm", "rocm", "--runs", "2", *APP),
    ("profile", "--from", "traces"),
    ("profile", "--no-rocprof", "--runs", "2", *APP),
    ("explain", "--from", "traces"),
    ("report", "--from", "traces", "-o", "report.md"),
    ("compare", "traces", "traces"),
    ("history", "add", "profile.json"),
    ("history", "show"),
    ("history", "trend"),
    ("history", "gate"),
    ("judge", "samples.json"),
    ("doctor", "--rocm", "rocm"),
    ("examples", "my-examples"),
    ("skill", "install", "skills"),
]


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A fake ROCm, two kept runs, their profile in a history, samples of a faster candidate."""
    folder, here = tmp_path_factory.mktemp("last-line"), Path.cwd()
    os.chdir(folder)
    try:
        build_fake_rocm(folder / "rocm")
        words = ["--rocm", "rocm", "--runs", "2", "--keep-trace", "traces", "--out", "."]
        assert main(["profile", *words, *APP]) == 0
        assert main(["history", "add", "profile.json"]) == 0
        block = Block((1000.0,), (1000.1,), (900.0,))
        (folder / "samples.json").write_text(samples_text(Samples("ns", (block,) * 14)))
        yield folder
    finally:
        os.chdir(here)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_the_last_line_is_the_result(
    command: tuple[str, ...], playground: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(list(command)) in (0, 1, 3)
    shown = capfd.readouterr()
    assert shown.out.splitlines()[-1].startswith("Result: "), shown.err
    assert "words of the application" not in shown.out
    if command[-1] == APP[-1]:
        assert "words of the application" in shown.err


def test_no_verb_is_forgotten() -> None:
    assert {words[0] for words in COMMANDS} | FOR_PROGRAMS | PAGES_ONLY == set(VERBS)
