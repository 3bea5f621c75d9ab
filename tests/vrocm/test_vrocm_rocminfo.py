"""rocminfo and rocm_agent_enumerator of the virtual ROCm."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from profiler_support import BUILD

from rocm_perf_lab.vrocm.info import agents, rocm_smi
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


@pytest.mark.native
@needs_runtime
def test_rocm_smi_answers_what_scripts_parse() -> None:
    words = ("--showproductname", "--showuse", "--showmeminfo", "vram")
    found = json.loads(rocminfo(*words, "--json", program="rocm_smi", VROCM_DEVICES="2"))
    assert list(found) == ["card0", "card1"]
    assert found["card1"]["Card Series"] == "AMD Instinct MI300X (virtual)"
    assert found["card1"]["GFX Version"] == "gfx942"
    assert found["card0"]["VRAM Total Memory (B)"] == str(192 << 30)
    assert found["card0"]["GPU use (%)"] == "N/A"  # a virtual device has no sensors
    header, line = rocminfo("--showbus", "--showid", "--csv", program="rocm_smi").splitlines()
    assert header == "device,Device Name,Device ID,Device Rev,PCI Bus"
    assert line == "card0,AMD Instinct MI300X (virtual),0x74a1,0x01,0000:05:00.0"
    assert "GPU[0]\t\t: Card Model: 0x74a1\n" in rocminfo(program="rocm_smi")


@pytest.mark.native
@needs_runtime
def test_amd_smi_answers_what_scripts_parse() -> None:
    found = json.loads(rocminfo("static", "--asic", "--vram", "--json", program="amd_smi"))
    (gpu,) = found["gpu_data"]
    assert list(gpu) == ["gpu", "asic", "vram"]
    assert gpu["asic"]["target_graphics_version"] == "gfx942"
    assert gpu["asic"]["num_compute_units"] == 304
    assert gpu["vram"]["size"] == {"value": 192 * 1024, "unit": "MB"}
    (usage,) = json.loads(rocminfo("metric", "-u", "--json", program="amd_smi"))["gpu_data"]
    assert usage["usage"]["gfx_activity"] == "N/A"
    (listed,) = json.loads(rocminfo("list", "--json", program="amd_smi"))
    assert (listed["gpu"], listed["bdf"], listed["node_id"]) == (0, "0000:05:00.0", 1)
    text = rocminfo("static", program="amd_smi")
    assert text.startswith(
        "GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI300X (virtual)\n"
    )
    assert "        SIZE: 196608 MB\n" in text


@pytest.mark.native
@needs_runtime
def test_a_device_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert rocm_smi.main(["--rocm-root", str(BUILD), "-d", "7"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "there is no GPU 7" in said.err
    assert "next: leave the number out" in said.err
