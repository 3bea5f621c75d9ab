"""Where the native sources are: in the source tree, or inside the installed package."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from rocm_perf_lab.errors import ToolMissing

PACKAGE = Path(__file__).resolve().parent.parent
# What the prefix is made from; a change in any of these makes another prefix.
PARTS = (
    "CMakeLists.txt",
    "native/CMakeLists.txt",
    "native/cmake",
    "native/devicelib",
    "native/include",
    "native/vgpu",
)
# Of this package; programs that run from it leave nothing of theirs in the prefix.
OWN_PARTS = ("bitcode.py", "build.py", "hipcc.py", "hipconfig.py")


def source_root() -> Path:
    """The folder that holds CMakeLists.txt and native/."""
    for root in (PACKAGE.parent.parent, PACKAGE / "_native"):
        if (root / "native" / "CMakeLists.txt").exists() and (root / "CMakeLists.txt").exists():
            return root
    raise ToolMissing(
        "this installation does not contain the native sources of the virtual ROCm",
        "install rocm-perf-lab from its wheel or from a source checkout",
    )


def source_digest(root: Path) -> str:
    """A digest of the name and content of everything that ends up in a prefix."""
    digest = hashlib.sha256()
    for path in _files(root):
        digest.update(str(path).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for part in PARTS:
        path = root / part
        candidates = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in candidates if file.is_file())
    yield from (Path(__file__).with_name(name) for name in OWN_PARTS)


def is_checkout(root: Path) -> bool:
    """Whether these sources are being worked on, as opposed to installed."""
    return root != PACKAGE / "_native"
