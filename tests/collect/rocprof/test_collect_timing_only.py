"""Wall time over N runs without a profiler, with the same failures as with one."""

from __future__ import annotations

import pytest

from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.timing_only import iter_timed_runs, time_runs
from rocm_perf_lab.errors import ApplicationFailed, UsageError


class Listener:
    def __init__(self):
        self.heard = []

    def started(self, step, command):
        self.heard.append(("started", step.label, step.position, step.total, command))

    def finished(self, step, wall_ns):
        self.heard.append(("finished", step.label, step.position, wall_ns > 0))


def test_every_run_is_timed_and_warmups_are_not_counted(tmp_path):
    app = ["/bin/sh", "-c", 'echo x >> "$0"; sleep 0.05', str(tmp_path / "log")]
    listener = Listener()
    runs = time_runs(app, CollectOptions(runs=2, warmup=1), listener)
    assert [run.index for run in runs] == [1, 2]
    assert all(run.wall_ns >= 50e6 for run in runs)
    assert (tmp_path / "log").read_text() == "x\n" * 3
    assert listener.heard == [
        ("started", "warm-up", 1, 1, tuple(app)),
        ("finished", "warm-up", 1, True),
        ("started", "run", 1, 2, tuple(app)),
        ("finished", "run", 1, True),
        ("started", "run", 2, 2, tuple(app)),
        ("finished", "run", 2, True),
    ]


def test_good_runs_are_kept_when_a_later_one_fails(tmp_path):
    app = ["/bin/sh", "-c", 'test -e "$0" && exit 7; touch "$0"', str(tmp_path / "flag")]
    kept = []
    runs = iter_timed_runs(app, CollectOptions(runs=3))
    with pytest.raises(ApplicationFailed, match="exit code 7"):
        kept.extend(runs)
    assert [run.index for run in kept] == [1]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo why >&2; exit 1", "exit code 1"),
        ("exit 134", "which shells use for SIGABRT"),
        ("kill -9 $$", r"signal 9 \(SIGKILL\)"),
    ],
)
def test_a_failing_application(script, words):
    with pytest.raises(ApplicationFailed, match=words) as caught:
        time_runs(["/bin/sh", "-c", script], CollectOptions(runs=1))
    assert caught.value.exit_code == 4
    assert "run it alone first: /bin/sh -c" in caught.value.next_step
    if "why" in script:
        assert caught.value.stderr_tail == "why\n"


@pytest.mark.parametrize(
    ("log", "cause", "cure"),
    [
        ("hipErrorNoDevice", "found no GPU", "rocm-perf doctor"),
        ("no kernel image is available", "not built for this GPU", "--offload-arch"),
        ("./app: error while loading shared libraries: libx.so", "missing", "LD_LIBRARY_PATH"),
        (
            "OSError: libamd_comgr.so.2: cannot open shared object file: No such file",
            r"object manager \(comgr\) is missing",
            "apt-get install libamd-comgr-dev",
        ),
    ],
)
def test_a_known_trouble_is_recognised(log, cause, cure):
    with pytest.raises(ApplicationFailed, match=cause) as caught:
        time_runs(["/bin/sh", "-c", 'echo "$0" >&2; exit 1', log], CollectOptions(runs=1))
    assert cure in caught.value.next_step


def test_a_hanging_application_is_stopped():
    options = CollectOptions(runs=1, timeout_s=0.2)
    with pytest.raises(ApplicationFailed, match=r"did not end within 0\.2 s"):
        time_runs(["sleep", "60"], options)


def test_applications_that_cannot_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("no first line")
    (tmp_path / "binary").write_bytes(b"\x7fBAD" * 10)
    (tmp_path / "binary").chmod(0o755)
    for command, words in (
        ("./missing", "was not found"),
        ("missing-on-path", "was not found"),
        ("text", "was not found"),
        ("./text", "is not executable"),
        (".", "is a directory"),
        ("./binary", "cannot be started: Exec format error"),
    ):
        with pytest.raises(ApplicationFailed, match=words) as caught:
            time_runs([command], CollectOptions(runs=1))
        assert caught.value.next_step, command
    with pytest.raises(UsageError, match="no application"):
        time_runs([], CollectOptions())


@pytest.mark.parametrize(
    "wrong", [{"runs": 0}, {"warmup": -1}, {"timeout_s": 0.0}, {"trace": frozenset({"gpu"})}]
)
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UsageError) as caught:
        CollectOptions(**wrong)
    assert caught.value.next_step
