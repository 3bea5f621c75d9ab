"""Running an application with the capture library in it, and making its capture complete."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.collect.doctor.environment import installed_version
from rocm_perf_lab.collect.prefix import LIBRARY_PATH, Prefix
from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.collect.rocprof.application import (
    application_failure,
    cannot_start,
    check_application,
)
from rocm_perf_lab.collect.rocprof.options import Starter
from rocm_perf_lab.errors import CaptureRefused, NothingRecorded, UsageError
from rocm_perf_lab.redaction import kept_variables, redacted_words
from rocm_perf_lab.replay.capture import Capture, hashed_files, is_sparse, load_capture
from rocm_perf_lab.replay.capture_schema import ManifestFile
from rocm_perf_lab.replay.files.packing import pack, zstandard
from rocm_perf_lab.replay.files.page_hash import file_record
from rocm_perf_lab.replay.host_writes import leave_out_arguments
from rocm_perf_lab.replay.native_tools import native_tools
from rocm_perf_lab.strict_json import as_text
from rocm_perf_lab.trace.files.beside import make_private
from rocm_perf_lab.trace.files.temporary import temporary_folder

_HOSTCALL = "hidden_hostcall_buffer"


@dataclass(frozen=True)
class IsolateOptions:
    kernel: str  # a regular expression, searched in the demangled and the mangled name
    dispatch: int = 0  # which of the matching dispatches
    out: Optional[Path] = None
    max_bytes: Optional[int] = None
    timeout_s: Optional[float] = None
    compress: bool = False
    cwd: Optional[Path] = None  # where the application starts
    start: Starter = run_process  # what starts it


@dataclass(frozen=True)
class Isolated:
    capture: Capture
    application: str  # how it ended: a capture is complete even if that was badly


@dataclass(frozen=True)
class ListedKernel:
    mangled_name: str
    demangled_name: str
    dispatches: int
    regions: int  # that it could reach when it was first dispatched
    bytes: int
    matches: bool


def isolate(argv: Sequence[str], prefix: Prefix, options: IsolateOptions) -> Isolated:
    """Run ``argv`` and capture one dispatch. The capture is complete, or there is none."""
    _check_expression(options.kernel)
    if options.compress:
        zstandard()  # before the application runs for nothing
    target = options.out
    if target is not None and target.exists() and not _is_empty_folder(target):
        raise UsageError(f"{target} is there already", "name a new folder with --out")
    parent = (target.absolute().parent if target else Path.cwd()).resolve()
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".isolate-", dir=parent) as folder:
        work = Path(folder)
        variables = {
            "ROCM_PERF_CAPTURE_KERNEL": options.kernel,
            "ROCM_PERF_CAPTURE_DISPATCH": str(options.dispatch),
        }
        if options.max_bytes is not None:
            variables["ROCM_PERF_CAPTURE_MAX_BYTES"] = str(options.max_bytes)
        result = _run(argv, prefix, work, variables, options.timeout_s, options.cwd, options.start)
        made = _made_capture(work, argv, result, options)
        leave_out_arguments(made, work / f"arguments-{made.name.partition('-')[2]}.txt")
        _describe_unsupported(made)
        _write_manifest(made, argv, prefix)
        place = target or parent / f"isolate_{made.name.replace('-', '_')}"
        if place.exists() and _is_empty_folder(place):
            place.rmdir()
        capture = load_capture(made, check_hashes=False)
        if options.compress:
            pack(made, filter(is_sparse, hashed_files(made)))
        make_private(made)
        made.rename(place)
    return Isolated(replace(capture, folder=place), result.ending)


def list_kernels(
    argv: Sequence[str],
    prefix: Prefix,
    pattern: str = "",
    timeout_s: Optional[float] = None,
) -> tuple[ListedKernel, ...]:
    """Run ``argv`` and say which kernels it dispatched, the most frequent first."""
    _check_expression(pattern)
    with temporary_folder("list") as folder:
        variables = {"ROCM_PERF_CAPTURE_LIST": "1", "ROCM_PERF_CAPTURE_KERNEL": pattern}
        result = _run(argv, prefix, Path(folder), variables, timeout_s)
        found: dict[str, ListedKernel] = {}
        for path in sorted(Path(folder).glob("list-*.json")):
            for entry in json.loads(path.read_text())["kernels"]:
                kernel = ListedKernel(**entry)
                known = found.get(kernel.mangled_name)
                found[kernel.mangled_name] = kernel if known is None else _sum(known, kernel)
    if not result.ok:
        raise application_failure(argv, result, timeout_s)
    if not found:
        raise NothingRecorded(
            "the application dispatched no kernel that the HSA runtime could show",
            "check that it uses the GPU: rocm-perf profile -- ...",
        )
    return tuple(sorted(found.values(), key=lambda k: (-k.dispatches, k.demangled_name)))


def _sum(one: ListedKernel, other: ListedKernel) -> ListedKernel:
    """The same kernel in several processes."""
    largest = max(one, other, key=lambda kernel: kernel.bytes)
    return ListedKernel(
        one.mangled_name,
        one.demangled_name,
        one.dispatches + other.dispatches,
        largest.regions,
        largest.bytes,
        one.matches,
    )


def _check_expression(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--kernel '{pattern}' is not a regular expression: {error}") from error


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _run(
    argv: Sequence[str],
    prefix: Prefix,
    folder: Path,
    variables: Mapping[str, str],
    timeout_s: Optional[float],
    cwd: Optional[Path] = None,
    start: Starter = run_process,
) -> ProcessResult:
    check_application(argv)
    with _listable(native_tools(prefix).capture) as library:
        environment = _environment(library, prefix, folder, variables)
        try:
            return start(
                argv, env=environment, cwd=cwd, timeout_s=timeout_s, stdout=Stdout.TO_STDERR
            )
        except OSError as error:
            raise cannot_start(argv, error) from error


@contextlib.contextmanager
def _listable(library: Path) -> Iterator[Path]:
    """The library under a path that can stand in a list: HSA_TOOLS_LIB knows no quotes."""
    if not re.search(r"[\s:]", str(library)):
        yield library
        return
    with temporary_folder("tool") as folder:
        link = Path(folder) / library.name
        link.symlink_to(library)
        yield link


def _environment(
    library: Path, prefix: Prefix, folder: Path, variables: Mapping[str, str]
) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ROCM_PERF_CAPTURE_")}
    environment = {**kept, LIBRARY_PATH: prefix.library_path(kept)}
    libraries = [str(library), *environment.get("HSA_TOOLS_LIB", "").split()]
    environment.update(variables)
    environment["ROCM_PERF_CAPTURE_OUT"] = str(folder)
    environment["HSA_TOOLS_LIB"] = " ".join(libraries)
    # A profiler in the process, also one that only waits in libtorch, would close that door.
    environment["HSA_TOOLS_ROCPROFILER_V1_TOOLS"] = "1"
    return environment


def _made_capture(
    work: Path, argv: Sequence[str], result: ProcessResult, options: IsolateOptions
) -> Path:
    """The folder that the library made: of the first process, should several have matched."""
    made = sorted(
        (path for path in work.glob("capture-*") if path.suffix != ".part"),
        key=lambda path: path.stat().st_mtime_ns,
    )
    if made:
        return made[0]  # what the application did afterwards does not touch it
    for error in sorted(work.glob("error-*.txt")):
        raise CaptureRefused(
            f"the dispatch was not captured: {error.read_text(errors='replace')}",
            "see what each kernel could reach: rocm-perf isolate --list -- ...",
        )
    if not result.ok:
        raise application_failure(argv, result, options.timeout_s)
    which = f"dispatch {options.dispatch} of a kernel" if options.dispatch else "a kernel"
    raise NothingRecorded(
        f"the application ended without {which} that matches '{options.kernel}'",
        "see its kernels: rocm-perf isolate --list -- ...",
    )


def _describe_unsupported(folder: Path) -> None:
    """Adds what only the kernel's metadata tells: a buffer through which it calls the host."""
    capture = load_capture(folder, check_hashes=False)
    for argument in capture.kernel.arguments:
        if argument.value_kind != _HOSTCALL:
            continue
        if any(capture.kernarg[argument.offset : argument.offset + argument.size]):
            document = json.loads((folder / "dispatch.json").read_text())
            detail = "the kernel calls the host (printf, assert or malloc on the device)"
            document["unsupported"].append({"kind": "hostcall", "detail": detail})
            (folder / "dispatch.json").write_text(json.dumps(document, indent=2) + "\n")


def _write_manifest(folder: Path, argv: Sequence[str], prefix: Prefix) -> None:
    files = {
        name: file_record(folder / name, sparse=is_sparse(name)) for name in hashed_files(folder)
    }
    manifest = ManifestFile(
        schema_version="1.0",
        tool_version=__version__,
        rocm_version=installed_version(prefix),
        rocm_kind="virtual" if prefix.kind == "virtual" else "rocm",
        command=tuple(redacted_words(argv)),
        environment=kept_variables(os.environ),
        files=files,
    )
    (folder / "manifest.json").write_text(as_text(manifest, indent=2) + "\n")
