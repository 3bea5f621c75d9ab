"""What the operating system says about AMD GPUs, read below a root directory."""

from __future__ import annotations

import grp
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

# A file that exists only inside one kind of container.
_CONTAINER_MARKS = {
    ".dockerenv": "Docker",
    "run/.containerenv": "Podman",
    ".singularity.d": "Apptainer",
}


def _may_read_and_write(path: Path) -> bool:
    return os.access(path, os.R_OK | os.W_OK)


@dataclass(frozen=True)
class Machine:
    """The machine; tests give it another root, environment and permissions."""

    root: Path = Path("/")
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    may_use: Callable[[Path], bool] = _may_read_and_write

    @property
    def kfd(self) -> Path:
        return self.root / "dev" / "kfd"

    @property
    def render_nodes(self) -> tuple[Path, ...]:
        return tuple(sorted((self.root / "dev" / "dri").glob("renderD*")))

    @property
    def driver_loaded(self) -> bool:
        return (self.root / "sys" / "module" / "amdgpu").is_dir()

    @property
    def driver_version(self) -> Optional[str]:
        """Only AMD's DKMS driver has a version of its own; the kernel's has the kernel's."""
        return read_line(self.root / "sys" / "module" / "amdgpu" / "version")

    @property
    def kernel_gpus(self) -> tuple[str, ...]:
        """The gfx targets that the kernel driver lists, in node order."""
        nodes = (self.root / "sys" / "class" / "kfd" / "kfd" / "topology" / "nodes").glob("*")
        ordered = sorted(nodes, key=lambda node: (len(node.name), node.name))
        targets = [target_of_node(node / "properties") for node in ordered]
        return tuple(target for target in targets if target is not None)

    @property
    def container(self) -> Optional[str]:
        for mark, name in _CONTAINER_MARKS.items():
            if (self.root / mark).exists():
                return name
        return None

    @property
    def processor(self) -> Optional[str]:
        for line in _lines(self.root / "proc" / "cpuinfo"):
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
        return None


def target_of_node(properties: Path) -> Optional[str]:
    """gfx942 from ``gfx_target_version 90402``; None for a CPU node, whose version is 0."""
    for line in _lines(properties):
        key, _, value = line.partition(" ")
        if key == "gfx_target_version" and value.strip().isdigit() and int(value) > 0:
            major, minor, step = int(value) // 10000, int(value) // 100 % 100, int(value) % 100
            return f"gfx{major}{minor:x}{step:x}"
    return None


def group_of(path: Path) -> str:
    group_id = path.stat().st_gid
    try:
        return grp.getgrgid(group_id).gr_name
    except KeyError:  # a container does not know the groups of its host
        return str(group_id)


def read_line(path: Path) -> Optional[str]:
    lines = _lines(path)
    return lines[0].strip() if lines else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
