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
LOG = "# Changelog\n\n## Unreleased\n\n### Fixed\n- a fault\n\n## 0.1.0 - 2026-01-02\n\n- all\n"
DAY = datetime.date(2026, 3, 4)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("release")


def test_our_own_changelog_can_be_released(script: ModuleType) -> None:
    assert script.main(["--check"]) == 0


def test_a_release_dates_what_was_unreleased(script: ModuleType) -> None:
    changelog, package = script.release("0.2.0", LOG, PACKAGE, DAY)
    assert "## Unreleased\n\n## 0.2.0 - 2026-03-04\n\n### Fixed\n- a fault\n" in changelog
    assert changelog.endswith("## 0.1.0 - 2026-01-02\n\n- all\n")
    assert package.endswith('__version__ = "0.2.0"  # here\n')
    with pytest.raises(script.CannotRelease, match="says nothing"):
        script.release("0.3.0", changelog, package, DAY)


@pytest.mark.parametrize(
    ("version", "changelog", "message"),
    [
        ("0.1.0", LOG, "does not follow 0.1.0"),
        ("0.0.9", LOG, "does not follow 0.1.0"),
        ("0.2", LOG, "is not a version"),
        ("0.2.0", LOG.replace("Unreleased", "Next"), "needs one section"),
        ("0.2.0", LOG.replace("### Fixed", "### Mended"), "'Mended'"),
        ("0.2.0", LOG.replace("- a fault", "- a\n\n### Fixed\n- b"), "two sections 'Fixed'"),
        ("0.2.0", LOG.replace("- a fault", ""), "says nothing"),
    ],
)
def test_what_cannot_be_released_says_why(
    script: ModuleType, version: str, changelog: str, message: str
) -> None:
    with pytest.raises(script.CannotRelease, match=re.escape(message)):
        script.release(version, changelog, PACKAGE, DAY)


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
