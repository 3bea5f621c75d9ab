"""The one comment line that a change leaves in the source: why it is there."""

from __future__ import annotations

from dataclasses import replace

from rocm_perf_lab.optimize.rules.rule import Change, Edit
from rocm_perf_lab.optimize.source.model import Kernel, SourceFile, Span

WIDTH = 100  # columns; a remark that does not fit says less


def remarked(file: SourceFile, kernel: Kernel, change: Change) -> Change:
    """With a remark above the first line that changes, as far as a comment may stand there. A rule
    that wrote one itself knew a better place."""
    if not change.edits or any(b"//" in edit.text or b"/*" in edit.text for edit in change.edits):
        return change
    first = min(change.edits, key=lambda edit: (edit.span.start, edit.span.end))
    data = file.data
    inserts_line = first.span.start == first.span.end and first.text.startswith((b"\n", b"\r\n"))
    if inserts_line:
        newline, _, rest = first.text.partition(b"\n")
        remark = _remark(change, _indent_of(rest), kernel.body.of(data))
        new = replace(first, text=newline + b"\n" + remark + rest)
        return replace(change, edits=tuple(new if e is first else e for e in change.edits))
    place = data.rfind(b"\n", 0, first.span.start) + 1
    if place <= kernel.body.start or not _is_between_lines(file, place):
        return change
    remark = _remark(change, _indent_of(data[place:]), kernel.body.of(data))
    if not remark:
        return change
    if place == first.span.start:
        new = replace(first, text=remark + first.text)
        return replace(change, edits=tuple(new if e is first else e for e in change.edits))
    return replace(change, edits=(Edit(Span(place, place), remark), *change.edits))


def _remark(change: Change, indent: bytes, body: bytes) -> bytes:
    """Nothing when the body says the same already."""
    room = WIDTH - len(indent.expandtabs(4)) - len("// ")
    texts = [_plain(text) for text in (change.reason, change.title)]
    text = next((text for text in texts if len(text) <= room), None)
    if text is None:
        text = texts[0][:room].rpartition(" ")[0]
    line = f"// {text[:1].upper()}{text[1:]}".encode()
    return b"" if line in body or not text else indent + line + b"\n"


def _plain(text: str) -> str:
    """One line of plain letters: what follows a backslash at its end would be comment, too."""
    words = "".join(c if c.isascii() and c.isprintable() else " " for c in text).split()
    return " ".join(words).replace("\\", "/").rstrip(".").replace("??", "?")


def _indent_of(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _is_between_lines(file: SourceFile, place: int) -> bool:
    """Not inside of a token, and not behind a line that goes on."""
    before = file.data[:place].rstrip(b"\r\n")
    inside = any(token.span.start < place < token.span.end for token in file.tokens)
    return not inside and not before.endswith((b"\\", b"??/"))
