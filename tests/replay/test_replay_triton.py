"""A kernel that Triton compiled, launched from Python, is captured and replayed like any other."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from replay_support import Bench, needs_replay

pytest.importorskip("triton", reason="triton is not installed: pip install triton")

pytestmark = needs_replay

LAUNCHER = Path(__file__).parent / "triton_softmax.py"
BY_JIT = Path(__file__).parent / "triton_scale.py"


def test_a_kernel_of_triton(bench: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    options = ("--kernel", "softmax_kernel", "--out", capture, "--timeout", 120)
    application = (sys.executable, LAUNCHER, bench.rocm)
    code, out, err = bench.rocm_perf(
        "isolate", "--rocm", bench.rocm, "--json", *options, "--", *application
    )
    assert code == 0, err
    assert json.loads(out)["changed_bytes"] > 0
    code, document = bench.replay("run", capture, "--iterations", 3)
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    assert document["kernel"]["name"] == "softmax_kernel"


def test_a_launch_of_triton_s_own_jit(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of three launches. Triton finds the runtime by its name, which nothing tells but
    the tool: LD_LIBRARY_PATH is the caller's and names another folder."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    capture = tmp_path / "capture"
    options = ("--kernel", "scale_kernel", "--dispatch", 1, "--out", capture, "--timeout", 120)
    code, out, err = bench.rocm_perf(
        "isolate", "--rocm", bench.rocm, "--json", *options, "--", sys.executable, BY_JIT
    )
    assert code == 0, err
    # Twice what the launch before it left, so that most elements have another byte.
    assert json.loads(out)["changed_bytes"] > 3000
    code, document = bench.replay("run", capture, "--iterations", 2)
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    assert document["kernel"]["name"] == "scale_kernel"
