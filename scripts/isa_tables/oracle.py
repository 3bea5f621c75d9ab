"""Asking llvm-mc what encodings mean."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

LLVM_MC = ["llvm-mc-19", "--disassemble", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942"]

Words = tuple[int, ...]

# Register numbers that the probes put into each field, so that the text tells the fields apart.
DST, SRC0, SRC1, SRC2 = 2, 4, 6, 8
VGPR = 256  # source encodings from here on name vector registers
HALF = 240  # the inline constant 0.5, whose bits tell the operand's type
LITERAL = 255


@dataclass(frozen=True)
class Answer:
    """What llvm-mc said about one encoding."""

    mnemonic: str
    operands: list[str]
    immediates: list[int]
    text: str


# --- Asking llvm-mc -----------------------------------------------------------------------------

SEPARATOR = "[0x5a,0x5a,0x80,0xbf]"  # s_nop 0x5a5a between the questions keeps them apart
SEPARATOR_TEXT = "s_nop 0x5a5a"


def ask(encodings: Sequence[Words]) -> list[Optional[Answer]]:
    """The first instruction of each encoding, None where llvm-mc rejects it."""
    lines: list[str] = []
    for words in encodings:
        data = b"".join(word.to_bytes(4, "little") for word in words)
        lines += ["[" + ",".join(f"0x{byte:02x}" for byte in data) + "]", SEPARATOR]
    done = subprocess.run(
        [*LLVM_MC, "-show-inst"], input="\n".join(lines), capture_output=True, text=True
    )
    if done.returncode < 0:
        raise SystemExit(f"llvm-mc failed with exit code {done.returncode}: {done.stderr[-500:]}")
    rejected = {
        int(line) // 2
        for line in re.findall(r"^<stdin>:(\d+):2: warning: invalid", done.stderr, re.M)
    }
    answers: list[Optional[Answer]] = []
    chunk: list[str] = []
    for line in done.stdout.splitlines()[1:]:
        if line.strip().startswith(SEPARATOR_TEXT):
            answers.append(None if len(answers) in rejected else _answer(chunk))
            chunk = []
        elif chunk or not line.lstrip().startswith(";"):
            chunk.append(line)
    if len(answers) != len(encodings):
        raise SystemExit(f"llvm-mc answered {len(answers)} of {len(encodings)} encodings")
    return answers


def _answer(lines: list[str]) -> Optional[Answer]:
    if not lines or "/*" in lines[0]:  # a comment in the text marks an operand LLVM calls invalid
        return None
    text, _, rest = lines[0].strip().partition("; <MCInst")
    own = [rest]
    for line in lines[1:]:
        if not line.lstrip().startswith(";"):
            break  # a second instruction made of the words behind the first
        own.append(line)
    mnemonic, _, operands = text.strip().partition(" ")
    immediates = [int(value) for value in re.findall(r"Imm:(-?\d+)", "".join(own))]
    return Answer(
        mnemonic, [part.strip() for part in operands.split(",")], immediates, text.strip()
    )


def bare(mnemonic: str) -> str:
    return re.sub(r"_(e32|e64|sdwa|dpp)$", "", mnemonic)


def register_width(answer: Answer, number: int, files: str = "vsa") -> int:
    """Dwords of the register that starts at `number`, 0 when no operand does."""
    for first, last in re.findall(
        rf"(?<![\w.])[{files}]\[?({number})(?::(\d+))?\]?(?!\d)", answer.text
    ):
        return int(last) - int(first) + 1 if last else 1
    return 0
