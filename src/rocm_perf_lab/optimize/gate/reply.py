"""What a proposer answered, and the one kernel in it.

The contract is one fenced block with the whole definition of the kernel. Prose around the block
is ignored. What the block means is not decided here: it is put in the kernel's place and read by
clang, so that whatever is next to the kernel is seen by the guards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.optimize.refusal import Refusal, Stage
from rocm_perf_lab.optimize.source.model import Kernel
from rocm_perf_lab.optimize.source.splice import with_line_ends_of

MAX_REPLY = 1_000_000  # characters; no kernel is that long
TAGS = frozenset({"", "cpp", "c++", "cxx", "cc", "hip", "cuda", "cu"})

# CommonMark: up to three spaces, then three or more of one character, then what it is.
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<tag>[^`]*?)[ \t]*$")
# With them code shows another face to the person who approves it, also in comments of its header.
_CONTROL = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DIFF = re.compile(r"(?:diff --git |--- |\+\+\+ |@@ -\d)")


@dataclass(frozen=True)
class _Block:
    tag: str
    lines: tuple[str, ...]
    closed: bool


def read_reply(text: str) -> Union[str, Refusal]:
    """The text of the only block. A byte order mark and carriage returns are taken off."""
    if len(text) > MAX_REPLY:
        return _refused("too-long", f"the reply has {len(text)} characters, {MAX_REPLY} at most")
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    blocks = list(_blocks(plain))
    if not blocks:
        return _refused("no-block", "the reply has no fenced block")
    if not blocks[-1].closed:
        return _refused("unclosed", "the last fenced block of the reply does not end")
    if len(blocks) > 1:
        return _refused("several-blocks", f"the reply has {len(blocks)} fenced blocks, not one")
    return _checked(blocks[0])


def candidate_file(data: bytes, kernel: Kernel, block: str) -> bytes:
    """The file with the block in place of the whole definition, for the guards to read."""
    text = block.strip("\n").encode("utf-8", "surrogatepass")
    start, end = kernel.span.start, kernel.span.end
    return data[:start] + with_line_ends_of(data, text) + data[end:]


def _blocks(text: str) -> Iterator[_Block]:
    marks: Optional[str] = None
    tag = ""
    lines: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if marks is None:
            if fence:
                marks, tag, lines = fence["marks"], fence["tag"], []
        elif fence and not fence["tag"] and fence["marks"].startswith(marks):
            yield _Block(tag, tuple(lines), closed=True)
            marks = None
        else:
            lines.append(line)
    if marks is not None:
        yield _Block(tag, tuple(lines), closed=False)


def _checked(block: _Block) -> Union[str, Refusal]:
    words = block.tag.split()
    tag = words[0].lower() if words else ""
    code = "\n".join(block.lines).removeprefix("\ufeff")
    if tag in ("diff", "patch") or any(_DIFF.match(line) for line in block.lines):
        return _refused("diff", "the block is a diff; the whole kernel is wanted")
    if tag not in TAGS:
        return _refused("wrong-tag", f"the block is marked {tag!r}, not as C++ or HIP")
    if any(_FENCE.match(line) for line in block.lines):
        return _refused("nested", "there is a fence inside of the block")
    if _CONTROL.search(code):
        return _refused("control-characters", "there are control characters in the block")
    if not code.strip():
        return _refused("empty", "the block is empty")
    if "__global__" not in code:
        return _refused("no-kernel", "there is no __global__ function in the block")
    return code + "\n"


def _refused(reason: str, message: str) -> Refusal:
    return Refusal(Stage.REPLY, reason, message)
