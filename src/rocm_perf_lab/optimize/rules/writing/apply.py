"""A change of a body, made."""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.optimize.rules.rule import Edit
from rocm_perf_lab.optimize.source.model import Span


def edited(data: bytes, span: Span, edits: Sequence[Edit]) -> bytes:
    """The bytes of ``span`` with all edits made; offsets of edits count from the file's start."""
    pieces, at = [], span.start
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < at or edit.span.end > span.end:
            raise ValueError(f"edits overlap or leave the body at byte {edit.span.start}")
        pieces += [data[at : edit.span.start], edit.text]
        at = edit.span.end
    return b"".join([*pieces, data[at : span.end]])
