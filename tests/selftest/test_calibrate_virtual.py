"""A calibration from end to end: another virtual device stands in for the chip."""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from benchmarks.truth.__main__ import main as truth

from rocm_perf_lab.cli.main import main

pytestmark = pytest.mark.native
ANOTHER = {"VROCM_MODEL": "19:1.05", "VROCM_NOISE": "7:typical"}
Calibrated = Callable[..., tuple[int, dict[str, Any], Path]]


@pytest.fixture
def calibrated(
    virtual_rocm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Calibrated:
    def run(*only: str, **variables: str) -> tuple[int, dict[str, Any], Path]:
        for name in ANOTHER:
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        if "VROCM_NOISE" in variables:  # processes count from 0: the same noise in every run
            monkeypatch.setenv("VROCM_NOISE", f"{variables['VROCM_NOISE']}:{tmp_path / 'number'}")
        bundle = tmp_path / "bundle.json"
        words = ["selftest", "--rocm", str(virtual_rocm), "--calibrate", "--json"]
        words += ["--bundle", str(bundle), *(["--only", *only] if only else [])]
        code = main(words)
        return code, json.loads(capsys.readouterr().out), bundle

    return run


def ratios(document: dict[str, Any]) -> dict[str, float]:
    rows = document["calibration"]["rows"]
    return {f"{row['name']}={row['parameter']}": row["chip_us"] / row["virtual_us"] for row in rows}


def test_a_slower_device_is_found_out(
    calibrated: Calibrated, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secrets = {"HIP_API_TOKEN": "Tr0ub4dor-3", "HOSTNAME": "node17.example", "USER": "somebody7"}
    monkeypatch.setattr(platform, "node", lambda: "node17.example")
    code, document, bundle = calibrated(
        "rcp=608", "fp32_latency", "write=65536", **ANOTHER, **secrets
    )
    assert code == 0
    assert document["steps"] == []
    found = ratios(document)
    assert found["rcp=608"] == pytest.approx(4.0, rel=0.08)
    assert found["fp32_latency=16384"] == pytest.approx(2.0, rel=0.06)
    assert found["write=65536"] < 2.5
    differing = document["calibration"]["differing"]
    assert {"rcp=608", "fp32_latency=16384"} <= set(differing)
    sent = bundle.read_text()
    own = (platform.uname().node, getpass.getuser(), str(Path.home()), str(bundle.parent))
    for word in (*secrets.values(), *own, "/tmp", "/home", os.environ["PATH"]):
        assert not re.search(rf"\b{re.escape(word)}\b", sent), word
    assert "19 CUs per XCD, 1.05 GHz" in json.loads(sent)["chip"]["product"]
    assert truth([str(bundle), "--half", "all"]) == 0
    assert "3 of 3 rows" in capsys.readouterr().out


def test_an_equal_device_is_equal(calibrated: Calibrated) -> None:
    code, document, _ = calibrated("fp32_latency", "empty", "chain")
    assert code == 0
    assert document["calibration"]["differing"] == []
    for word, ratio in ratios(document).items():
        assert ratio == pytest.approx(1.0, abs=0.01), word


def test_a_wrong_result_is_a_row_without_a_time(
    calibrated: Calibrated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocm_perf_lab.selftest.calibrate import side

    data = tmp_path / "data"
    data.mkdir()
    for file in side.DATA.iterdir():
        text = file.read_text("utf-8").replace("found[i] == i)", "found[i] == i + 1)")
        (data / file.name).write_text(text, "utf-8")
    monkeypatch.setattr(side, "DATA", data)
    code, document, bundle = calibrated("many_groups", "empty")
    assert code == 1
    missing = document["calibration"]["missing"]
    assert {(one["row"], one["side"]) for one in missing} == {
        ("many_groups=65536", "chip"),
        ("many_groups=65536", "virtual"),
    }
    assert {one["reason"] for one in missing} == {"wrong result of many_groups=65536"}
    assert [row["name"] for row in json.loads(bundle.read_text())["rows"]] == ["empty"]


@pytest.mark.weekly
@pytest.mark.timeout(1800)
def test_the_whole_finds_the_device_that_was_put_in(calibrated: Calibrated) -> None:
    code, document, _ = calibrated("vector", "vector-latency", "matrix", "hbm", "caches", **ANOTHER)
    assert code == 0
    kinds = {kind["kind"]: kind["ratio"] for kind in document["calibration"]["kinds"]}
    # What starting a kernel takes behind the chip's clock is the same: short ones are nearer.
    assert 3.5 < kinds["vector"] < 4.1
    assert 3.3 < kinds["matrix"] < 4.1
    assert kinds["vector latency"] == pytest.approx(2.0, rel=0.06)
    assert kinds["hbm"] < 1.5


@pytest.mark.weekly
@pytest.mark.timeout(1800)
def test_all_rows_of_an_equal_device_agree(calibrated: Calibrated) -> None:
    from rocm_perf_lab.selftest.calibrate.rows import names

    code, document, _ = calibrated(*names())
    assert code == 0
    found = ratios(document)
    assert {word: ratio for word, ratio in found.items() if abs(ratio - 1) > 0.01} == {}
    assert median(found.values()) == pytest.approx(1.0, abs=0.001)
