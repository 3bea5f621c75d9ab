"""rocminfo and rocm_agent_enumerator of the virtual ROCm."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from profiler_support import BUILD

from rocm_perf_lab.vrocm.rocminfo import main

LIBRARY = BUILD / "lib" / "libhsa-runtime64.so.1"
needs_runtime = pytest.mark.skipif(
    not LIBRARY.exists(), reason="the HSA runtime is not built (run `make native`)"
)


def rocminfo(*options: str, **variables: str) -> str:
    command = [sys.executable, "-I", "-m", "rocm_perf_lab.vrocm.rocminfo"]
    result = subprocess.run(
        [*command, "--rocm-root", str(BUILD), *options],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def values(report: str, label: str) -> list[str]:
    return re.findall(rf"^  {re.escape(label)} +(.*)$", report, re.MULTILINE)


def test_a_missing_runtime_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rocm-root", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert f"{tmp_path}/lib/libhsa-runtime64.so.1" in said.err
    assert "next: " in said.err


@pytest.mark.native
@needs_runtime
def test_the_device_is_an_mi300x_and_says_that_it_is_virtual() -> None:
    report = rocminfo()
    assert values(report, "Name:")[1:] == ["gfx942"]
    assert values(report, "Marketing Name:")[1:] == ["AMD Instinct MI300X (virtual)"]
    assert values(report, "Device Type:") == ["CPU", "GPU"]
    assert values(report, "Compute Unit:")[1] == "304"
    assert values(report, "Wavefront Size:") == ["64(0x40)"]
    assert "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-" in report
    assert "GLOBAL; FLAGS: KERNARG, FINE GRAINED" in report
    assert report.endswith("*** Done ***\n")


@pytest.mark.native
@needs_runtime
@pytest.mark.parametrize("count", [0, 1, 3])
def test_targets_are_listed_after_the_host(count: int) -> None:
    targets = rocminfo("--targets", VROCM_DEVICES=str(count)).split()
    assert targets == ["gfx000"] + ["gfx942"] * count


@pytest.mark.native
@needs_runtime
def test_targets_with_their_features() -> None:
    assert rocminfo("--targets", "-name").split() == ["gfx942:sramecc+:xnack-"]
