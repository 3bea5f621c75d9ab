"""Putting a new body into a file: every other byte stays."""

from __future__ import annotations

from rocm_perf_lab.optimize.source.model import Kernel


def splice_body(data: bytes, kernel: Kernel, body: bytes) -> bytes:
    """``data`` with ``body``, braces included, in place of the kernel's. Line ends become those of
    the file. Raises ``ValueError`` for a kernel whose body is not written in the file."""
    if kernel.fixed is not None:
        raise ValueError(f"the body of {kernel.name} cannot be replaced: {kernel.fixed}")
    return data[: kernel.body.start] + with_line_ends_of(data, body) + data[kernel.body.end :]


def with_line_ends_of(data: bytes, text: bytes) -> bytes:
    plain = text.replace(b"\r\n", b"\n")
    return plain.replace(b"\n", b"\r\n") if _uses_crlf(data) else plain


def _uses_crlf(data: bytes) -> bool:
    return 2 * data.count(b"\r\n") > data.count(b"\n")
