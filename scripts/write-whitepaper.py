"""Copies measured tables and sentences into docs/WHITEPAPER.md. A test checks them.

``<!-- table: FILE | SECTION, N -->`` stands above the N-th table of the section whose heading
begins with SECTION, ``<!-- line: FILE | START -->`` above its emphasised sentence that begins so;
``<!-- end -->`` below either.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "WHITEPAPER.md"
_COPY = re.compile(r"(<!-- (table|line): (\S+) \| (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    return _COPY.sub(
        lambda match: f"{match[1]}\n{copied(*match.group(2, 3, 4))}\n\n{match[5]}", text
    )


def copied(kind: str, file: str, which: str) -> str:
    text = (ROOT / file).read_text("utf-8")
    return table(text, file, which) if kind == "table" else sentence(text, file, which)


def table(text: str, file: str, which: str) -> str:
    heading, _, number = which.rpartition(", ")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    found = [part for part in sections if part.startswith(heading)]
    tables = re.findall(r"(?:^\|.*\n)+", found[0], re.MULTILINE) if len(found) == 1 else []
    if len(tables) < int(number):
        raise SystemExit(f"{file} has no table {which}")
    return str(tables[int(number) - 1]).rstrip()


def sentence(text: str, file: str, start: str) -> str:
    found = re.findall(rf"^{re.escape(start)}.*?\*\*", text, re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        raise SystemExit(f"{len(found)} places of {file} begin with: {start}")
    return "> " + found[0].replace("\n", "\n> ")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
