"""rocminfo and rocm_agent_enumerator of the virtual ROCm."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from profiler_support import BUILD

from rocm_perf_lab.vrocm.info import agents
from rocm_perf_lab.vrocm.info.rocminfo import main

LIBRARY = BUILD / "lib" / "libhsa-runtime64.so.1"
needs_runtime = pytest.mark.skipif(
    not LIBRARY.exists(), reason="the HSA runtime is not built (run `make native`)"
)


def rocminfo(*options: str, program: str = "rocminfo", **variables: str) -> str:
    command = [sys.executable, "-I", "-m", f"rocm_perf_lab.vrocm.info.{program}"]
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
@pytest.mark.parametrize("count", [0, 3])
def test_targets_are_listed_after_the_host(count: int) -> None:
    targets = rocminfo(program="agents", VROCM_DEVICES=str(count)).split()
    assert targets == ["gfx000"] + ["gfx942"] * count


@pytest.mark.native
@needs_runtime
def test_targets_of_one_kind_and_with_their_features() -> None:
    assert rocminfo("-t", "GPU", program="agents").split() == ["gfx942"]
    assert rocminfo("--type", "cpu", program="agents").split() == ["gfx000"]
    assert rocminfo("-name", program="agents").split() == ["gfx942:sramecc+:xnack-"]


def test_targets_may_be_listed_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For containers without a device."""
    file = tmp_path / "target.lst"
    file.write_text("gfx90a\n# gfx906\n gfx908\ngfx942 later\n")
    monkeypatch.setenv("ROCM_TARGET_LST", str(file))
    assert agents.main([]) == 0
    assert capsys.readouterr().out.split() == ["gfx000", "gfx90a", "gfx942"]
    assert agents.main(["-t", "GPU"]) == 0
    assert capsys.readouterr().out.split() == ["gfx90a", "gfx942"]
    file.unlink()
    assert agents.main([]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "next: unset ROCM_TARGET_LST" in said.err
