"""The skill says what is so: its commands parse (and run, weekly), its samples fit the schemas."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rocm_perf_lab.agent.install import SKILL, install_skill
from rocm_perf_lab.cli.main import VERBS, build_parser, main
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.space.space_file import space_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(SKILL.rglob("*.md"))
SCHEMAS = ROOT / "docs" / "schema"
APP = ROOT / "examples" / "untuned" / "histogram_global_atomics.hip"


def commands() -> list[str]:
    blocks = [b for page in PAGES for b in re.findall(r"```sh\n(.*?)```", page.read_text(), re.S)]
    return list(dict.fromkeys(line for block in blocks for line in block.splitlines()))


def samples() -> list[tuple[str, Any]]:
    pattern = re.compile(r"<!-- (\w+) -->\n```json\n(.*?)```", re.S)
    found = [match for page in PAGES for match in pattern.findall(page.read_text())]
    return [(name, json.loads(text)) for name, text in found]


def test_there_is_something_to_check() -> None:
    assert len(commands()) >= 20
    assert {name for name, _ in samples()} == {"error", "explain", "optimize", "space"}
    fences = sum(page.read_text().count("```json") for page in PAGES)
    assert fences == len(samples())  # none without the name of its schema


@pytest.mark.parametrize("command", commands())
def test_commands_parse(command: str) -> None:
    program, *words = shlex.split(command)
    assert program == "rocm-perf"
    build_parser().parse_args(words)


def test_commands_in_sentences_parse() -> None:
    """``rocm-perf VERB`` alone names a verb; anything longer is a command to copy."""
    found = {
        text
        for page in PAGES
        for text in re.findall(r"`(rocm-perf [^`]+)`", page.read_text())
        if "VERB" not in text
    }
    assert len(found) >= 8
    for text in found:
        words = shlex.split(text)[1:]
        if len(words) == 1:
            assert words[0] in VERBS, text
        else:
            build_parser().parse_args(words)


@pytest.mark.parametrize(("name", "sample"), samples())
def test_samples_fit_their_schema(name: str, sample: Any) -> None:
    if name == "space":
        assert space_of(sample).size == 11  # all but 512 x 4
        return
    (path,) = SCHEMAS.glob(f"{name}-*.json")
    schema = json.loads(path.read_text())
    jsonschema.validate(sample, _excerpt(schema))


def _excerpt(schema: Any) -> Any:
    """The same without what has to be there: a sample shows a part."""
    if isinstance(schema, dict):
        return {key: _excerpt(value) for key, value in schema.items() if key != "required"}
    return [_excerpt(value) for value in schema] if isinstance(schema, list) else schema


def test_names_in_the_text_are_fields() -> None:
    """Code of the pages that looks like a field is one of some document."""
    known = set()
    for path in SCHEMAS.glob("*.json"):
        known |= set(re.findall(r'"(\w+)": \{', path.read_text()))
    for page in PAGES:
        for text in re.findall(r"`(\w+(?:\[\])?(?:\.\w+(?:\[\])?)+)`", page.read_text()):
            parts = text.replace("[]", "").split(".")
            if parts[-1] not in ("json", "hip", "md"):
                assert set(parts) <= known, (page.name, text)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
            assert (page.parent / link).is_file(), (page.name, link)


def test_the_description_is_short_enough_to_be_kept() -> None:
    head = SKILL.joinpath("SKILL.md").read_text().split("---")[1]
    description = re.search(r"description: (.*)", head)
    assert description is not None
    assert len(description[1]) <= 1024
    assert "name: rocm-perf" in head


def test_install_replaces_its_own_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main(["skill", "install", str(tmp_path)]) == 0
        assert capsys.readouterr().out.startswith(f"Result: {tmp_path}/rocm-perf/SKILL.md")
    copied = {path.name for path in (tmp_path / "rocm-perf").rglob("*.md")}
    assert copied == {page.name for page in PAGES}
    (tmp_path / "rocm-perf" / "notes.md").write_text("mine")
    with pytest.raises(UsageError, match="not this skill"):
        install_skill(tmp_path)
    assert (tmp_path / "rocm-perf" / "notes.md").read_text() == "mine"


@pytest.mark.native
@pytest.mark.weekly
@pytest.mark.timeout(1800)
def test_commands_run(virtual_rocm: Path, tmp_path: Path) -> None:
    shutil.copy(APP, tmp_path / "app.hip")
    compiler = [str(virtual_rocm / "bin" / "hipcc"), "-O3", "-g", "app.hip", "-o", "app"]
    subprocess.run(compiler, cwd=tmp_path, check=True)
    (tmp_path / "space.json").write_text(json.dumps({"BLOCK": [64, 128, 256, 512]}))
    for command in commands():
        words = [sys.executable, "-m", "rocm_perf_lab.cli.main", *shlex.split(command)[1:]]
        ran = subprocess.run(
            words,
            cwd=tmp_path,
            env=dict(os.environ),
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, command
        if "--json" in words[: words.index("--") if "--" in words else None]:
            assert json.loads(ran.stdout), command
