"""One verb as a process of its own: whoever cancels the call ends it with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import anyio
import anyio.abc
from anyio.streams.text import TextReceiveStream

Report = Callable[[str], Awaitable[None]]

_MOST_BYTES = 64 * 1024 * 1024  # of one document; a defect must not fill the memory
_MOST_REPORTS = 500
_LONGEST_REPORT = 200
_GRACE_S = 5.0  # for taking away what is temporary


@dataclass(frozen=True)
class Ended:
    exit_code: int
    text: str  # of standard output


async def run_verb(words: Sequence[str], folder: Path, report: Report) -> Ended:
    process = await anyio.open_process(
        [sys.executable, "-m", "rocm_perf_lab.cli.main", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        start_new_session=True,
    )
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_report_lines, process, report)
            text = await _all_of(process)
        return Ended(await process.wait(), text)
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
            await process.aclose()


async def _all_of(process: anyio.abc.Process) -> str:
    assert process.stdout is not None
    parts, size = [], 0
    async for part in process.stdout:
        size += len(part)
        if size > _MOST_BYTES:
            break
        parts.append(part)
    return b"".join(parts).decode(errors="replace")


async def _report_lines(process: anyio.abc.Process, report: Report) -> None:
    """Progress, and what the application writes. All of it is read, not all of it is passed on."""
    assert process.stderr is not None
    rest, sent = "", 0
    async for part in TextReceiveStream(process.stderr, errors="replace"):
        *lines, rest = (rest + part).replace("\r", "\n").split("\n")
        rest = rest[-_LONGEST_REPORT:]
        for line in filter(None, map(str.strip, lines)):
            if sent < _MOST_REPORTS:
                sent += 1
                await report(line[:_LONGEST_REPORT])


async def _end(process: anyio.abc.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    with anyio.move_on_after(_GRACE_S):
        await process.wait()
        return
    os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
