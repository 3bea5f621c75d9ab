"""Real attempts to leave the box. Each program says what it got; it must have got nothing."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rocm_perf_lab.box import BoxResult, Limits, boxed_environment, run_boxed
from rocm_perf_lab.errors import ToolFailed, UsageError
from rocm_perf_lab.supervisor import landlock

BARE_PYTHON = (os.path.realpath(sys.executable), "-I", "-S")
OWN_PYTHON = (sys.executable, "-I")  # with our package
QUICK = Limits(seconds=20.0, memory_bytes=300 << 20, processes=40, file_bytes=1 << 20)

needs_landlock = pytest.mark.skipif(
    landlock.version() == 0, reason="this kernel has no Landlock, and the box says so"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "own"
    made.mkdir()
    return made


def boxed(
    folder: Path, code: str, limits: Limits = QUICK, python: tuple[str, ...] = BARE_PYTHON
) -> BoxResult:
    """Python code in the box."""
    (folder / "program.py").write_text(code)
    return run_boxed([*python, "program.py"], folder, Path("/usr"), limits=limits)


ATTEMPTS = """
import ctypes, json, os, signal, socket
found = {}

def attempt(name, action):
    try:
        found[name] = repr(action())
    except BaseException as error:
        found[name] = type(error).__name__

def read(path):
    with open(path, "rb") as file:
        return file.read(100)

def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, pid, 0, 0) != 0:
        raise PermissionError
    return "traced"

def connect(kind, where):
    with socket.socket(kind, socket.SOCK_STREAM) as link:
        return link.connect(where)

secret, home, judge, listener, local, common = json.load(open("targets.json"))
attempt("read secret", lambda: read(secret))
attempt("list its folder", lambda: os.listdir(os.path.dirname(secret)))
attempt("read secret through a link", lambda: (os.symlink(secret, "link"), read("link"))[1])
attempt("write home", lambda: open(os.path.join(home, "evil"), "w").write("x"))
attempt("write /tmp", lambda: open(common, "w").write("x"))
attempt("remove secret", lambda: os.unlink(secret))
attempt("rename into own folder", lambda: os.rename(secret, "mine"))
attempt("memory of the judge", lambda: read(f"/proc/{judge}/mem"))
attempt("environment of the judge", lambda: read(f"/proc/{judge}/environ"))
attempt("files of the judge", lambda: os.listdir(f"/proc/{judge}/fd"))
attempt("environment of the first process", lambda: read("/proc/1/environ"))
attempt("environment of the parent", lambda: read(f"/proc/{os.getppid()}/environ"))
attempt("trace the judge", lambda: trace(judge))
attempt("trace the parent", lambda: trace(os.getppid()))
attempt("signal the judge", lambda: os.kill(judge, 0))
attempt("connect", lambda: connect(socket.AF_INET, ("127.0.0.1", listener)))
attempt("connect locally", lambda: connect(socket.AF_UNIX, local))
attempt("passwords", lambda: read("/etc/passwd"))
good = {"own": open("mine.txt", "w").write("x"), "cwd": os.getcwd(), "env": dict(os.environ)}
good["random"] = len(read("/dev/urandom"))
print(json.dumps([found, good]))
"""


@needs_landlock
def test_a_candidate_gets_nothing(tmp_path: Path, folder: Path, monkeypatch) -> None:
    secret = tmp_path / "judge" / "expected.bin"
    secret.parent.mkdir()
    secret.write_text("the expected output")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with socket.socket() as listener, socket.socket(socket.AF_UNIX) as local:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        local_path = str(tmp_path / "s")
        local.bind(local_path)
        local.listen()
        targets = [str(secret), str(home), os.getpid(), listener.getsockname()[1], local_path]
        targets.append(f"/tmp/written-from-a-box-{os.getpid()}")
        (folder / "targets.json").write_text(json.dumps(targets))
        result = boxed(folder, ATTEMPTS)
    assert result.ok, (result.ending, result.stderr)
    found, good = json.loads(result.stdout)
    refused = {"PermissionError", "FileNotFoundError", "OSError", "ProcessLookupError"}
    got = {name: value for name, value in found.items() if value not in refused}
    assert got == {}
    assert secret.read_text() == "the expected output"
    assert list(home.iterdir()) == []
    assert not os.path.exists(targets[-1])
    assert good["cwd"] == str(folder)
    assert good["env"] == boxed_environment(Path("/usr"), folder)
    assert (good["own"], good["random"]) == (1, 100)
    assert (folder / "mine.txt").read_text() == "x"


def test_what_was_enforced_is_said(folder: Path) -> None:
    result = boxed(folder, "print('hello')")
    assert result.stdout == b"hello\n"
    said = " ".join((*result.enforced, *result.not_enforced))
    for part in ("own processes, network", "files outside of its folder", "system calls"):
        assert part in said
    assert not set(result.enforced) & set(result.not_enforced)


LIMITED = {
    "time": "while True: pass",
    "memory": "keep = b'x' * (700 << 20)\nwhile True: pass",
    "processes": "import os\nwhile True: os.fork()",
    "disk": "for i in range(64): open(str(i), 'wb').write(b'x' * (1 << 20))\nwhile True: pass",
}


@pytest.mark.parametrize("limit", LIMITED)
def test_each_limit_ends_the_run(folder: Path, limit: str) -> None:
    seconds = 2.0 if limit == "time" else 60.0
    limits = Limits(seconds, 300 << 20, 40, 2 << 20, 16 << 20)
    started = time.monotonic()
    result = boxed(folder, LIMITED[limit], limits)
    if limit == "processes" and result.ended_by is None:  # the kernel itself said no
        assert b"BlockingIOError" in result.stderr
    else:
        assert result.ended_by == limit, (result.ending, result.stderr)
        assert result.ending == f"stopped by its limit of {limit}"
        assert not result.ok
    assert time.monotonic() - started < 50


def test_a_large_file_is_cut(folder: Path) -> None:
    code = "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
    result = boxed(folder, code + "open('large', 'wb').write(b'x' * (8 << 20))")
    assert result.ended_by == "file size"
    assert (folder / "large").stat().st_size <= QUICK.file_bytes


def test_endless_output_is_cut_as_well(folder: Path) -> None:
    result = boxed(folder, "while True: print('x' * 1000)")
    assert not result.ok
    assert 0 < len(result.stdout) <= 65536


def test_nothing_outlives_the_candidate(folder: Path) -> None:
    code = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(2)
        open('late', 'w').write('x')
"""
    result = boxed(folder, code)
    if any("own processes" in text for text in result.not_enforced):
        pytest.skip(f"no namespaces here: {result.not_enforced}")
    assert result.ok
    time.sleep(2.5)
    assert not (folder / "late").exists()


def test_exit_codes_and_signals_are_those_of_the_candidate(folder: Path) -> None:
    assert boxed(folder, "raise SystemExit(7)").ending == "exit code 7"
    killed = boxed(folder, "import os; os.kill(os.getpid(), 11)")
    assert (killed.exit_code, killed.ending) == (None, "signal 11 (SIGSEGV)")


def test_what_cannot_start_is_an_error_of_ours(folder: Path) -> None:
    with pytest.raises(ToolFailed, match="could not be started in its box: FileNotFoundError"):
        run_boxed([str(folder / "nothing")], folder, Path("/usr"))
    with pytest.raises(UsageError, match="needs an absolute path"):
        run_boxed(["ls"], folder, Path("/usr"))


def test_the_environment_cannot_be_redirected(folder: Path) -> None:
    given = {"VROCM_CHECK": "race", "LD_LIBRARY_PATH": "/evil", "HOME": "/root"}
    made = boxed_environment(Path("/rocm"), folder, given)
    assert made["VROCM_CHECK"] == "race"
    assert made["LD_LIBRARY_PATH"] == "/rocm/lib"
    assert made["HOME"] == str(folder)


INNER = """
import json, sys, time
from pathlib import Path
from rocm_perf_lab.box import Limits, run_boxed
own = Path("inner")
own.mkdir()
(own / "program.py").write_text('''
import json, os
found = {}
for name in (os.path.abspath("../secret"), "/proc/1/environ", f"/proc/{os.getppid()}/environ"):
    try:
        found[name] = len(open(name, "rb").read())
    except OSError as error:
        found[name] = type(error).__name__
print(json.dumps(found))
''')
argv = [sys.executable, "-I", "-S", "program.py"]
result = run_boxed(argv, own, Path("/usr"), limits=Limits(seconds=20.0))
(own / "program.py").write_text("import os, time\\nwhile True: os.fork(), time.sleep(0.1)")
bomb = run_boxed(argv, own, Path("/usr"), limits=Limits(seconds=10.0, processes=30))
(own / "program.py").write_text('''
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(2)
        open("late", "w").write("x")
''')
run_boxed(argv, own, Path("/usr"), limits=Limits(seconds=10.0))
time.sleep(2.5)
late = (own / "late").exists()
said = result.stdout.decode()
print(json.dumps([said, result.enforced, result.not_enforced, bomb.ended_by, late]))
"""


@needs_landlock
def test_without_namespaces_the_rest_still_holds_and_it_is_said(folder: Path) -> None:
    """A box in a box: the outer one forbids namespaces to the inner one."""
    (folder / "secret").write_text("of the outer box")
    result = boxed(folder, INNER, Limits(seconds=60.0, processes=2000), OWN_PYTHON)
    assert result.ok, (result.ending, result.stderr)
    stdout, enforced, missing, bomb, late = json.loads(result.stdout)
    assert set(json.loads(stdout).values()) == {"PermissionError"}
    assert any("Landlock" in text for text in enforced)
    assert len(missing) == 1
    assert missing[0].startswith("own processes, network, mounts and messages (")
    assert bomb == "processes"
    assert not late


def test_the_supervisor_imports_little() -> None:
    """It is started for every run of a candidate: hundreds of times for one proof."""
    code = "import sys; import rocm_perf_lab.supervisor.__main__; print(*sys.modules)"
    done = subprocess.run(
        [*OWN_PYTHON, "-c", code], stdout=subprocess.PIPE, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    ours = {name for name in loaded if name.startswith("rocm_perf_lab.")}
    assert {".".join(name.split(".")[:2]) for name in ours} == {"rocm_perf_lab.supervisor"}
    assert not loaded & {"dataclasses", "inspect", "subprocess", "numpy"}
