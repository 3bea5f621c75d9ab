"""The folder llvm/ of the prefix: the distribution's tools, and a clang that knows the prefix.

ROCm's clang finds the HIP headers and device libraries beside itself; build systems that call it
directly rely on that. The distribution's clang stands elsewhere, so that these are scripts.
"""

from __future__ import annotations

from pathlib import Path

CLANGS = ("clang", "clang++")
# ROCm's names of the same, on the PATH too.
OTHER_NAMES = {"amdclang": "clang", "amdclang++": "clang++"}
ARCH = "amdgpu-arch"
CLANG_LAUNCHER = """\
#!/bin/sh
prefix="$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")"
exec {python} -IS "$prefix/{libexec}/hipcc.py" --as={name} "$@"
"""


def llvm_files(real: Path) -> dict[str, Path]:
    """The links of llvm/, relative to it, and where each leads; scripts are left out."""
    links = {path.name: path for path in real.iterdir() if path.name != "bin"}
    own = {*CLANGS, *OTHER_NAMES, ARCH}
    tools = {f"bin/{path.name}": path for path in (real / "bin").iterdir() if path.name not in own}
    return {**links, **tools}


def put_llvm(real: Path, to: Path) -> None:
    (to / "bin").mkdir(parents=True)
    for name, target in llvm_files(real).items():
        (to / name).symlink_to(target)
