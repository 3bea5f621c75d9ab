"""The machine code of the kernels that ran: where their code objects are, and its disassembly.

HIP programs load most code from memory, which no recording holds. A thread trace keeps copies;
without one, the application's own file has the code, unless a library or a compiler at run time
brought it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from rocm_perf_lab.codeobject import CodeObjectFile, KernelInfo, read_code_objects
from rocm_perf_lab.collect.disassembly import Instruction, disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import CodeObjectError, PerfLabError

_COPIES = "*_code_object_id_*.out"  # beside a thread trace
_NO_CODE = "its code object was not found"
_HOW_TO_HAVE_CODE = (
    "rocm-perf profile --deep-analysis -- ./app (a thread trace keeps copies of the code)"
)


@dataclass(frozen=True)
class KernelCode:
    source: str  # the code object, for people
    kernel: KernelInfo
    listing: tuple[Instruction, ...]


@dataclass(frozen=True)
class CodeObjects:
    """Those that could be read, and what was wrong with the others."""

    readable: tuple[CodeObjectFile, ...]
    troubles: tuple[PerfLabError, ...] = ()


def find_code_objects(
    folders: Iterable[Path] = (), uris: Iterable[str] = (), program: Optional[Path] = None
) -> CodeObjects:
    """Copies beside thread traces first, then what recordings name, then the program."""
    readable: list[CodeObjectFile] = []
    troubles: list[PerfLabError] = []
    for place, name in dict(_places(folders, uris, program)).items():
        try:
            readable.extend(read_code_objects(place, name))
        except CodeObjectError as error:
            if place != str(program):  # a script that starts the application is nothing wrong
                troubles.append(error)
    return CodeObjects(tuple(readable), tuple(troubles))


def disassemble_kernels(
    prefix: Union[Prefix, PerfLabError],
    code: CodeObjects,
    symbols: Mapping[str, Optional[str]],
    target: Optional[str] = None,
) -> dict[str, Union[KernelCode, PerfLabError]]:
    """``symbols`` by kernel name; ``target`` such as gfx942 where it is known; instead of a
    prefix the reason why there is none."""
    objects = [c for c in code.readable if target in (None, c.target_name)]
    return {
        name: _disassembled(prefix, _find(objects, symbol), code.troubles, symbol)
        for name, symbol in symbols.items()
    }


def _places(
    folders: Iterable[Path], uris: Iterable[str], program: Optional[Path]
) -> Iterator[tuple[str, str]]:
    """Where to read, and what people are told: folders of traces may be temporary."""
    for folder in folders:
        for pattern in (_COPIES, f"*/{_COPIES}"):  # a folder per host is the default
            for file in sorted(folder.glob(pattern)):
                yield str(file), str(folder.name / file.relative_to(folder))
    for place in (*uris, *([] if program is None else [str(program)])):
        yield place, place


def _find(
    objects: Iterable[CodeObjectFile], symbol: Optional[str]
) -> Optional[tuple[CodeObjectFile, KernelInfo]]:
    for code_object in objects:
        kernel = None if symbol is None else code_object.kernel(symbol)
        if kernel is not None:
            return code_object, kernel
    return None


def _disassembled(
    prefix: Union[Prefix, PerfLabError],
    found: Optional[tuple[CodeObjectFile, KernelInfo]],
    troubles: Sequence[PerfLabError],
    symbol: Optional[str],
) -> Union[KernelCode, PerfLabError]:
    if symbol is None:
        return CodeObjectError(
            "the recording does not name its symbol", "record with rocprofv3 as a rocpd database"
        )
    if found is None:
        return troubles[0] if troubles else CodeObjectError(_NO_CODE, _HOW_TO_HAVE_CODE)
    if isinstance(prefix, PerfLabError):
        return prefix
    code_object, kernel = found
    try:
        return KernelCode(code_object.source, kernel, disassemble(prefix, code_object, kernel))
    except PerfLabError as error:
        return error
