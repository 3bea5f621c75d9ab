"""Pages link the glossary before they use one of its words, and nothing links into the void."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs" / "GLOSSARY.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Words that a reader who is new to GPUs cannot guess; the others explain themselves in their place.
JARGON = ("wave", "waves", "lane", "lanes", "LDS", "VGPR", "VGPRs", "SGPR", "SGPRs", "XCD", "XCDs")
JARGON += ("CV", "MFMA", "CU", "CUs", "occupancy", "HBM", "SIMD", "slack", "thread trace")
_FIRST = re.compile(r"(?<![\w-])(?:" + "|".join(JARGON) + r")(?![\w-])")
_CODE = re.compile(r"^```.*?^```$|^    .*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")


def prose(page: Path) -> str:
    """Without code; what is left stands where it stood."""
    blank = lambda match: re.sub(r"\S", " ", match[0])  # noqa: E731
    return _CODE.sub(blank, page.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_glossary_is_linked_where_its_words_begin(page: Path) -> None:
    text = prose(page)
    first = _FIRST.search(text)
    if page == GLOSSARY or first is None:
        return
    end = text.find("\n\n", first.start())  # the same paragraph will do
    assert "GLOSSARY.md" in text[: end if end >= 0 else None], f"'{first[0]}' without the glossary"


def test_the_glossary_has_the_words() -> None:
    defined = {
        word.strip()
        for entry in re.findall(r"\*\*([^*]+)\*\*", GLOSSARY.read_text("utf-8"))
        for word in entry.split(",")
    }
    assert not {word for word in JARGON if {word, word.rstrip("s")}.isdisjoint(defined)}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(prose(page)):
        if "://" in target:
            continue
        path = (page.parent / target).resolve()
        assert path.exists(), f"{page.name} links {target}"
        if anchor and path.suffix == ".md":
            heads = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
            names = {re.sub(r"[^a-z0-9 _-]", "", head.lower()).replace(" ", "-") for head in heads}
            assert anchor[1:] in names, f"{page.name} links {target}{anchor}"
