"""What the headers offer to kernels, run on the virtual device and compared with the host."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rocm_perf_lab.vrocm.prefix import ensure_prefix

PROGRAM = Path(__file__).parent / "programs" / "device_functions.hip"


@pytest.mark.native
@pytest.mark.timeout(1200)  # builds the virtual ROCm when that has not happened yet
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_device_functions_agree_with_the_host(tmp_path: Path, level: str) -> None:
    hipcc = ensure_prefix(lambda step: None) / "bin" / "hipcc"
    app = tmp_path / "device_functions"
    subprocess.run([hipcc, level, PROGRAM, "-o", app], check=True, capture_output=True)
    done = subprocess.run([app], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[:3000] + done.stderr[:2000]
    assert done.stdout.endswith("PASS device_functions: 0 mismatches\n")
