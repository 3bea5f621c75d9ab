"""How the prefix's hipcc would compile a file, asked from hipcc itself."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ask_program
from rocm_perf_lab.errors import ToolFailed

_ANSWER = "hipcc-cmd:"
# A dry run of the device side: hipcc prints the command, clang does nothing.
_QUESTION = ("-###", "--cuda-device-only", "-fsyntax-only")


@dataclass(frozen=True)
class CompileCommand:
    """One clang driver command for the device side of one source, without the source itself."""

    compiler: Path
    arguments: tuple[str, ...]


def compile_command(prefix: Prefix, source: Path, flags: Sequence[str] = ()) -> CompileCommand:
    """``flags`` are those that hipcc is built with. Raises ``ToolMissing`` or ``ToolFailed``."""
    hipcc = str(prefix.tool("hipcc"))
    question = [hipcc, *_QUESTION, *flags, str(source)]
    result = ask_program(question, env={**os.environ, "HIPCC_VERBOSE": "1"})
    lines = (result.answer + result.stderr_tail).splitlines()
    commands = [line[len(_ANSWER) :] for line in lines if line.startswith(_ANSWER)]
    if not result.ok or not commands:
        raise ToolFailed(
            f"{hipcc} does not say how it compiles {source} ({result.ending})",
            f"check the flags: HIPCC_VERBOSE=1 {shlex.join(question)}",
            stderr_tail=result.stderr_tail,
        )
    words = shlex.split(commands[0])
    compiler = Path(words[0])
    kept = [word for word in words[1:] if word not in ("-###", str(source))]
    return CompileCommand(compiler, (*kept, "-resource-dir", _resource_folder(compiler)))


def _resource_folder(compiler: Path) -> str:
    """libclang looks for clang's own headers beside itself, where Debian has none."""
    result = ask_program([str(compiler), "-print-resource-dir"])
    if not result.ok or not result.answer.strip():
        raise ToolFailed(
            f"{compiler} does not name its resource folder ({result.ending})",
            f"{compiler} -print-resource-dir",
            stderr_tail=result.stderr_tail,
        )
    return result.answer.strip()
