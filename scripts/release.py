"""Makes a release: "Unreleased" in the changelog becomes a version with a date.

    .venv/bin/python scripts/release.py --check      # could this be released?
    .venv/bin/python scripts/release.py 0.2.0        # change the two files; commit and tag yourself

Nothing is committed, tagged or sent anywhere.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PACKAGE = "src/rocm_perf_lab/__init__.py"
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
UNRELEASED = "## Unreleased"
VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)
RELEASED = re.compile(r"^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$", re.MULTILINE)
NUMBER = re.compile(r"\d+\.\d+\.\d+")


class CannotRelease(Exception):
    pass


def unreleased(changelog: str) -> str:
    """The text under "Unreleased"; raises when it is not fit to be read by users."""
    if changelog.count(UNRELEASED + "\n") != 1:
        raise CannotRelease(f'CHANGELOG.md needs one section "{UNRELEASED}"')
    text = changelog.split(UNRELEASED + "\n", 1)[1]
    text = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
    heads = re.findall(r"^### (.*)$", text, re.MULTILINE)
    wrong = [head for head in heads if head not in KINDS]
    if wrong:
        raise CannotRelease(f"CHANGELOG.md has the heading {wrong[0]!r}; known: {', '.join(KINDS)}")
    twice = [head for head in heads if heads.count(head) > 1]
    if twice:
        raise CannotRelease(f"CHANGELOG.md has two sections {twice[0]!r} under Unreleased")
    if not re.search(r"^- \S", text, re.MULTILINE):
        raise CannotRelease("CHANGELOG.md says nothing under Unreleased")
    return text


def parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def checked(version: str, changelog: str, package: str) -> None:
    if not NUMBER.fullmatch(version):
        raise CannotRelease(f"{version} is not a version: three numbers with points")
    current = VERSION.findall(package)
    if len(current) != 1:
        raise CannotRelease(f"{PACKAGE} needs one version")
    earlier = [*RELEASED.findall(changelog)]
    if version in earlier or any(parts(version) < parts(known) for known in [*current, *earlier]):
        raise CannotRelease(f"{version} does not follow {max([*current, *earlier], key=parts)}")
    unreleased(changelog)


def release(version: str, changelog: str, package: str, day: datetime.date) -> tuple[str, str]:
    """Both files after the release."""
    checked(version, changelog, package)
    dated = f"{UNRELEASED}\n\n## {version} - {day.isoformat()}\n"
    return (
        changelog.replace(UNRELEASED + "\n", dated, 1),
        VERSION.sub(f'__version__ = "{version}"', package, count=1),
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("version", nargs="?", help="the new version, like 0.2.0")
    parser.add_argument("--check", action="store_true", help="change nothing")
    arguments = parser.parse_args(argv)
    files = [TOP / "CHANGELOG.md", TOP / PACKAGE]
    changelog, package = (file.read_text("utf-8") for file in files)
    try:
        if arguments.check or arguments.version is None:
            unreleased(changelog)
            return 0
        texts = release(arguments.version, changelog, package, datetime.date.today())
    except CannotRelease as reason:
        print(f"release: {reason}", file=sys.stderr)
        return 1
    for file, text in zip(files, texts):
        file.write_text(text, "utf-8")
    print(f"now: git commit -am 'Release {arguments.version}' && git tag v{arguments.version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
