"""Foreign programs are watched, and ended with everything they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from rocm_perf_lab.collect import process
from rocm_perf_lab.collect.process import STDERR_TAIL_BYTES, Stdout, run_process


def sh(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def is_running(pid: int) -> bool:
    """True for a live process; a zombie that nobody has reaped yet does not run."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until_gone(pids: list[int]) -> list[int]:
    deadline = time.monotonic() + 5
    left = pids
    while left and time.monotonic() < deadline:
        left = [pid for pid in left if is_running(pid)]
        time.sleep(0.01)
    return left


def wait_for_lines(path: Path, count: int) -> list[int]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        words = path.read_text().split() if path.exists() else []
        if len(words) == count:
            return [int(word) for word in words]
        time.sleep(0.01)
    raise AssertionError(f"{path} never got {count} lines")


# A shell that ignores SIGTERM, with a child that ignores it too; both write down their ids.
STUBBORN = 'trap "" TERM; echo $$ >> "$0"; sleep 60 & echo $! >> "$0"; wait'


def stubborn(pids: Path) -> list[str]:
    return ["/bin/sh", "-c", STUBBORN, str(pids)]


@pytest.mark.parametrize(
    ("script", "exit_code", "number", "ending"),
    [
        ("exit 0", 0, None, "exit code 0"),
        ("exit 1", 1, None, "exit code 1"),
        ("exit 134", 134, None, "exit code 134"),
        ("kill -9 $$", None, 9, "signal 9 (SIGKILL)"),
        ("kill -SEGV $$", None, 11, "signal 11 (SIGSEGV)"),
    ],
)
def test_the_ending_is_told_apart(script, exit_code, number, ending):
    result = run_process(sh(script))
    assert (result.exit_code, result.signal, result.ending) == (exit_code, number, ending)
    assert result.ok == (exit_code == 0)
    assert not result.timed_out


def test_arguments_arrive_token_by_token():
    words = ["a b", "'", '"', ";", "$HOME", "{}", "*", "", "\N{GREEK SMALL LETTER PI}", "--"]
    program = [sys.executable, "-S", "-c", "import sys; print(sys.argv[1:])", *words]
    assert run_process(program, stdout=Stdout.CAPTURE).stdout.decode().strip() == str(words)


def test_output_passes_through_untouched(capfd):
    run_process(sh("printf 'to out'; printf 'to err' >&2"))
    assert capfd.readouterr() == ("to out", "to err")


def test_stdout_can_go_to_stderr(capfd):
    run_process(sh("printf 'to out'"), stdout=Stdout.TO_STDERR)
    assert capfd.readouterr() == ("", "to out")


def test_stdout_can_be_discarded_and_stderr_kept_silently(capfd):
    result = run_process(sh("echo out; printf 'err' >&2"), stdout=Stdout.DISCARD, echo_stderr=False)
    assert capfd.readouterr() == ("", "")
    assert result.stderr_tail == "err"


def test_only_the_end_of_stderr_is_kept(capfd):
    script = "import sys; sys.stderr.write('x' * 300000 + 'the end')"
    result = run_process([sys.executable, "-S", "-c", script])
    assert len(result.stderr_tail) == STDERR_TAIL_BYTES
    assert result.stderr_tail.endswith("xthe end")
    assert len(capfd.readouterr().err) == 300007


def test_bytes_that_are_not_text_do_not_hurt():
    result = run_process(sh(r"printf '\377\376 bad' >&2"), echo_stderr=False)
    assert result.stderr_tail.endswith(" bad")


def test_stdin_is_inherited_or_empty(tmp_path):
    text = tmp_path / "input"
    text.write_text("from the user")
    code = (
        "from rocm_perf_lab.collect.process import run_process\n"
        "run_process(['cat'])\n"
        "run_process(['cat'], stdin_closed=True)\n"
    )
    with text.open() as stdin:
        output = subprocess.check_output([sys.executable, "-c", code], stdin=stdin)
    assert output == b"from the user"


def test_wall_time_covers_the_whole_process():
    result = run_process(["sleep", "0.2"], timeout_s=30)
    assert 0.2e9 <= result.wall_ns < 2e9  # a busy machine may be late, never early


def test_a_program_that_cannot_start_raises(tmp_path):
    with pytest.raises(FileNotFoundError):
        run_process([str(tmp_path / "missing")])
    (tmp_path / "plain").write_text("text")
    with pytest.raises(PermissionError):
        run_process([str(tmp_path / "plain")])


def test_the_time_limit_ends_a_hanging_program():
    start = time.monotonic()
    result = run_process(["sleep", "60"], timeout_s=0.2)
    assert result.timed_out
    assert not result.ok
    assert result.signal == signal.SIGTERM
    assert time.monotonic() - start < 10


def test_the_time_limit_ends_children_that_ignore_sigterm(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.2)
    result = run_process(stubborn(tmp_path / "pids"), timeout_s=0.5)
    assert result.timed_out
    assert result.signal == signal.SIGKILL
    assert wait_until_gone(wait_for_lines(tmp_path / "pids", 2)) == []


def test_a_program_can_close_its_files_at_the_time_limit(tmp_path):
    script = f'trap "echo closed > {tmp_path}/file; exit 0" TERM; while :; do sleep 0.05; done'
    result = run_process(sh(script), timeout_s=0.5)
    assert (tmp_path / "file").read_text() == "closed\n"
    assert result.timed_out
    assert not result.ok  # although it left with 0


def test_a_background_child_does_not_hold_us(monkeypatch):
    monkeypatch.setattr(process, "_DRAIN_SECONDS", 0.1)
    start = time.monotonic()
    result = run_process(sh("sleep 5 & echo $!"), stdout=Stdout.CAPTURE)
    assert result.ok
    assert time.monotonic() - start < 4
    os.kill(int(result.stdout), signal.SIGKILL)


RUNNER = """
    import sys
    from rocm_perf_lab.collect.process import run_process
    try:
        run_process(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.parametrize(
    ("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupt_ends_the_whole_group(tmp_path, number, exit_code):
    script = 'echo $$ >> "$0"; (sleep 60) & echo $! >> "$0"; sleep 60'
    command = [sys.executable, "-c", textwrap.dedent(RUNNER), "/bin/sh", "-c", script]
    with subprocess.Popen([*command, str(tmp_path / "pids")]) as runner:
        pids = wait_for_lines(tmp_path / "pids", 2)
        runner.send_signal(number)
        assert runner.wait(20) == exit_code
    assert wait_until_gone(pids) == []


def test_a_second_interrupt_cuts_the_grace_short(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(RUNNER), *stubborn(tmp_path / "pids")]
    with subprocess.Popen(command) as runner:
        pids = wait_for_lines(tmp_path / "pids", 2)
        start = time.monotonic()
        runner.send_signal(signal.SIGINT)
        time.sleep(0.3)
        runner.send_signal(signal.SIGINT)
        assert runner.wait(20) == 130
    assert time.monotonic() - start < process.GRACE_SECONDS
    assert wait_until_gone(pids) == []


def test_an_ignored_hangup_stays_ignored():
    code = (
        "import signal\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from rocm_perf_lab.collect.process import run_process\n"
        "result = run_process(['/bin/sh', '-c', 'kill -HUP $PPID'])\n"
        "raise SystemExit(result.exit_code)\n"
    )
    assert subprocess.call([sys.executable, "-c", code]) == 0


def test_an_interrupt_while_the_limit_is_at_work_leaves_nothing(tmp_path):
    runner = textwrap.dedent(RUNNER).replace("sys.argv[1:]", "sys.argv[1:], timeout_s=0.5")
    command = [sys.executable, "-c", runner, *stubborn(tmp_path / "pids")]
    with subprocess.Popen(command) as process_under_test:
        pids = wait_for_lines(tmp_path / "pids", 2)
        time.sleep(1.0)  # the limit has passed; its SIGTERM was ignored
        process_under_test.send_signal(signal.SIGINT)
        assert process_under_test.wait(20) == 130
    assert wait_until_gone(pids) == []
