"""Options that make no sense end before anything runs, and name the help of their verb."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.cli.main import main

TIMED = (
    ("profile",),
    ("explain",),
    ("isolate", "--kernel", "k"),
    ("optimize", "k.hip"),
)


@pytest.mark.parametrize("verb", TIMED, ids=lambda verb: verb[0])
@pytest.mark.parametrize("limit", ["nan", "inf", "0", "-1", "soon"])
def test_a_time_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: tuple[str, ...], limit: str
) -> None:
    ran = tmp_path / "ran"
    assert main([*verb, "--timeout", limit, "--", "/bin/touch", str(ran)]) == 2
    said = capsys.readouterr().err
    assert "argument --timeout" in said
    assert f"rocm-perf {verb[0]} --help" in said
    assert not ran.exists()


@pytest.mark.parametrize("verb", ["profile", "isolate"])
def test_an_expression(tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str) -> None:
    ran = tmp_path / "ran"
    assert main([verb, "--kernel", "gemm(", "--", "/bin/touch", str(ran)]) == 2
    said = capsys.readouterr().err
    assert "'gemm(' is not a regular expression" in said
    assert f"rocm-perf {verb} --help" in said
    assert not ran.exists()
