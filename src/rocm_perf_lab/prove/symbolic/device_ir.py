"""The device side of a source as LLVM IR, in a form in which two versions are alike.

The compiler that builds the program makes it, with the flags of the program, up to where loops and
memory accesses are still those of the source: functions are inlined and variables are SSA values,
but nothing is unrolled, vectorised or moved.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, ask_program
from rocm_perf_lab.errors import BuildFailed, ToolFailed, ToolMissing

_TO_IR = (
    "--cuda-device-only",
    "-emit-llvm",
    "-S",
    "-gline-tables-only",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-O0-optnone",
)
_PASSES = (
    "forceattrs,cgscc(inline),globaldce,"
    "function(sroa,infer-address-spaces,instsimplify,sccp,simplifycfg,early-cse,"
    "infer-address-spaces,simplifycfg,instsimplify,adce,loop-simplify),"
    "cgscc(function-attrs)"
)
_INLINE_ALL = "--inline-threshold=100000"
# Mathematical functions stay calls: both versions call the same ones.
_LIBRARY = re.compile(r"^define [^\n]*@(__ocml_\w+)\(", re.MULTILINE)
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")
_LEFT_OUT = ("-c", "-S", "--genco", "-MD", "-MMD", "-MP", "-fgpu-rdc")
TIME_LIMIT_S = 120.0


def device_ir(
    prefix: Prefix,
    source: Path,
    flags: Sequence[str] = (),
    *,
    timeout_s: float = TIME_LIMIT_S,
) -> str:
    """``flags`` are those of the program's build. Raises ``BuildFailed`` when the source does not
    compile, ``ToolMissing`` or ``ToolFailed`` for the optimiser."""
    hipcc = str(prefix.tool("hipcc"))
    with tempfile.TemporaryDirectory(prefix="rocm-perf-ir-") as folder:
        output = Path(folder) / "device.ll"
        command = [hipcc, *_TO_IR, *_usable(flags), str(source), "-o", str(output)]
        done = ask_program(command, timeout_s=timeout_s)
        if not done.ok or not output.is_file():
            raise BuildFailed(
                f"{source} does not compile to LLVM IR ({done.ending})",
                "check the flags of the build; one --offload-arch only",
                stderr_tail=done.stderr_tail,
            )
        return _canonical(hipcc, output, timeout_s)


def _canonical(hipcc: str, file: Path, timeout_s: float) -> str:
    named = sorted(set(_LIBRARY.findall(file.read_text())))
    kept = [f"-force-attribute={name}:noinline" for name in named]
    words = [
        _optimiser(hipcc),
        "-S",
        _INLINE_ALL,
        *kept,
        f"-passes={_PASSES}",
        str(file),
        "-o",
        "-",
    ]
    done: ProcessResult = ask_program(words, timeout_s=timeout_s)
    if not done.ok or not done.answer:
        raise ToolFailed(
            f"{words[0]} does not read the compiler's IR ({done.ending})",
            "the optimiser has to be of the same LLVM as hipcc: rocm-perf doctor",
            stderr_tail=done.stderr_tail,
        )
    return done.answer


def _optimiser(hipcc: str) -> str:
    """LLVM's ``opt`` beside the compiler."""
    found = ask_program([hipcc, "-print-prog-name=opt"]).answer.strip()
    if not found or not Path(found).is_file():
        raise ToolMissing(
            "there is no opt beside the compiler, which symbolic proofs need",
            "install LLVM's tools of the compiler's version (llvm-19 for clang 19)",
        )
    return found


def _usable(flags: Sequence[str]) -> list[str]:
    """Without what names other outputs."""
    kept = []
    rest = iter(flags)
    for word in rest:
        if word in _WITH_VALUE:
            next(rest, None)
        elif word not in _LEFT_OUT:
            kept.append(word)
    return kept
