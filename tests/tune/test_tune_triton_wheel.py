"""Triton's own package: its configurations are tuned on the virtual device; it takes the table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("triton", reason="triton is not installed: pip install triton")

from rocm_perf_lab.cli.main import main

pytestmark = [pytest.mark.native, pytest.mark.weekly]

PROGRAM = Path(__file__).parent / "triton_product.py"


@pytest.mark.timeout(1200)  # 15 s of processor time, on a machine that may be busy
def test_a_kernel_of_two_sizes(
    virtual_rocm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    table = tmp_path / "best.py"
    words = ["autotune", "--rocm", str(virtual_rocm), "--triton", f"{PROGRAM}:product_kernel"]
    words += ["--repeat", "1", "--no-judge", "--json", "--write", str(table)]
    assert main([*words, "--", sys.executable, str(PROGRAM)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["virtual"], document["evaluated_configs"]) == (True, 4)
    assert document["failures"] == {"build-failed": 1}
    codes = [one["code"] for one in document["measurements"] if one["status"] == "ok"]
    assert all(code["vgprs"] > 0 and code["occupancy"] > 0 for code in codes)
    assert any(code["lds_bytes"] > 0 for code in codes)  # which the code itself does not say
    small, large = document["triton"]["table"]
    assert (small["key"], large["key"]) == (
        {"M": 128, "N": 128, "K": 64},
        {"M": 256, "N": 256, "K": 64},
    )
    # One workgroup of the default computes all of the small product.
    assert small["ms"] < small["default_ms"]
    assert small["config"]["kwargs"]["TM"] < 128
    # Triton launches what the table says; to benchmark anything, it would need PyTorch here.
    environment = {**os.environ, "LD_LIBRARY_PATH": str(virtual_rocm / "lib")}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(table)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"128 128 64 TM: {small['config']['kwargs']['TM']},")
    assert lines[1].startswith(f"256 256 64 TM: {large['config']['kwargs']['TM']},")
