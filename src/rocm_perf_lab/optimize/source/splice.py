"""Putting a new body, or launch bounds, into a file: every other byte stays."""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.optimize.source.model import Kernel, Token


def splice_body(data: bytes, kernel: Kernel, body: bytes) -> bytes:
    """``data`` with ``body``, braces included, in place of the kernel's. Line ends become those of
    the file. Raises ``ValueError`` for a kernel whose body is not written in the file."""
    if kernel.fixed is not None:
        raise ValueError(f"the body of {kernel.name} cannot be replaced: {kernel.fixed}")
    return data[: kernel.body.start] + with_line_ends_of(data, body) + data[kernel.body.end :]


def splice_launch_bounds(
    data: bytes, kernel: Kernel, tokens: Sequence[Token], threads: int
) -> bytes:
    """``data`` with the bounds behind the kernel's ``__global__``, and a line that says why.
    ``tokens`` are those of ``data`` in front of the body, at least."""
    word = next(
        t for t in tokens if t.name == "__global__" and t.span.start in kernel.span
    ).span.end
    text = data[:word] + f" __launch_bounds__({threads})".encode() + data[word:]
    start = kernel.span.start
    indent = data[data.rfind(b"\n", 0, start) + 1 : start]
    if indent.strip():
        return text
    remark = f"// No block has more than {threads} threads: each may use more registers.\n"
    return text[:start] + with_line_ends_of(data, remark.encode()) + indent + text[start:]


def with_line_ends_of(data: bytes, text: bytes) -> bytes:
    plain = text.replace(b"\r\n", b"\n")
    return plain.replace(b"\n", b"\r\n") if _uses_crlf(data) else plain


def _uses_crlf(data: bytes) -> bool:
    return 2 * data.count(b"\r\n") > data.count(b"\n")
