"""What keeps a project in order: the release script, and settings that name things that exist."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from types import ModuleType

import pytest

from fakes.scripts import load_script

TOP = Path(__file__).resolve().parents[2]
PACKAGE = '"name"\n\n__version__ = "0.1.0"  # here\n'
LOG = "# Changelog\n\n<!-- releases -->\n\n## 0.1.0 - 2026-01-02\n\n- all\n"
FACTS = {
    "wheel.fixed.md": "a fault\nof two lines\n",
    "zoom.added.md": "the last",
    "arm.added.md": "the first",
}
DAY = datetime.date(2026, 3, 4)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("release")


def test_what_the_next_release_says_can_be_released(
    script: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(["--check"]) == 0, capsys.readouterr().err


def test_a_release_dates_the_files_of_changes_by_kind(script: ModuleType) -> None:
    changelog, package = script.release("0.2.0", LOG, PACKAGE, FACTS, DAY)
    assert changelog == (
        "# Changelog\n\n<!-- releases -->\n\n## 0.2.0 - 2026-03-04\n\n"
        "### Added\n\n- the first\n- the last\n\n### Fixed\n\n- a fault of two lines\n"
        "\n## 0.1.0 - 2026-01-02\n\n- all\n"
    )
    assert package.endswith('__version__ = "0.2.0"  # here\n')
    with pytest.raises(script.CannotRelease, match="does not follow 0"):
        script.release("0.2.0", changelog, package, FACTS, DAY)


def test_a_release_removes_the_files_that_it_has_told(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(script, "TOP", tmp_path)
    texts = {"CHANGELOG.md": LOG, script.PACKAGE: PACKAGE, "changes/README.md": "about\n"}
    texts |= {f"changes/{name}": text for name, text in FACTS.items()}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert script.main(["0.2.0"]) == 0
    assert "git tag v0.2.0" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["README.md"]
    assert "- a fault of two lines" in (tmp_path / "CHANGELOG.md").read_text()
    assert script.main(["0.3.0"]) == 1
    assert "nothing to release" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("version", "changelog", "message"),
    [
        ("0.1.0", LOG, "does not follow 0.1.0"),
        ("0.0.9", LOG, "does not follow 0.1.0"),
        ("0.2", LOG, "is not a version"),
        ("0.2.0", LOG.replace("<!-- releases -->", "Next"), "needs one line <!-- releases -->"),
    ],
)
def test_what_cannot_be_released_says_why(
    script: ModuleType, version: str, changelog: str, message: str
) -> None:
    with pytest.raises(script.CannotRelease, match=re.escape(message)):
        script.release(version, changelog, PACKAGE, FACTS, DAY)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("wheel.mended.md", "a fault", "changes/wheel.mended.md needs a name like slug.added.md"),
        ("wheel.md", "a fault", "needs a name like slug.added.md"),
        ("wheel.fixed.md", "\n", "changes/wheel.fixed.md is empty"),
        ("wheel.fixed.md", "- a fault", "begins with a heading or a bullet"),
        ("wheel.fixed.md", "a fault " * 60, "has 479 characters, at most 400"),
    ],
)
def test_a_file_of_changes_that_users_cannot_read_says_why(
    script: ModuleType, name: str, text: str, message: str
) -> None:
    with pytest.raises(script.CannotRelease, match=re.escape(message)):
        script.release("0.2.0", LOG, PACKAGE, {name: text}, DAY)


def test_workflows_run_what_is_there() -> None:
    yaml = pytest.importorskip("yaml")
    targets = set(re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    commands = []
    for file in (TOP / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            commands += [step["run"] for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        words = command.split()
        if words[0] == "make":
            assert set(words[1:]) <= targets, command
        for word in words:
            if word.startswith("scripts/"):
                assert (TOP / word).is_file(), command


def test_every_supported_python_is_tested() -> None:
    yaml = pytest.importorskip("yaml")
    text = (TOP / ".github" / "workflows" / "tests.yml").read_text()
    matrix = yaml.safe_load(text)["jobs"]["pythons"]["strategy"]["matrix"]["python"]
    stated = re.findall(r"Python :: (3\.\d+)", (TOP / "pyproject.toml").read_text())
    assert matrix == stated
