"""Where native sources, examples and what a binary wheel carries are: in the source tree, or inside
the installed package."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ToolMissing, UsageError

PACKAGE = Path(__file__).resolve().parent.parent
# What the prefix is made from; a change in any of these makes another prefix.
PARTS = (
    "CMakeLists.txt",
    "native/CMakeLists.txt",
    "native/cmake",
    "native/devicelib",
    "native/include",
    "native/metadata",
    "native/vgpu",
)
# Of these, what the libraries are compiled from.
LIBRARY_PARTS = (
    "CMakeLists.txt",
    "native/CMakeLists.txt",
    "native/include",
    "native/metadata",
    "native/vgpu",
)
# Of this package; programs that run from it leave no files in the prefix.
OWN_PARTS = (
    "bitcode.py",
    "build.py",
    "hipcc.py",
    "hipconfig.py",
    "layout/headers.py",
    "layout/llvm.py",
    "layout/packages.py",
    "libraries.py",
    "missing.py",
)


def source_root() -> Path:
    """The folder that holds CMakeLists.txt and native/."""
    for root in (PACKAGE.parent.parent, PACKAGE / "_native"):
        if (root / "native" / "CMakeLists.txt").exists() and (root / "CMakeLists.txt").exists():
            return root
    raise ToolMissing(
        "this installation does not contain the native sources of the virtual ROCm",
        "install rocm-perf-lab from its wheel or from a source checkout",
    )


def examples_folder() -> Path:
    for folder in (PACKAGE.parent.parent / "examples", PACKAGE / "_examples"):
        if (folder / "vector_add.hip").exists():
            return folder
    raise ToolMissing(
        "this installation does not contain the examples",
        "install rocm-perf-lab from its wheel or from a source checkout",
    )


def copy_examples(to: Path) -> int:
    """How many files were copied; never over somebody's files."""
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UsageError(f"{to} is in use", "name a new or an empty folder")
    folder = examples_folder()
    try:
        shutil.copytree(folder, to, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(f"{to} cannot be written: {error}", "name another folder") from error
    return sum(1 for path in folder.rglob("*") if path.is_file())


def carried(part: str) -> Optional[Path]:
    """A folder of what a binary wheel carries built: "lib" or "bin"; nothing in other wheels."""
    folder = PACKAGE / "_built" / part
    return folder if folder.is_dir() else None


def source_digest(root: Path) -> str:
    """A digest of the name and content of everything that ends up in a prefix."""
    own = [(name, Path(__file__).parent / name) for name in OWN_PARTS]
    return _digest([*_files(root, PARTS), *own])


def library_digest(root: Path) -> str:
    return _digest(_files(root, LIBRARY_PARTS))


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    """Names are relative: the same sources elsewhere give the same libraries."""
    digest = hashlib.sha256()
    for name, path in files:
        digest.update(name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(root: Path, parts: Iterable[str]) -> Iterator[tuple[str, Path]]:
    for part in parts:
        path = root / part
        candidates = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from ((str(file.relative_to(root)), file) for file in candidates if file.is_file())


def is_checkout(root: Path) -> bool:
    """Whether these sources are being worked on, as opposed to installed."""
    return root != PACKAGE / "_native"
