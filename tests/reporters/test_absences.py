"""Everything that is null in a document has an entry in ``unavailable``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.reporters.absences import completed


def nulls(value: Any, path: str = "") -> Iterator[str]:
    if value is None:
        yield path
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name != "unavailable":
                yield from nulls(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for inner in value:
            yield from nulls(inner, path + "[]")


def unexplained(document: dict[str, Any]) -> list[str]:
    fields = {entry["field"] for entry in document["unavailable"]}
    return sorted(
        path
        for path in set(nulls(document))
        if not any(path == f or path.startswith((f + ".", f + "[")) for f in fields)
    )


@pytest.mark.parametrize("options", [(), ("--no-rocprof",), ("--critical-path",)])
def test_of_a_profile(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    words = ["profile", "--rocm", str(fake_rocm.path), "--json", "--runs", "1", *options]
    assert main([*words, "--", "true"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert unexplained(document) == []
    assert list(nulls(document))  # else nothing was looked at


def test_of_a_recording_and_of_what_explains_it(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = str(tmp_path / "kept")
    words = ["profile", "--rocm", str(fake_rocm.path), "--quiet", "--keep-trace", kept]
    assert main([*words, "--runs", "1", "--", "true"]) == 0
    capsys.readouterr()
    for verb in ("profile", "explain"):
        assert main([verb, "--json", "--from", kept]) == 0
        assert unexplained(json.loads(capsys.readouterr().out)) == []


def test_what_was_said_stays_and_comes_first() -> None:
    said = {"field": "b", "reason": "for a reason of its own", "next": None}
    content = {"a": None, "b": {"c": None}, "roofline": None, "unavailable": [said]}
    found = completed(content)["unavailable"]
    assert found[0] == said
    assert [entry["field"] for entry in found] == ["b", "a", "roofline"]
    assert found[2]["next"] == "--roofline"
    assert found[1]["reason"]


def test_the_rows_of_a_list_share_one_entry() -> None:
    rows = [{"x": None}, {"x": 1}, {"x": None}]
    (entry,) = completed({"rows": rows, "unavailable": []})["unavailable"]
    assert entry["field"] == "rows[].x"


def test_a_document_without_the_list_stays_as_it_is() -> None:
    assert completed({"a": None}) == {"a": None}
