"""``rocm-perf doctor``: the answer on stdout, as text of 100 columns or as one document."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import jsonschema
import pytest

from rocm_perf_lab.cli import doctor
from rocm_perf_lab.cli.main import build_parser
from rocm_perf_lab.collect.doctor.checks import USE_VIRTUAL

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "doctor-1.0.json"


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    doctor.add_parser(parser.add_subparsers())
    arguments = parser.parse_args(["doctor", *words])
    return int(arguments.run(arguments))


@pytest.fixture
def working(fake_rocm) -> str:
    fake_rocm.add_gpu()
    return str(fake_rocm.path)


def test_a_working_prefix(working, capfd):
    assert run("--rocm", working) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert "[ok]   GPU: gfx942 (AMD Instinct MI300X)" in out
    assert out.splitlines()[-1] == "Result: profile can run"


def test_a_machine_that_cannot(tmp_path, capfd):
    assert run("--rocm", str(tmp_path / ("long name " * 20) / "\u00e9")) == 3
    out = capfd.readouterr().out
    assert "[fail] ROCm prefix: " in out
    assert "       fix:  " in out
    assert out.splitlines()[-1].startswith("Result: profile cannot run: ")
    assert out.isascii()
    assert max(len(line) for line in out.splitlines()) <= 100


@pytest.mark.parametrize("exists", [True, False])
def test_json_follows_its_published_schema(working, tmp_path, capfd, exists):
    code = run("--json", "--rocm", working if exists else str(tmp_path / "none"))
    document = json.loads(capfd.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert document["schema_version"] == "1.0"
    assert document["can_profile"] is (code == 0) is exists


def test_the_command_that_cures_a_missing_gpu_exists():
    command = USE_VIRTUAL.partition("rocm-perf ")[2].split()
    assert build_parser().parse_args(command).verb == "vrocm"
