"""Damage to the bytes of a file, as a fuzzer chooses it."""

from __future__ import annotations


def damaged(data: bytes, changes: list[tuple[float, int]], keep: float) -> bytes:
    """The first share ``keep`` of the bytes, with some of them (by relative place) replaced."""
    changed = bytearray(data[: int(len(data) * keep)])
    for place, value in changes:
        if changed:
            changed[min(int(place * len(changed)), len(changed) - 1)] = value
    return bytes(changed)
