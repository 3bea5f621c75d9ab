"""One run of a candidate in the box, and how it went."""

from __future__ import annotations

import glob
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.box.environment import boxed_environment
from rocm_perf_lab.box.limits import Limits
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process, signal_name
from rocm_perf_lab.errors import ToolFailed, UsageError

# Programs, libraries and what the dynamic loader and the runtimes of ROCm ask the system.
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys/devices", "/sys/class",
    "/sys/bus", "/sys/module",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/localtime", "/etc/alternatives", "/opt/rocm*",
)  # fmt: skip
_DEVICES = (
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/kfd", "/dev/dri",
)  # fmt: skip
_PACKAGE_ROOT = Path(__file__).parents[2]
_SUPERVISOR = "rocm_perf_lab.supervisor"  # imports no other module of this package
_START_SECONDS = 20.0  # for the supervisor itself, on a busy machine
OUTPUT_TAIL_BYTES = 65536


@dataclass(frozen=True)
class BoxResult:
    """``exit_code`` and ``signal`` are None where the box ended the run."""

    exit_code: Optional[int]
    signal: Optional[int]
    ended_by: Optional[str]  # "time", "memory", "processes" or "disk"
    stdout: bytes  # the last 64 KiB, unless more was asked for
    stderr: bytes
    enforced: tuple[str, ...]
    not_enforced: tuple[str, ...]  # with the reason

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def ending(self) -> str:
        if self.ended_by is not None:
            return f"stopped by its limit of {self.ended_by}"
        if self.signal is not None:
            return f"signal {self.signal} ({signal_name(self.signal)})"
        return f"exit code {self.exit_code}"


def run_boxed(
    argv: Sequence[str],
    folder: Path,
    prefix: Path,
    *,
    limits: Limits = Limits(),  # noqa: B008 (it is frozen)
    readable: Iterable[Path] = (),
    environment: Optional[Mapping[str, str]] = None,
    most_output: int = OUTPUT_TAIL_BYTES,
) -> BoxResult:
    """Run ``argv`` in ``folder``, the only place it can write to, with a scrubbed environment.

    It can read the system, the prefix and ``readable``, which is for its inputs; ``environment``
    adds to its own. Of each of its outputs the last ``most_output`` bytes are kept. Raises
    ``UsageError`` or ``ToolFailed`` when it cannot be started.
    """
    folder = folder.resolve()
    if not argv or not os.path.isabs(argv[0]):
        raise UsageError(f"a boxed program needs an absolute path, not {argv[:1]}", None)
    (folder / "tmp").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rocm-perf-box-") as own:
        spec = {
            **asdict(limits),
            "argv": list(argv),
            "folder": str(folder),
            "environment": boxed_environment(prefix, folder, environment),
            "readable": _readable(prefix, [*readable, Path(argv[0])]),
            "devices": list(_DEVICES),
            **{name: os.path.join(own, name) for name in ("report", "stdout", "stderr")},
        }
        supervisor = _supervised(spec, Path(own, "specification.json"), limits)
        result = _result(own, supervisor.stderr_tail, most_output)
    shutil.rmtree(folder / "tmp", ignore_errors=True)
    return result


def _supervised(spec: Mapping[str, Any], file: Path, limits: Limits) -> ProcessResult:
    file.write_text(json.dumps(spec))
    return run_process(
        [sys.executable, "-I", "-m", _SUPERVISOR, str(file)],
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        timeout_s=limits.seconds + _START_SECONDS,
        stdout=Stdout.DISCARD,
        echo_stderr=False,
        stdin_closed=True,
    )


def _readable(prefix: Path, paths: Iterable[Path]) -> list[str]:
    """With what links in the prefix lead to, such as its compiler, and with what its front ends
    run by: the interpreter and this package."""
    named = [path for pattern in _SYSTEM for path in glob.glob(pattern)]
    python = (Path(sys.prefix), Path(sys.base_prefix), _PACKAGE_ROOT)
    compiler = ((prefix / "llvm" / "bin" / "lld").resolve().parent, *(prefix / "llvm").glob("*"))
    found = (path.resolve() for path in (prefix, prefix / "llvm", *compiler, *python, *paths))
    return list(dict.fromkeys([*named, *map(str, found)]))


def _result(own: str, stderr_tail: str, most_output: int) -> BoxResult:
    said: dict[str, list[Any]] = {}
    report = Path(own, "report")
    for line in report.read_text().splitlines() if report.exists() else ():
        key, value = json.loads(line)
        said.setdefault(key, []).append(value)
    if "error" in said or not ({"status", "ended_by"} & set(said)):
        why = (said.get("error") or [stderr_tail.strip()[-500:] or "the supervisor said nothing"])[
            0
        ]
        raise ToolFailed(f"the candidate could not be started in its box: {why}")
    ended_by = said.get("ended_by", [None])[0]
    status = None if ended_by else said["status"][0]
    killed = status is not None and os.WIFSIGNALED(status)
    return BoxResult(
        exit_code=None if status is None or killed else os.WEXITSTATUS(status),
        signal=os.WTERMSIG(status) if status is not None and killed else None,
        ended_by=ended_by or _by_kernel(status),
        stdout=_tail(Path(own, "stdout"), most_output),
        stderr=_tail(Path(own, "stderr"), most_output),
        enforced=tuple(said.get("enforced", ())),
        not_enforced=tuple(said.get("missing", ())),
    )


def _by_kernel(status: Optional[int]) -> Optional[str]:
    """Limits that the kernel holds itself, by a signal."""
    if status is None or not os.WIFSIGNALED(status):
        return None
    names = {int(signal.SIGXFSZ): "file size", int(signal.SIGXCPU): "time"}
    return names.get(os.WTERMSIG(status))


def _tail(path: Path, most: int) -> bytes:
    if not path.exists():
        return b""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        return file.read()
