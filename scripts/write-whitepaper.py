"""Copies measured tables and sentences into docs/WHITEPAPER.md. A test checks them.

``<!-- table: FILE | START -->`` stands above the table of FILE whose first row begins with START,
``<!-- line: FILE | START -->`` above its paragraph that begins so; ``<!-- end -->`` below either.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "WHITEPAPER.md"
_COPY = re.compile(r"(<!-- (table|line): (\S+) \| (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    return _COPY.sub(
        lambda match: f"{match[1]}{copied(match[3], match[4], match[2])}\n{match[5]}", text
    )


def copied(file: str, start: str, kind: str) -> str:
    """The paragraph of the file that begins with ``start``: there has to be exactly one."""
    paragraphs = re.split(r"\n\s*\n", (ROOT / file).read_text("utf-8"))
    found = [part.strip() for part in paragraphs if part.strip().startswith(start)]
    if len(found) != 1:
        raise SystemExit(f"{len(found)} places of {file} begin with: {start}")
    if kind == "table":
        rows = found[0].splitlines()
        return "\n" + "\n".join(row for row in rows if row.startswith("|")) + "\n"
    return "\n" + _sentence(found[0]) + "\n"


def _sentence(paragraph: str) -> str:
    """The emphasised part that it begins with."""
    found = re.match(r"\*\*.*?\*\*", paragraph, re.DOTALL)
    return "> " + (found[0] if found else paragraph).replace("\n", "\n> ")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
