"""The sample of mutants: what is drawn, and what counts as noticed."""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType

import pytest

from fakes.scripts import load_script

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("mutants")


def test_a_seed_draws_the_same_files(script: ModuleType) -> None:
    area = script.AREAS["analysis"]
    first, again, other = (script.draw_files(area, random.Random(seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == area.files
    assert all((TOP / path).is_file() and path.name != "__init__.py" for path in first)


def test_areas_name_what_is_there(script: ModuleType) -> None:
    for area in script.AREAS.values():
        folder = TOP / script.PACKAGE / area.folder
        assert all((TOP / test).exists() for test in area.tests)
        assert all((folder / f"{name}.py").is_file() for name in area.without)
        drawn = script.draw_files(area, random.Random(3))
        assert not {path.stem for path in drawn} & set(area.without)


@pytest.mark.parametrize(
    ("codes", "code", "result"),
    [
        ([1] * 17 + [0] * 3, 0, "Result: 17 of 20 mutants killed (85%)"),
        ([1] * 16 + [0, 33, None, 5], 1, "Result: 16 of 20 mutants killed (80%)"),
        ([36] * 20, 0, "Result: 20 of 20 mutants killed (100%)"),
    ],
)
def test_the_least_share(
    script: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    codes: list[object],
    code: int,
    result: str,
) -> None:
    monkeypatch.setattr(script, "sample", lambda *_: {str(i): c for i, c in enumerate(codes)})
    monkeypatch.setattr(script, "show", lambda *_: "")
    assert script.main(["--area", "judge"]) == code
    assert capsys.readouterr().out.splitlines()[-1] == result
