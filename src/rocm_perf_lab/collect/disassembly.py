"""The instructions of a kernel, from the disassembler of the ROCm prefix."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.codeobject import CodeObjectFile, KernelInfo
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, ask_program
from rocm_perf_lab.errors import ToolFailed, ToolMissing
from rocm_perf_lab.trace.files.temporary import temporary_folder

DISASSEMBLER = Path("llvm", "bin", "llvm-objdump")

_INSTRUCTION = re.compile(
    r"\t(?P<text>.*?)\s*// (?P<address>[0-9A-F]{12,16}):(?P<words>(?: [0-9A-F]{8})*)"
)
_BRANCH_TO_LABEL = re.compile(r"(?P<opcode>s_c?branch\w*) (?!\d)")
_SOURCE = re.compile(r"; (?P<source>.+:\d+)$")
_DOCTOR = "rocm-perf doctor"


@dataclass(frozen=True)
class Instruction:
    address: int
    text: str
    source: str  # "file:line", "" where the code object has no line tables
    size: int  # in bytes


def disassemble(
    prefix: Prefix, code_object: CodeObjectFile, kernel: KernelInfo
) -> tuple[Instruction, ...]:
    """The kernel's own code, without the padding behind it and without functions that it calls.

    Raises ``ToolMissing`` or ``ToolFailed``.
    """
    tool = prefix.path / DISASSEMBLER
    if not os.access(tool, os.X_OK):
        raise ToolMissing(f"{tool} is not there, so kernels cannot be disassembled", _DOCTOR)
    with temporary_folder("code") as folder:
        image = Path(folder, "code_object.elf")
        image.write_bytes(code_object.data)
        command = [str(tool), "-d", "-l", str(image)]
        result = ask_program([*command, f"--disassemble-symbols={kernel.name}"])
        found = _listed(result, kernel)
        if found and kernel.code_size and not _is_whole(found, kernel.code_size):
            # Labels of hand-written code are symbols, at which the disassembler stops.
            first = found[0].address
            bounds = [f"--start-address={first}", f"--stop-address={first + kernel.code_size}"]
            result = ask_program([*command, *bounds])
            found = _listed(result, kernel)
    if not result.ok or not found:
        raise ToolFailed(
            f"{tool} did not disassemble {kernel.name} of {code_object.source} ({result.ending})",
            "check that the LLVM of this ROCm knows the target: "
            f"{tool} -d shows what it says about {code_object.target_name}",
            stderr_tail=result.stderr_tail,
        )
    return found


def _listed(result: ProcessResult, kernel: KernelInfo) -> tuple[Instruction, ...]:
    return tuple(_of_kernel(_instructions(result.answer.splitlines()), kernel.code_size))


def _is_whole(listing: Sequence[Instruction], size: int) -> bool:
    last = listing[-1]
    return last.address + last.size >= listing[0].address + size


def _instructions(lines: Iterable[str]) -> Iterator[Instruction]:
    source = ""
    for line in lines:
        instruction, place = _INSTRUCTION.match(line), _SOURCE.match(line)
        if instruction:
            size = 4 * len(instruction["words"].split())
            yield Instruction(int(instruction["address"], 16), _text(instruction), source, size)
        elif place:
            source = place["source"]


def _text(instruction: re.Match[str]) -> str:
    """With the distance of a branch instead of the label that it leads to, where there is one."""
    text = instruction["text"]
    branch = _BRANCH_TO_LABEL.match(text)
    if branch and instruction["words"]:
        return f"{branch['opcode']} {int(instruction['words'].split()[0], 16) & 0xFFFF}"
    return text


def _of_kernel(instructions: Iterable[Instruction], size: Optional[int]) -> Iterator[Instruction]:
    first: Optional[int] = None
    for instruction in instructions:
        first = instruction.address if first is None else first
        if size is None or instruction.address < first + size:
            yield instruction
