"""Which memory instructions an ``s_waitcnt`` waited for, as viewers of thread traces show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from rocm_perf_lab.vrocm.att.code import IntArray

_COUNTER = re.compile(r"\b(vmcnt|lgkmcnt)\((\d+|0x[0-9a-f]+)\)")
_VECTOR, _SCALAR_AND_LDS = "vmcnt", "lgkmcnt"


class _Kind(Enum):
    OTHER = ()
    WAIT = ("s_waitcnt ",)
    SCALAR = ("s_load", "s_store", "s_buffer_load", "s_buffer_store", "s_scratch", "s_atomic")
    LDS_OR_MESSAGE = ("ds_", "s_sendmsg")
    VECTOR = ("global_", "buffer_", "tbuffer_", "scratch_")
    FLAT = ("flat_",)


@dataclass(frozen=True)
class Link:
    """The line of a wait, and those of the instructions whose end it waited for."""

    line: int
    waited_for: tuple[int, ...]


class _Outstanding:
    """Instructions of one counter that may not have ended yet."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.in_order = True  # they end in the order in which they were issued

    def wait(self, allowed: int, flat: list[int]) -> tuple[int, ...]:
        """What has ended for certain when no more than ``allowed`` are outstanding."""
        if allowed == 0:
            self.in_order = True
        if not self.in_order:
            return ()
        ended = max(len(self.lines) - allowed, 0)
        found = (*flat, *self.lines[:ended])
        flat.clear()
        del self.lines[:ended]
        return found


class WaitLinks:
    """Finds the waits of waves in code of which the text of every line is known."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._kinds = [_kind(text) for text in texts]
        self._concerned = np.array([kind is not _Kind.OTHER for kind in self._kinds], dtype=bool)
        self._allowed = {
            line: {name: int(value, 0) for name, value in _COUNTER.findall(text)}
            for line, text in enumerate(texts)
            if self._kinds[line] is _Kind.WAIT
        }

    def of_wave(self, lines: IntArray) -> list[Link]:
        """For the lines of the instructions that one wave executed, in their order."""
        counters = {_SCALAR_AND_LDS: _Outstanding(), _VECTOR: _Outstanding()}
        scalar_and_lds, vector = counters[_SCALAR_AND_LDS], counters[_VECTOR]
        flat: list[int] = []  # may be memory or LDS: any wait covers them
        links = []
        for line in lines[self._concerned[lines]].tolist():
            kind = self._kinds[line]
            if kind is _Kind.LDS_OR_MESSAGE:
                scalar_and_lds.lines.append(line)
            elif kind is _Kind.SCALAR:
                scalar_and_lds.in_order = False
                scalar_and_lds.lines.append(line)
            elif kind is _Kind.VECTOR:
                vector.lines.append(line)
            elif kind is _Kind.FLAT:
                scalar_and_lds.in_order = vector.in_order = False
                flat.append(line)
            else:
                allowed = self._allowed[line]
                for name, outstanding in counters.items():
                    found = outstanding.wait(allowed[name], flat) if name in allowed else ()
                    if found:
                        links.append(Link(line, found))
        return links


def _kind(text: str) -> _Kind:
    return next((kind for kind in _Kind if text.startswith(kind.value)), _Kind.OTHER)
