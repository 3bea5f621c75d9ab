"""The folders that a caller may name paths in. Links are followed before they are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.errors import UsageError

COMPILER = "hipcc"  # of the ROCm prefix; the only program that may be named without its place


@dataclass(frozen=True)
class Roots:
    """Relative paths are below the first one."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> Roots:
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"{folder} is not a folder", "rocm-perf mcp --root DIR")
        return cls(tuple(folder.resolve() for folder in folders))

    def inside(self, named: str) -> Path:
        """Where it is, if it is or would be in one of the folders."""
        place = (self.folders[0] / named).resolve()
        if any(place == folder or folder in place.parents for folder in self.folders):
            return place
        allowed = ", ".join(map(str, self.folders))
        raise UsageError(
            f"{named} is outside of the folders that this server may use: {allowed}",
            "start it with another --root, or copy what is needed into one of them",
        )

    def command(self, words: Sequence[str]) -> list[str]:
        """An application of these folders and its arguments. Those are its own affair."""
        if not words:
            raise UsageError("the command is empty", 'such as ["./app", "100"]')
        program = self.inside(words[0])
        if not program.is_file():
            raise UsageError(f"{words[0]} is not there", "build it first, or name its place")
        return [str(program), *words[1:]]

    def build(self, words: Sequence[str]) -> list[str]:
        """The compiler of the ROCm prefix, or a program of these folders."""
        return list(words) if words[:1] == [COMPILER] else self.command(words)
