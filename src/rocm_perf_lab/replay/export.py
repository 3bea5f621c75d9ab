"""A capture as a folder of its own: a C++ program that runs the kernel, and the data, no Python."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from rocm_perf_lab.errors import ReplayRefused, UsageError
from rocm_perf_lab.replay.capture import Capture, hashed_files
from rocm_perf_lab.replay.capture_schema import HOST_KINDS, PAGE_BYTES, RegionEntry
from rocm_perf_lab.replay.files.packing import SUFFIX
from rocm_perf_lab.replay.files.sparse_file import copy_sparse, data_extents
from rocm_perf_lab.trace.files.beside import make_private

PROGRAM = ("CMakeLists.txt", "replay_kernel.cpp", "captured_dispatch.h")
VALUES = "captured_dispatch.cpp"
_CHUNK = 8 << 20
_WORD = 8


@dataclass(frozen=True)
class Exported:
    folder: Path
    kernel: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Whole pages that are backed as one piece."""

    base: int
    end: int
    host: bool
    code: bool


def export_capture(capture: Capture, folder: Path) -> Exported:
    """Write the folder; it is complete, or it is not there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already", "name a new folder with --to")
    _refuse_partial_workgroups(capture)
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".export-", dir=parent) as temporary:
        made = Path(temporary) / "made"
        for folder_of in filter(None, (capture.folder, capture.unpacked)):
            for name in hashed_files(folder_of):
                if not name.endswith(SUFFIX):
                    copy_sparse(folder_of / name, made / "capture" / name)
        if capture.manifest is not None:
            shutil.copyfile(capture.folder / "manifest.json", made / "capture" / "manifest.json")
        for name in PROGRAM:
            (made / name).write_bytes(_template(name))
        notes = _notes(capture)
        (made / VALUES).write_text(_values(capture, made / "capture", notes))
        make_private(made)
        if folder.exists():
            folder.rmdir()
        made.rename(folder)
    return Exported(folder, capture.dispatch.demangled_name, notes)


def places_of(regions: Sequence[RegionEntry]) -> list[Place]:
    """The pages of regions in order; what touches or shares a page becomes one, except code."""
    places: list[Place] = []
    for region in regions:
        base = region.base // PAGE_BYTES * PAGE_BYTES
        end = -(-region.end // PAGE_BYTES) * PAGE_BYTES
        host, code = region.kind in HOST_KINDS, region.kind == "code"
        last = places[-1] if places else None
        if last is not None:
            alike = last.host == host and not last.code and not code
            if base < last.end or (base == last.end and alike):
                places[-1] = Place(last.base, max(end, last.end), last.host, last.code)
                continue
        places.append(Place(base, end, host, code))
    return places


def word_sum(path: Path) -> int:
    """Sum of all 64-bit words, each times 2 * its index + 1: any changed byte changes it."""
    total = 0
    with path.open("rb", buffering=0) as file:
        for begin, end in data_extents(file.fileno()):
            for offset in range(begin // _WORD * _WORD, end, _CHUNK):
                file.seek(offset)
                content = file.read(min(_CHUNK, end - offset))
                words = np.frombuffer(content + bytes(-len(content) % _WORD), dtype="<u8")
                factors = np.arange(len(words), dtype=np.uint64) * np.uint64(2)
                factors += np.uint64(offset // _WORD * 2 + 1)
                total += int(np.sum(words * factors, dtype=np.uint64))
    return total % (1 << 64)


def _template(name: str) -> bytes:
    return (resources.files("rocm_perf_lab.replay") / "data" / "export" / name).read_bytes()


def _refuse_partial_workgroups(capture: Capture) -> None:
    dispatch = capture.dispatch
    if any(grid % block for grid, block in zip(dispatch.grid, dispatch.block)):
        raise ReplayRefused(
            f"the grid {list(dispatch.grid)} is not a multiple of the block "
            f"{list(dispatch.block)}, "
            "which hipModuleLaunchKernel cannot launch",
            f"run it here: rocm-perf replay run {capture.folder}",
        )


def _notes(capture: Capture) -> tuple[str, ...]:
    found = [f"may use {one.kind}: {one.detail}" for one in capture.dispatch.unsupported]
    found += capture.warnings
    if capture.variables:
        found.append(
            f"the code is loaded elsewhere; pointers in memory to its {len(capture.variables)} "
            "variable(s) lead to the captured ones"
        )
    return tuple(found)


def _values(capture: Capture, data: Path, notes: Sequence[str]) -> str:
    """captured_dispatch.cpp."""
    places = (
        f"{{0x{place.base:x}, {place.end - place.base}, {_truth(place.host)}}}"
        for place in places_of(capture.regions)
    )
    runs = (run for changed in capture.changes or () for run in changed.runs)
    variables = (f"{{{_text(v.name)}, 0x{v.address:x}, {v.size}}}" for v in capture.variables)
    parts = (
        "// Written by `rocm-perf replay export`.",
        '#include "captured_dispatch.h"',
        "",
        *_dispatch(capture, data),
        *_list("Place", "places", places),
        *_list("Region", "regions", _regions(capture, data)),
        *_list("Run", "changed", (f"{{{first}, {count}}}" for first, count in runs)),
        *_list("Variable", "variables", variables),
        *_list("const char*", "notes", (_text(note) for note in notes)),
    )
    return "\n".join(parts) + "\n"


def _regions(capture: Capture, data: Path) -> Iterable[str]:
    """Each region; its changed pages by their place in the list of all runs."""
    first_runs = {}
    count = 0
    for changed in capture.changes or ():
        first_runs[changed.base] = (changed, count)
        count += len(changed.runs)
    for region in capture.regions:
        numbers = (word_sum(data / region.file), 0, 0, 0, 0)
        if region.base in first_runs:
            changed, first = first_runs[region.base]
            after = (changed.stored_bytes, word_sum(data / changed.file))
            numbers = (numbers[0], *after, first, len(changed.runs))
        text = ", ".join(f"{number}u" for number in numbers)
        host = _truth(region.kind in HOST_KINDS)
        yield f"{{0x{region.base:x}, {region.size}, {host}, {text}}}"


def _dispatch(capture: Capture, data: Path) -> list[str]:
    dispatch, kernel = capture.dispatch, capture.kernel
    blocks = ", ".join(str(grid // block) for grid, block in zip(dispatch.grid, dispatch.block))
    threads = ", ".join(str(size) for size in dispatch.block)
    argument_bytes = max((a.offset + a.size for a in kernel.visible_arguments), default=0)
    has_after = bool(capture.changes)  # a kernel without output proves nothing
    return [
        "const Dispatch dispatch = {",
        f"    {_text(kernel.name)},",
        f"    {_text(dispatch.demangled_name)},",
        f"    {_text(capture.code.target)},",
        f"    {{{blocks}}}, {{{threads}}}, {dispatch.group_segment_size - kernel.lds_bytes},",
        f"    {argument_bytes},",
        f"    {len(capture.code.data)}, {word_sum(data / 'kernel.hsaco')}u,",
        f"    {len(capture.kernarg)}, {word_sum(data / 'kernarg.bin')}u,",
        f"    {_truth(has_after)}}};",
    ]


def _list(kind: str, name: str, items: Iterable[str]) -> list[str]:
    lines = [f"    {item}," for item in items]
    if not lines:
        return ["", f"const List<{kind}> {name} = {{nullptr, 0}};"]
    element = kind if kind.startswith("const ") else f"const {kind}"
    return [
        "",
        f"static {element} all_{name}[] = {{",
        *lines,
        "};",
        f"const List<{kind}> {name} = {{all_{name}, {len(lines)}}};",
    ]


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _text(text: str) -> str:
    """A C++ string literal; names come from a capture, which may be anybody's."""
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'
