"""Makes a release: the files in changes/ become a version of the changelog with a date.

    .venv/bin/python scripts/release.py --check      # can what is there be released?
    .venv/bin/python scripts/release.py 0.2.0        # change the files; commit and tag yourself

Nothing is committed, tagged or sent anywhere.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Mapping
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PACKAGE = "src/rocm_perf_lab/__init__.py"
FRAGMENTS = "changes"
ABOUT = "README.md"  # of that folder
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
RELEASES = "<!-- releases -->\n"
LONGEST = 400  # characters: a sentence or two
VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)
RELEASED = re.compile(r"^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$", re.MULTILINE)
NUMBER = re.compile(r"\d+\.\d+\.\d+")
NAME = re.compile(rf"[a-z0-9][a-z0-9-]*\.({'|'.join(KINDS).lower()})\.md")


class CannotRelease(Exception):
    pass


def fact(name: str, text: str) -> tuple[str, str]:
    """The kind and the line of one file; raises when it is not fit to be read by users."""
    place = f"{FRAGMENTS}/{name}"
    found = NAME.fullmatch(name)
    if not found:
        kinds = ", ".join(KINDS).lower()
        raise CannotRelease(f"{place} needs a name like slug.added.md; kinds: {kinds}")
    words = " ".join(text.split())
    if not words:
        raise CannotRelease(f"{place} is empty")
    if words.startswith(("#", "- ", "* ")):
        raise CannotRelease(f"{place} begins with a heading or a bullet: write sentences only")
    if len(words) > LONGEST:
        raise CannotRelease(
            f"{place} has {len(words)} characters, at most {LONGEST}: write one fact"
        )
    return found[1].capitalize(), words


def section(fragments: Mapping[str, str]) -> str:
    """What the changelog says of a release, by kind; files of one kind in the order of names."""
    facts = [fact(name, text) for name, text in sorted(fragments.items())]
    blocks = []
    for kind in KINDS:
        lines = [f"- {words}\n" for this, words in facts if this == kind]
        if lines:
            blocks.append(f"### {kind}\n\n{''.join(lines)}")
    return "\n".join(blocks)


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


def marked(changelog: str) -> str:
    if changelog.count(RELEASES) != 1:
        raise CannotRelease(f"CHANGELOG.md needs one line {RELEASES.strip()}")
    return changelog


def release(
    version: str, changelog: str, package: str, fragments: Mapping[str, str], day: datetime.date
) -> tuple[str, str]:
    """The changelog and the package after the release."""
    checked(version, marked(changelog), package)
    told = section(fragments)
    if not told:
        raise CannotRelease(f"{FRAGMENTS}/ is empty: there is nothing to release")
    dated = f"{RELEASES}\n## {version} - {day.isoformat()}\n\n{told}"
    return (
        changelog.replace(RELEASES, dated, 1),
        VERSION.sub(f'__version__ = "{version}"', package, count=1),
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("version", nargs="?", help="the new version, like 0.2.0")
    parser.add_argument("--check", action="store_true", help="change nothing")
    arguments = parser.parse_args(argv)
    files = [TOP / "CHANGELOG.md", TOP / PACKAGE]
    changelog, package = (file.read_text("utf-8") for file in files)
    paths = [path for path in (TOP / FRAGMENTS).iterdir() if path.name != ABOUT]
    try:
        fragments = {path.name: path.read_text("utf-8") for path in paths}
        if arguments.check or arguments.version is None:
            marked(changelog)
            section(fragments)
            return 0
        texts = release(arguments.version, changelog, package, fragments, datetime.date.today())
    except CannotRelease as reason:
        print(f"release: {reason}", file=sys.stderr)
        return 1
    for file, text in zip(files, texts):
        file.write_text(text, "utf-8")
    for path in paths:
        path.unlink()
    print(f"now: git add -A && git commit -m 'Release {arguments.version}'")
    print(f"and: git tag v{arguments.version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
