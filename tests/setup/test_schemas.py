"""The published JSON Schemas are the models', and real output satisfies them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from fakes.scripts import load_script
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.strict_json import NotStrict, read_strict

ROOT = Path(__file__).resolve().parents[2]


def test_published_schemas_are_current() -> None:
    module = load_script("write-schemas")
    for name, text in module.schemas().items():
        published = json.loads((module.FOLDER / name).read_text())
        assert published == json.loads(text), f"run scripts/write-schemas.py: {name} is old"


def test_a_changed_schema_has_an_entry_in_the_changelog() -> None:
    module = load_script("write-schemas")
    told = module.CHANGELOG.read_text("utf-8")
    published = {path.name: path.read_text("utf-8") for path in module.FOLDER.glob("*.json")}
    assert set(published) == set(module.schemas())
    assert module.schema_pages.untold(published, told) == [], "add these lines, with the change"
    assert module.INDEX.read_text("utf-8") == module.schema_pages.page(published, told)


def test_a_change_without_an_entry_is_noticed() -> None:
    pages = load_script("write-schemas").schema_pages
    schema = json.dumps({"properties": {"a": {"type": "string"}}})
    told = f"- `x-1.0` `{pages.digest(schema)}` first\n"
    assert pages.untold({"x-1.0.json": json.dumps(json.loads(schema), indent=2)}, told) == []
    changed = json.dumps({"properties": {"a": {"type": "number"}}})
    (missing,) = pages.untold({"x-1.0.json": changed}, told)
    assert missing.startswith(f"- `x-1.0` `{pages.digest(changed)}`")
    assert pages.untold({"x-1.0.json": changed}, f"{missing}\n{told}") == []
    assert pages.untold({"x-1.0.json": schema}, f"{missing}\n{told}") != []  # taken back: say so


def document_of(fake: FakeRocm, capsys: pytest.CaptureFixture[str]) -> str:
    argv = ["profile", "--rocm", str(fake.path), "--json", "--runs", "2", "--", "true"]
    assert main(argv) == 0
    return capsys.readouterr().out


def test_output_satisfies_the_schema(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = json.loads((ROOT / "docs" / "schema" / "profile-1.1.json").read_text())
    jsonschema.validate(json.loads(document_of(fake_rocm, capsys)), schema)


def test_same_input_same_bytes(fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["profile", "--rocm", str(fake_rocm.path), "--keep-trace", str(fake_rocm.path / "kept")]
    assert main([*argv, "--quiet", "--", "true"]) == 0
    capsys.readouterr()
    outputs = []
    for _ in range(2):
        assert main(["profile", "--json", "--from", str(fake_rocm.path / "kept")]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_unknown_keys_and_wrong_types_are_refused(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    text = document_of(fake_rocm, capsys)
    read_strict(ProfileDocument, text)
    with pytest.raises(NotStrict, match="surprise"):
        read_strict(ProfileDocument, json.dumps({**json.loads(text), "surprise": 1}))
    with pytest.raises(NotStrict, match="runtime_ms"):
        read_strict(ProfileDocument, json.dumps({**json.loads(text), "runtime_ms": "3"}))
