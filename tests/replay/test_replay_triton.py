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
