"""G0: a candidate writes none of the files that judge it.

Everything that decides (sources, headers, build files, inputs, the harness) is sealed by its hash
before a candidate is built. What is built and run is a copy made from the sealed bytes, and the
seal is looked at again before a verdict counts.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.optimize.refusal import Refusal, Stage

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Seal:
    """What lay at some paths: by absolute path of each file, a hash of its kind and bytes."""

    roots: tuple[Path, ...]
    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """One number for all of them, for the evidence."""
        lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(self.files.items()))
        return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def seal(roots: Iterable[Path]) -> Seal:
    """Files, and folders with all that is in them; links are sealed as links."""
    absolute = tuple(Path(os.path.abspath(root)) for root in roots)
    return Seal(absolute, {str(path): _digest(path) for path in _files(absolute)})


def check_trust(sealed: Seal, may_change: Iterable[Path] = ()) -> Optional[Refusal]:
    """Look again: the first file that is not as it was. ``may_change`` is the candidate's own."""
    allowed = {os.path.abspath(path) for path in may_change}
    now = seal(sealed.roots).files
    for path in sorted({*sealed.files, *now} - allowed):
        was, is_now = sealed.files.get(path), now.get(path)
        if was != is_now:
            reason = "file-missing" if is_now is None else "file-new" if was is None else None
            what = {"file-missing": "is gone", "file-new": "is new"}.get(reason or "", "changed")
            return Refusal(
                Stage.TRUST,
                reason or "file-changed",
                f"{path} {what} since the baseline was sealed; nothing measured since then counts",
            )
    return None


def clean_copy(sealed: Seal, root: Path, target: Path) -> Optional[Refusal]:
    """Copies the sealed files below ``root`` to ``target``; each is checked as it is copied."""
    top = os.path.abspath(root)
    for path, digest in sorted(sealed.files.items()):
        if os.path.commonpath([top, path]) != top:
            continue
        copy = target / os.path.relpath(path, top)
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            if os.path.islink(path):
                os.symlink(os.readlink(path), copy)
            else:
                copy.write_bytes(Path(path).read_bytes())
                os.chmod(copy, stat.S_IMODE(os.stat(path).st_mode) | stat.S_IWUSR)
        except OSError as error:
            return Refusal(Stage.TRUST, "file-missing", f"{path} cannot be copied: {error}")
        if _digest(copy) != digest:
            return Refusal(Stage.TRUST, "file-changed", f"{path} changed while it was copied")
    return None


def _files(roots: Iterable[Path]) -> Iterator[Path]:
    for root in roots:
        if root.is_dir() and not root.is_symlink():
            for folder, folders, names in os.walk(root):
                folders.sort()
                links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
                yield from (Path(folder, name) for name in sorted([*names, *links]))
        elif os.path.lexists(root):
            yield root


def _digest(path: Path) -> str:
    status = path.lstat()
    digest = hashlib.sha256()
    if stat.S_ISLNK(status.st_mode):
        digest.update(b"link " + os.fsencode(os.readlink(path)))
    elif stat.S_ISREG(status.st_mode):
        runs = b"program " if status.st_mode & stat.S_IXUSR else b"file "
        digest.update(runs)
        with path.open("rb") as file:
            for chunk in iter(lambda: file.read(_CHUNK), b""):
                digest.update(chunk)
    else:
        digest.update(f"special {status.st_mode:o}".encode())
    return digest.hexdigest()
