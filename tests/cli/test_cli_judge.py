"""The verb ``judge``: its output, its exit codes and its messages."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.prove.judge import Block, Samples
from rocm_perf_lab.prove.judge.samples_file import samples_text

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "judge-1.0.json"


def written(path: Path, a: float, b: float, blocks: int = 14) -> str:
    """Samples of a device whose noise is one part in ten thousand."""
    rows = (
        Block((a + 0.01 * i,), (a + 0.01 * ((i * 5) % blocks),), (b + 0.01 * ((i * 3) % blocks),))
        for i in range(blocks)
    )
    path.write_text(samples_text(Samples("ns", tuple(rows))))
    return str(path)


@pytest.mark.parametrize(
    ("b", "code", "result"),
    [
        (950.0, 0, "Result: ACCEPT (at least 1.052x, p ="),
        (1050.0, 1, "Result: REJECT (slower: at most 0.953x, p ="),
        (1000.0, 1, "Result: NO CHANGE (less than 1.0% apart)"),
    ],
)
def test_verdicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], b: float, code: int, result: str
) -> None:
    path = written(tmp_path / "samples.json", 1000.0, b)
    assert main(["judge", path]) == code
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith(result)
    assert main(["judge", path, "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert result.startswith(f"Result: {document['verdict'].replace('_', ' ')}")


def test_more_candidates_need_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "samples.json", 1000.0, 950.0, blocks=11)
    assert main(["judge", path]) == 0
    assert main(["judge", path, "--candidates", "20"]) == 1
    out = capsys.readouterr().out
    assert "Needed      at least 13 blocks" in out
    assert "Result: INCONCLUSIVE (11 blocks prove nothing at this level" in out


def test_least_gain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "samples.json", 1000.0, 950.0)
    assert main(["judge", path, "--min-gain", "10"]) == 1
    assert "less than 10.0% apart)" in capsys.readouterr().out
    assert main(["judge", path, "--min-gain", "-1"]) == 2


def test_few_blocks_bound_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "samples.json", 1000.0, 950.0, blocks=2)
    assert main(["judge", path, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert (document["low"], document["high"], document["floor"]) == (None, None, None)
    assert main(["judge", path]) == 1
    assert "Interval    anything to anything, 99 %" in capsys.readouterr().out


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.json").write_text('{"schema_version": "1.0", "unit": "ns", "blocks": []}')
    assert main(["judge", str(tmp_path / "bad.json")]) == 5
    error = capsys.readouterr().err
    assert "bad.json: the samples hold no block" in error
    assert "next: measure at least 10 blocks" in error
    assert main(["judge"]) == 2
    assert "no file of samples was given" in capsys.readouterr().err
    path = written(tmp_path / "samples.json", 1000.0, 950.0)
    assert main(["judge", path, "--candidates", "0"]) == 2
    assert "0 candidates: at least this one was tried" in capsys.readouterr().err


def test_what_is_not_used_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "samples.json"
    written(path, 1000.0, 950.0)
    path.write_text(json.dumps({**json.loads(path.read_text()), "kernel": "k"}))
    assert main(["judge", str(path)]) == 0
    assert "Note: not used: kernel." in capsys.readouterr().out


def test_self_test_of_a_device_without_noise(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["judge", "--self-test", "--rocm", str(fake_rocm.path), "--blocks", "6", "--trials", "9"]
    assert main([*argv, "--", "true"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith(
        "Result: 0 of 9 unchanged programs accepted (at most 33.63% with 95 %), finds"
    )


def test_self_test_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "--self-test", "--blocks", "5"]) == 2
    assert "--self-test needs 6 blocks" in capsys.readouterr().err
    assert main(["judge", "--self-test", str(tmp_path)]) == 2
    assert main(["judge", "--", "./app"]) == 2
    assert "only --self-test runs an application" in capsys.readouterr().err
