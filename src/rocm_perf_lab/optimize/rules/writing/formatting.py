"""How the file is indented at a place, and text moved to another depth."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rocm_perf_lab.optimize.source.model import Kernel, Span

_LEADING = re.compile(rb"[ \t]*")


def line_start(data: bytes, offset: int) -> int:
    return data.rfind(b"\n", 0, offset) + 1


def indentation(data: bytes, offset: int) -> bytes:
    """The white space that the line of ``offset`` starts with."""
    match = _LEADING.match(data, line_start(data, offset))
    return match.group() if match else b""


def starts_its_line(data: bytes, offset: int) -> bool:
    return not data[line_start(data, offset) : offset].strip()


def indent_step(data: bytes, kernel: Kernel) -> bytes:
    """What one level is in this kernel: how much deeper its first line of code stands."""
    outer = indentation(data, kernel.span.start)
    for line in kernel.body.of(data).split(b"\n")[1:]:
        if line.strip() and not line.lstrip().startswith((b"#", b"//", b"}")):
            match = _LEADING.match(line)
            inner = match.group() if match else b""
            if inner.startswith(outer) and len(inner) > len(outer):
                return inner[len(outer) :]
    return b"  "


def indented(text: bytes, before: bytes, after: bytes) -> bytes:
    """Lines that started with ``before`` start with ``after``; the first line, which has none in
    front of it, stays, and so do empty lines and those of the preprocessor at the margin."""
    first, *rest = text.split(b"\n")
    moved = [
        after + line[len(before) :] if line.strip() and line.startswith(before) else line
        for line in rest
    ]
    return b"\n".join([first, *moved])


def block(lines: Sequence[bytes], indent: bytes) -> bytes:
    """Whole lines at ``indent``, without the newline of the last."""
    return b"\n".join(indent + line if line.strip() else b"" for line in lines)


def whole_lines(data: bytes, span: Span) -> Span:
    """From the start of its first line to the newline of its last one, not including it."""
    end = data.find(b"\n", span.end)
    return Span(line_start(data, span.start), len(data) if end < 0 else end)
