"""The decoder under test and llvm-mc, its authority, side by side."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import pytest

ROOT = Path(__file__).resolve().parents[2]
ISA = ROOT / "native" / "vgpu" / "isa"
LLVM_MC = "llvm-mc-19"
Words = tuple[int, ...]


def built(name: str) -> Optional[Path]:
    """A file of the native build: of ROCM_PERF_NATIVE_BUILD, or of the directory of `make`."""
    build = Path(os.environ.get("ROCM_PERF_NATIVE_BUILD", ROOT / "build"))
    return next(iter(sorted(build.rglob(name))), None)


needs_decoder = pytest.mark.skipif(
    built("isa_tool") is None or shutil.which(LLVM_MC) is None,
    reason=f"the decoder tool is not built (run `make native`) or {LLVM_MC} is missing",
)


@dataclass(frozen=True)
class Decoded:
    bytes: int
    text: str


def run_decoder(
    encodings: Sequence[Words], tool: Optional[Path] = None, *options: str
) -> list[str]:
    program = str(tool or built("isa_tool"))
    lines = "".join(" ".join(f"{word:x}" for word in words) + "\n" for words in encodings)
    done = subprocess.run([program, *options], input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    answers = done.stdout.splitlines()
    assert len(answers) == len(encodings)
    return answers


def decode(encodings: Sequence[Words]) -> list[Optional[Decoded]]:
    results: list[Optional[Decoded]] = []
    for line in run_decoder(encodings):
        length, _, text = line.partition(" ")
        results.append(None if line == "-" else Decoded(int(length), text))
    return results


SEPARATOR = "[0x5a,0x5a,0x80,0xbf]"
SEPARATOR_TEXT = "s_nop 0x5a5a"


def llvm_texts(encodings: Sequence[Words]) -> list[list[str]]:
    """Per encoding the instructions that llvm-mc reads, none when it rejects the first."""
    lines: list[str] = []
    for words in encodings:
        data = b"".join(word.to_bytes(4, "little") for word in words)
        lines += ["[" + ",".join(f"0x{byte:02x}" for byte in data) + "]", SEPARATOR]
    command = [LLVM_MC, "--disassemble", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True)
    assert done.returncode >= 0, f"llvm-mc crashed: {done.stderr[-500:]}"
    rejected = {
        int(line) // 2
        for line in re.findall(r"^<stdin>:(\d+):2: warning: invalid", done.stderr, re.M)
    }
    answers: list[list[str]] = []
    current: list[str] = []
    for line in done.stdout.splitlines()[1:]:
        text = line.strip()
        if text == SEPARATOR_TEXT:
            answers.append([] if len(answers) in rejected else current)
            current = []
        else:
            current.append(text)
    assert len(answers) == len(encodings)
    return answers
