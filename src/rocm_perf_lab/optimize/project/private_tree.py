"""A private copy of the project, in which every version is built the same way.

The copy has the absolute paths of the original below its own root, so that relative includes hold,
and every version is built from the same path, so that names that the compiler makes from paths are
the same. Compilers run in the box: a few lines of templates can keep them busy for days.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.box import BoxResult, Limits, run_boxed
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ApplicationFailed, UsageError
from rocm_perf_lab.optimize.guards.trust import Seal, check_trust, clean_copy, seal
from rocm_perf_lab.optimize.project.baseline_flags import kernel_code
from rocm_perf_lab.optimize.project.flags import flags_in_tree
from rocm_perf_lab.optimize.project.model import OWN_BUILD, Project
from rocm_perf_lab.optimize.refusal import Refusal
from rocm_perf_lab.prove.oracle.executed.plain import PLAIN_FLAGS
from rocm_perf_lab.prove.symbolic import device_ir

_BUILD_LIMITS = Limits(seconds=300.0)


@dataclass(frozen=True)
class Built:
    """``file`` is None where the compiler failed; ``said`` is what it wrote."""

    file: Optional[Path]
    said: str


class PrivateTree:
    """``folder`` is ours alone. ``seal`` is what the user's files were when they were copied."""

    def __init__(self, project: Project, prefix: Prefix, folder: Path) -> None:
        self.project = project
        self.seal: Seal = seal(sorted(project.files))
        self._prefix = prefix
        self._root = folder / "tree"
        self._out = folder / "built"
        self._out.mkdir(parents=True)
        refusal = clean_copy(self.seal, Path("/"), self._root)
        if refusal is not None:
            raise UsageError(refusal.message, "try again when nothing writes the sources")
        self._changed: dict[str, bytes] = {}
        self._as_it_is: Optional[Path] = None  # the program of the sealed files
        self._alone: dict[Path, bool] = {}
        self._count = 0

    def original(self, path: str) -> bytes:
        """The sealed bytes of a file, by its path in the user's tree."""
        changed = self._changed.get(path)
        return self._copy_of(Path(path)).read_bytes() if changed is None else changed

    def check_trust(self) -> Optional[Refusal]:
        return check_trust(self.seal)

    def program(self, contents: Mapping[str, bytes]) -> Built:
        """The whole application with ``contents`` in place of files, by their original paths."""
        self._put(contents)
        place = self._place()
        output = place / self.project.program_name
        if self.project.build is not None:
            built = self._own_build(output)
        else:
            words = [str(self._copy_of(source)) for source in self.project.sources]
            built = self._run([*self._hipcc(), *words, "-o", str(output)], place, output)
        if not contents:
            self._as_it_is = built.file
        return built

    def code(self, contents: Mapping[str, bytes], source: Path) -> Built:
        """The device code of one source; where only the user's own build makes it as it is, the
        whole program."""
        if self.project.build is not None and not self._made_alone(source):
            return self.program(contents)
        return self._device_code(contents, source)

    def _made_alone(self, source: Path) -> bool:
        """Whether the flags in the user's own build make the code that the program has."""
        if source not in self._alone:
            self._alone[source] = False
            if self.project.flags_from == OWN_BUILD and self._as_it_is is not None:
                made = self._device_code({}, source).file
                code = {} if made is None else kernel_code(made)
                self._alone[source] = bool(code) and (
                    code.items() <= kernel_code(self._as_it_is).items()
                )
        return self._alone[source]

    def plain_code(self, contents: Mapping[str, bytes], source: Path) -> Built:
        """The device code with loops as they are written."""
        return self._device_code(contents, source, PLAIN_FLAGS)

    def _device_code(
        self, contents: Mapping[str, bytes], source: Path, flags: Sequence[str] = ()
    ) -> Built:
        self._put(contents)
        place = self._place()
        output = place / "code.co"
        file = str(self._copy_of(source))
        words = [*self._hipcc(), *flags, "--genco", file, "-o", str(output)]
        return self._run(words, place, output)

    def device_ir(self, contents: Mapping[str, bytes], source: Path) -> str:
        """What a symbolic proof reads. Raises when it cannot be made."""
        self._put(contents)
        flags = flags_in_tree(self.project.flags, self._root)
        return device_ir(self._prefix, self._copy_of(source), flags)

    def _own_build(self, output: Path) -> Built:
        """Runs where the user runs it, in the copy; what it makes is taken away from there."""
        assert self.project.build is not None
        start = self._copy_of(self.project.folder)
        made = start / f".rocm-perf-output-{self._count}"
        values = {"{source}": str(self._copy_of(self.project.sources[0])), "{output}": str(made)}
        words = [_filled(word, values) for word in self.project.build]
        words[0] = _found(words[0], self._prefix, start)
        result = self._run(words, start, made)
        if result.file is None:
            return result
        os.replace(made, output)
        return Built(output, result.said)

    def _run(self, words: Sequence[str], folder: Path, output: Path) -> Built:
        done = run_boxed(
            words,
            folder,
            self._prefix.path,
            limits=_BUILD_LIMITS,
            readable=[self._root, self.project.folder],
        )
        said = _said(done)
        return Built(output if done.ok and output.is_file() else None, said)

    def _hipcc(self) -> list[str]:
        flags = flags_in_tree(self.project.flags, self._root)
        return [str(self._prefix.tool("hipcc")), *flags]

    def _copy_of(self, path: Path) -> Path:
        return Path(f"{self._root}{path}")

    def _place(self) -> Path:
        self._count += 1
        place = self._out / f"{self._count:04}"
        place.mkdir()
        return place

    def _put(self, contents: Mapping[str, bytes]) -> None:
        """The copy has exactly these changes, whatever was built before."""
        for path, data in list(self._changed.items()):
            if path not in contents:
                self._copy_of(Path(path)).write_bytes(data)
                del self._changed[path]
        for path, data in contents.items():
            copy = self._copy_of(Path(path))
            self._changed.setdefault(path, copy.read_bytes())
            copy.write_bytes(data)


def _filled(word: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def _found(program: str, prefix: Prefix, folder: Path) -> str:
    if os.sep in program:
        return str(folder / program)
    path = os.pathsep.join((str(prefix.path / "bin"), os.environ.get("PATH", os.defpath)))
    found = shutil.which(program, path=path)
    if found is None:
        raise ApplicationFailed(f"--build: {program} was not found", "give its path")
    return os.path.abspath(found)


def _said(done: BoxResult) -> str:
    text = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
    if done.ok:
        return text
    return f"{text}\n{done.ending}".strip() if done.ended_by or not text else text
