"""What an application writes is told apart from ours, and the profiler's chatter is left out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from rocm_perf_lab.collect.echo import PROFILER_CHATTER, Echo
from rocm_perf_lab.collect.last_line import LAST_LINE, LastLine
from rocm_perf_lab.collect.process import Stdout, run_process

CHATTER = (
    b"[rocprofv3] Opened result file: /tmp/x/1_results.db\n",
    b"E20251115 12:00:00.1 77 tool.cpp:12] Opened result file: /tmp/x/1_results.db\n",
    b"W20251115 12:00:00.1 77 simple_timer.cpp:55] [rocprofv3] output generation :: 0.1 sec\n",
)
KEPT = (
    b"W20251115 12:00:00.1 77 tool.cpp:99] counter SQ_WAVES is not there\n",
    b"[rocprofv3] Warning: nothing was recorded\n",
    b"Opened result file: of the application\n",
    b"[step 1] E = mc2\n",
    b"\xff\x00 no text at all\n",
)


def passed(capfd: pytest.CaptureFixture[str], echo: Echo, *chunks: bytes) -> bytes:
    for chunk in chunks:
        echo.pass_on(chunk)
    echo.end()
    return capfd.readouterr().err.encode("utf-8", "surrogateescape")


@pytest.fixture(autouse=True)
def line_of_nobody() -> Iterator[None]:
    yield
    LAST_LINE.end_taken()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_chatter_is_hidden_however_it_arrives(size: int, capfd: pytest.CaptureFixture[str]) -> None:
    text = KEPT[0] + CHATTER[0] + KEPT[1] + CHATTER[1] + CHATTER[2] + KEPT[2] + KEPT[3]
    chunks = [text[i : i + size] for i in range(0, len(text), size)]
    assert passed(capfd, Echo(PROFILER_CHATTER), *chunks) == b"".join(KEPT[:4])


def test_without_a_filter_bytes_pass_unchanged(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    text = b"".join((*CHATTER, *KEPT)) + b"no end of line"
    echo = Echo()
    echo.pass_on(text)
    echo.end()
    assert capfdbinary.readouterr().err == text


def test_a_last_line_without_an_end_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert passed(capfd, Echo(PROFILER_CHATTER), b"[half a line") == b"[half a line"


@pytest.mark.usefixtures("watched")
def test_lines_are_marked_where_a_person_watches(capfd: pytest.CaptureFixture[str]) -> None:
    echo = Echo(PROFILER_CHATTER)
    shown = passed(capfd, echo, b"one\ntw", b"o\nName? ", b"me\n", CHATTER[0], b"end\n")
    assert shown == b"| one\n| two\n| Name? me\n| end\n"


@pytest.mark.usefixtures("watched")
def test_a_question_is_not_held_back(capfd: pytest.CaptureFixture[str]) -> None:
    Echo(PROFILER_CHATTER).pass_on(b"Your name? ")
    assert capfd.readouterr().err == "| Your name? "


def test_both_streams_of_a_program_are_marked(
    capfd: pytest.CaptureFixture[str], watched: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    program = [sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr)"]
    result = run_process(program, stdout=Stdout.TO_STDERR)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert sorted(captured.err.splitlines()) == ["| err", "| out"]
    assert (result.stdout, result.stderr_tail) == (b"", "err\n")


def test_streams_that_break_each_others_lines(
    capfd: pytest.CaptureFixture[str], watched: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    out, err = Echo(), Echo()
    for echo, text in ((out, b"one"), (err, b"two"), (out, b"\n"), (err, b" three\n")):
        echo.pass_on(text)
    assert capfd.readouterr().err == "| one\n| two three\n"


def test_progress_steps_aside_for_other_lines(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = LastLine()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    line.show("run 1 of 3")
    line.pass_on(b"hello\n")
    line.pass_on(b"half ")  # while it has not ended, nothing is drawn over it
    line.show("run 1 of 3, 2 s")
    line.pass_on(b"and half\n")
    line.show("run 1 of 3, 3 s")
    line.clear()
    erase = "\r\033[K"
    assert capfd.readouterr().err == (
        f"{erase}run 1 of 3{erase}hello\n{erase}run 1 of 3{erase}half and half\n"
        f"{erase}run 1 of 3, 3 s{erase}"
    )
