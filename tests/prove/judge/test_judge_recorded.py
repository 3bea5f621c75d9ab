"""The judge on the recorded noise of a real GPU, and on the noise of the virtual device: a quick
version of benchmarks/judge.py with fixed limits. Of the noise, a third is in a fixture."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from benchmarks.judge import ASKED, accepted, at_once, followed
from benchmarks.judge_plot import PAGE, PICTURE, rows_of, svg
from benchmarks.recorded_noise import Case, RecordedBlock, gain, no_op, read_noise

from fakes.recordings import Known

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "schema" / "judge-self-test-1.0.json"
Cases = dict[Case, list[RecordedBlock]]


@pytest.fixture(scope="module")
def cases(known: Known) -> Cases:
    return read_noise(known("gpu-noise/h200_noise.jsonl.gz"))


@pytest.mark.parametrize("case", sorted(ASKED))
def test_nothing_is_accepted(case: Case, cases: Cases) -> None:
    draw = no_op(cases[case], random.Random(1))
    assert accepted(draw, 12).count == 0
    assert at_once(draw, 12)[2].count == 0


@pytest.mark.parametrize(
    ("case", "tag", "least"),
    [
        (("alone", "matmul"), "B2", 6),
        (("alone", "stencil"), "B5", 5),
        (("beside", "gather"), "B2", 6),
        (("beside", "stencil"), "B5", 5),
        (("beside", "histogram"), "B5", 5),
    ],
)
def test_gains_are_found(case: Case, tag: str, least: int, cases: Cases) -> None:
    rate, blocks = followed(gain(cases[case], tag, random.Random(2)), 6)
    assert rate.count >= least
    assert blocks <= 60


def test_the_picture_is_the_table() -> None:
    rows = rows_of(PAGE.read_text(encoding="utf-8"))
    assert [tuple(row.case.split()) for row in rows] == sorted(ASKED)
    assert PICTURE.read_text(encoding="utf-8") == svg(rows), "python -m benchmarks.judge_plot"


@pytest.mark.native
@pytest.mark.weekly
def test_self_test_on_the_virtual_device(virtual_rocm: Path) -> None:
    command = [sys.executable, "-m", "rocm_perf_lab.cli.main", "judge", "--self-test", "--json"]
    done = subprocess.run(
        [*command, "--rocm", str(virtual_rocm), "--blocks", "8", "--trials", "60"],
        env={**os.environ, "VROCM_NOISE": "5:typical"},
        capture_output=True,
        text=True,
        check=True,
    )
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert document["virtual"] is True
    assert document["false_accepts"]["count"] == 0
    assert 0.002 < document["process_noise"] < 0.05
    assert document["smallest_gain"] <= 0.03
