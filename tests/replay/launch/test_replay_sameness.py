"""A kernel sees the same launch in the application, under a profiler and in a replay."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest
from replay_support import SOURCES, Bench, compiled, needs_replay, rewrite, run, sign

from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.replay.capture import Capture, load_capture
from rocm_perf_lab.replay.capture_schema import PAGE_BYTES
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.replay.replayer import run_replayer
from rocm_perf_lab.replay.variant import variant_code

pytestmark = needs_replay

WORDS = 64
RESERVED2, SLOT, WRITTEN = 4, 5, 35  # of what the kernel stores


@pytest.fixture
def program(bench: Bench) -> Path:
    bench.program = compiled(bench.folder, SOURCES / "launch_view.hip")
    return bench.program


@pytest.fixture
def capture(bench: Bench, program: Path, tmp_path: Path) -> Path:
    bench.isolate("", "look", tmp_path / "capture")
    return tmp_path / "capture"


def seen(printed: str) -> list[int]:
    return [int(line, 16) for line in printed.split()][:WORDS]


def replayed(bench: Bench, folder: Path, work: Path, code: Optional[Path] = None) -> list[int]:
    """What the kernel stored in a replay: its region from the dump, where it differs, or after/."""
    capture = load_capture(folder)
    dump = work / "dump"
    (dump / "0").mkdir(parents=True)
    codes = [None if code is None else variant_code(code, capture, work / "dump")]
    result = run_replayer(capture, find_prefix(bench.rocm), ReplayOptions(), codes, dump=dump)
    address = int.from_bytes(capture.kernarg[:8], "little")
    region = next(r for r in capture.regions if r.base <= address < r.end)
    image = after(capture, region)
    for difference in result.variants[0].first.differences:
        if difference.base == region.base:
            pages = np.fromfile(dump / "0" / f"region_{region.base:x}.bin", dtype=np.uint8)
            put(image, pages, difference.runs)
    start = address - region.base
    words: list[int] = image[start : start + 8 * WORDS].view(np.uint64).tolist()
    return words


def after(capture: Capture, region: Any) -> Any:
    image = np.fromfile(capture.memory_file(region.file), dtype=np.uint8)
    for changed in capture.changes or ():
        if changed.base == region.base:
            pages = np.fromfile(capture.memory_file(changed.file), dtype=np.uint8)
            put(image, pages, changed.runs)
    return image


def put(image: Any, pages: Any, runs: tuple[tuple[int, int], ...]) -> None:
    at = 0
    for first, count in runs:
        begin = first * PAGE_BYTES
        end = min(begin + count * PAGE_BYTES, len(image))
        image[begin:end] = pages[at : at + end - begin]
        at += end - begin


def test_application_profiler_and_replay_look_the_same(
    bench: Bench, program: Path, capture: Path, tmp_path: Path
) -> None:
    plain = seen(run(program).stdout)
    assert plain[SLOT] == 5 * 64  # behind five other packets
    assert plain[WRITTEN] == 6
    profiler = [str(bench.rocm / "bin" / "rocprofv3"), "--kernel-trace", "-d", str(tmp_path / "p")]
    done = subprocess.run(
        [*profiler, "--", str(program)], capture_output=True, text=True, check=True
    )
    assert seen(done.stdout) == plain
    assert replayed(bench, capture, tmp_path / "in_place") == plain
    assert replayed(bench, capture, tmp_path / "loaded", capture / "kernel.hsaco") == plain


def test_the_reserved_words_are_those_of_the_captured_packet(
    bench: Bench, capture: Path, tmp_path: Path
) -> None:
    packet = bytearray.fromhex(json.loads((capture / "dispatch.json").read_text())["packet"])
    assert packet[48:56] == bytes(8)
    packet[10:12] = b"\x34\x12"
    packet[48:56] = bytes(range(8))
    rewrite(capture, "dispatch.json", packet=packet.hex())
    sign(capture)
    words = replayed(bench, capture, tmp_path)
    assert words[RESERVED2] == int.from_bytes(bytes(range(8)), "little")
    assert words[1] & 0xFFFF_FFFF == 0x1234_0001  # the last size of the block, reserved0


def test_captures_without_the_packet_still_replay(
    bench: Bench, capture: Path, tmp_path: Path
) -> None:
    document = json.loads((capture / "dispatch.json").read_text())
    for name in ("packet", "queue_index", "queue_size", "queue_type"):
        del document[name]
    (capture / "dispatch.json").write_text(json.dumps(document))
    sign(capture)
    words = replayed(bench, capture, tmp_path)
    assert (words[SLOT], words[WRITTEN]) == (0, 1)  # the first of its queue


@pytest.mark.parametrize(
    "change", [{"packet": "00"}, {"queue_size": 0}, {"queue_type": 3}, {"queue_index": -1}]
)
def test_a_packet_that_cannot_be_is_refused(
    bench: Bench, capture: Path, change: dict[str, Any]
) -> None:
    rewrite(capture, "dispatch.json", **change)
    sign(capture)
    code, _, said = bench.rocm_perf("replay", "run", "--rocm", bench.rocm, capture)
    assert code == 5
    assert next(iter(change)) in said
