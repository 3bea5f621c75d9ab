#!/usr/bin/env python3
"""prose.py [FILE ...]: finds words that a reader outside of this project would not understand.

Reads Markdown without its code, string literals, docstrings and comments of Python, string literals
of C++, and shell and YAML files. ``prose-words.txt`` has the words and what to write instead. The
exit code is 1 if anything was found.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = Path(__file__).with_name("prose-words.txt")
READ = ("*.md", "docs/**/*.md", "examples/**/*.md", "src/**/*.md", "src/**/*.py", "src/**/*.html")
READ += ("native/vgpu/**/*.cpp", "native/vgpu/**/*.h", "action.yml", "Makefile", "scripts/*.sh")
READ += ("changes/*.md",)
DATED = ("docs/schema/CHANGELOG.md",)
NOT_PROSE = re.compile(
    r"^(`{3,})[^\n]*\n.*?^\1"  # code
    r"|`[^`]*`|\]\([^)]*\)"  # code and addresses in a line
    r"|<!-- (?:table|line):.*?<!-- end -->"  # copied from benchmarks/, which has dates
    r"|^## \d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$"  # a release
    r"|<!-- not so -->.*?<!-- end -->",  # what CONTRIBUTING.md advises against
    re.MULTILINE | re.DOTALL,
)
CXX_STRING = re.compile(r'"((?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*)"')  # with a space: not a name


@dataclass(frozen=True)
class Rule:
    pattern: re.Pattern[str]
    instead: str
    only_pages: bool


@dataclass(frozen=True)
class Words:
    rules: tuple[Rule, ...]
    unread: tuple[Path, ...]


@dataclass(frozen=True)
class Text:
    """A passage, and the line of the file that it begins in."""

    line: int
    words: str


@dataclass(frozen=True)
class Finding:
    path: Path
    line: int
    found: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: '{self.found}': {self.instead}"


def words_of(text: str) -> Words:
    """``prose-words.txt``, whose first lines say what is in it."""
    rules, unread = [], []
    for line in text.splitlines():
        if line.startswith("[unread] "):
            unread.append(ROOT / line.partition(" ")[2])
        elif line.strip() and not line.startswith("#"):
            pattern, _, instead = line.partition(" => ")
            only_pages = pattern.startswith("[pages] ")
            wide = pattern.replace("[pages] ", "").replace(" ", r"[\s>]+")
            rules.append(Rule(re.compile(rf"\b(?:{wide})", re.I), instead, only_pages))
    return Words(tuple(rules), tuple(unread))


def passages(path: Path, source: str, rules: Iterable[Rule]) -> Iterator[Text]:
    if path.suffix == ".md":
        yield Text(1, NOT_PROSE.sub(_blank, source))
    elif path.suffix == ".py":
        yield from _strings(ast.parse(source))
        maybe = "\n".join(line.partition("#")[2].lstrip("# ") for line in source.splitlines())
        if any(rule.pattern.search(maybe) for rule in rules):  # reading tokens takes long
            yield from _comments(source)
    elif path.suffix in (".cpp", ".h"):
        for match in CXX_STRING.finditer(source):
            yield Text(source.count("\n", 0, match.start()) + 1, match[1])
    else:
        yield Text(1, source)


def _blank(match: re.Match[str]) -> str:
    """As many lines, without words."""
    return "`" + "\n" * match[0].count("\n") + "`"


def _strings(tree: ast.AST) -> Iterator[Text]:
    """Literals with a space in them; others are names. Of an f-string all parts together."""
    if isinstance(tree, ast.JoinedStr):
        parts = [one.value if isinstance(one, ast.Constant) else "{}" for one in tree.values]
        yield Text(tree.lineno, "".join(map(str, parts)))
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str) and " " in tree.value:
        yield Text(tree.lineno, tree.value)
    for child in ast.iter_child_nodes(tree):
        yield from _strings(child)


def _comments(source: str) -> Iterator[Text]:
    """Comments; those of neighbouring lines belong together."""
    begin, last, words = 0, -1, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line = token.start[0]
            if line != last + 1:
                if words:
                    yield Text(begin, words)
                begin, words = line, ""
            words += token.string.lstrip("# ") + "\n"
            last = line
    if words:
        yield Text(begin, words)


def check(path: Path, source: str, rules: Iterable[Rule]) -> Iterator[Finding]:
    asked = [rule for rule in rules if path.suffix == ".md" or not rule.only_pages]
    texts = list(passages(path, source, asked))
    for rule in asked:
        for text in texts:
            for match in rule.pattern.finditer(text.words):
                line = text.line + text.words.count("\n", 0, match.start())
                yield Finding(path, line, " ".join(match[0].split()), rule.instead)


def files(words: Words) -> list[Path]:
    found = {path for pattern in READ for path in ROOT.glob(pattern)}
    left_out = {ROOT / name for name in DATED}.union(words.unread)
    return sorted(path for path in found if left_out.isdisjoint({path, *path.parents}))


def main(arguments: list[str]) -> int:
    words = words_of(WORDS.read_text("utf-8"))
    findings = [
        finding
        for path in [Path(name).resolve() for name in arguments] or files(words)
        for finding in check(path.relative_to(ROOT), path.read_text("utf-8"), words.rules)
    ]
    for finding in sorted(findings, key=lambda one: (str(one.path), one.line)):
        print(finding)
    if findings:
        print(f"{len(findings)} found: see 'How we write' in CONTRIBUTING.md", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
