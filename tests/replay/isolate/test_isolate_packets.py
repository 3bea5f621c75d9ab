"""Captures of programs that write packets themselves: other queues, batches, barriers, files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hsa_support import PROGRAM, compile_kernels, needs_clang, needs_runtime
from replay_support import BUILD, Bench, needs_replay, run

from rocm_perf_lab.replay.native_tools import CAPTURE_LIBRARY

pytestmark = [*needs_replay, needs_runtime, needs_clang]

FACTORS = 3, 5  # of the first and of the second kernel of a chain


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = compile_kernels(tmp_path)
    monkeypatch.setenv("HSA_TEST_CODE", str(file))
    return file


def isolate(bench: Bench, case: str, out: Path, dispatch: int = 0) -> None:
    options = ("--kernel", "scale", "--dispatch", dispatch, "--out", out, "--timeout", 60)
    words = ("isolate", "--rocm", bench.rocm, *options, "--", PROGRAM, case)
    status, _, err = bench.rocm_perf(*words)
    assert status == 0, err
    assert "the application itself failed" not in err


def memory_before(capture: Path, argument: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """What a pointer argument led to when the dispatch was taken."""
    kernarg = np.frombuffer((capture / "kernarg.bin").read_bytes()[:16], dtype=np.uint64)
    region = capture / f"memory/region_{kernarg[argument]:x}.bin"
    return np.frombuffer(region.read_bytes(), dtype=np.int32)


@pytest.mark.parametrize(
    ("case", "dispatch"),
    [
        ("captured_beside_a_blocked_queue", 1),  # the first one is the one that is blocked
        ("captured_code_from_a_file", 0),
        ("kernel_computes", 0),
    ],
)
def test_round_trip(bench: Bench, code: Path, tmp_path: Path, case: str, dispatch: int) -> None:
    isolate(bench, case, tmp_path / "capture", dispatch)
    assert (tmp_path / "capture" / "kernel.hsaco").read_bytes() == code.read_bytes()
    status, document = bench.replay("run", tmp_path / "capture")
    assert status == 0
    assert document["verification"]["verdict"] == "equal"


def test_the_middle_of_a_batch(bench: Bench, code: Path, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    isolate(bench, "captured_among_several_packets", capture, dispatch=1)
    numbers = np.arange(1024)
    assert (memory_before(capture, 1) == numbers * FACTORS[0]).all()  # its input is complete,
    assert not memory_before(capture, 0).any()  # its output not begun
    status, document = bench.replay("run", capture)
    assert status == 0
    assert document["verification"]["changed_bytes"] == 4096


def test_a_dispatch_that_cannot_run_yet_is_refused(
    bench: Bench, code: Path, tmp_path: Path
) -> None:
    """The program goes on as if nobody had watched."""
    environment = {
        "HSA_TOOLS_LIB": str(BUILD / "lib" / CAPTURE_LIBRARY),
        "ROCM_PERF_CAPTURE_OUT": str(tmp_path),
        "ROCM_PERF_CAPTURE_KERNEL": "scale",
        "ROCM_PERF_CAPTURE_DRAIN_SECONDS": "0.5",
        "HSA_TEST_CODE": os.environ["HSA_TEST_CODE"],
    }
    done = run(PROGRAM, "captured_behind_its_own_barrier", environment=environment)
    assert done.returncode == 0, done.stderr
    (why,) = tmp_path.glob("error-*.txt")
    assert "did not end within" in why.read_text()
    assert not list(tmp_path.glob("capture-*"))
