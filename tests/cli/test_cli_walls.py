"""``rocm-perf explain --walls`` as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.analysis.documents.schemas.explain import (
    ExplanationDocument,
    WallModel,
    WallsModel,
)
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.reporters.decisions.wall_words import wall_lines
from rocm_perf_lab.strict_json import read_strict, replace

ROOT = Path(__file__).resolve().parents[2]
APP = [sys.executable, "-c", "pass"]


@pytest.mark.parametrize("verb", ["explain", "report"])
def test_recordings_cannot_run_again(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, "--walls", "--from", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "--walls runs the application again, and --from has only recordings of it" in said
    assert f"rocm-perf {verb} --walls -- ./app args" in said


def test_on_a_gpu_the_page_says_why_there_are_none(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--rocm", str(fake_rocm.path), "--runs", "1", "--no-deep-analysis"]
    assert main(["explain", "--walls", "--json", *arguments, "--", *APP]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["walls"] is None
    (absent,) = (entry for entry in found["unavailable"] if entry["field"] == "walls")
    assert "on the virtual device only" in absent["reason"]
    assert "--rocm" in absent["next"]
    document = read_strict(ExplanationDocument, json.dumps(found))
    assert wall_lines(document.walls) == []
    ladder = WallsModel(
        basis="model of the virtual device",
        kernel=document.kernel,
        now_us=100,
        walls=[
            WallModel(free=["lds-conflicts"], us=55, without="without LDS conflicts", meaning=""),
            WallModel(free=["l2", "hbm"], us=30, without="with A and with B", meaning=""),
        ],
    )
    steps, first, _, basis = wall_lines(ladder)
    assert steps == (
        "100 us now, 55 us without LDS conflicts, 30 us with A and with B (none of them alone)."
    )
    assert first == "1. 1.82x without LDS conflicts. No change of the source takes that away."
    assert "the application on the model of the virtual device" in basis
    assert basis.endswith("VROCM_IDEAL=lds-conflicts,l2,hbm.")
    (none,) = wall_lines(replace(ladder, walls=[]))
    assert none.startswith("100 us now; no mechanism")


@pytest.mark.native
@pytest.mark.weekly
@pytest.mark.timeout(900)
def test_the_walls_of_a_transpose_are_its_bank_conflicts(
    virtual_rocm: Path, tmp_path: Path
) -> None:
    program = tmp_path / "app"
    source = ROOT / "examples" / "bottlenecks" / "lds_transpose.hip"
    subprocess.run([virtual_rocm / "bin" / "hipcc", source, "-o", program], check=True)
    command = [sys.executable, "-m", "rocm_perf_lab.cli.main", "explain", "--walls", "--json"]
    options = ["--rocm", virtual_rocm, "--runs", "1", "--no-deep-analysis"]
    # Noise that a user asked for would be taken for gains and losses.
    noisy = {**os.environ, "VROCM_NOISE": "7:noisy"}
    done = subprocess.run(
        [*command, *options, "--", program], env=noisy, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    schema = json.loads((ROOT / "docs" / "schema" / "explain-1.0.json").read_text())
    jsonschema.validate(found, schema)
    walls = found["walls"]
    assert walls["basis"] == "model of the virtual device"
    assert walls["walls"][0]["free"] == ["lds-conflicts"]
    times = [walls["now_us"], *(wall["us"] for wall in walls["walls"])]
    assert times == sorted(times, reverse=True)
    assert times[1] < times[0] / 3
