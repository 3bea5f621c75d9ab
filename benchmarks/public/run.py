"""``rocm-perf optimize`` on drawn programs, as their users would start it.

    python -m benchmarks.public.run SRC DRAWN [--rocm PREFIX] [--results FILE] [NAME ...]

``DRAWN`` is what ``benchmarks.public.choose`` printed. Each program is worked on in a copy, with
the flags of its Makefile in ``--build``. Afterwards the copy's hash has to be what it was. Accepted
code is then put in, the Makefile builds it, and the program's own check is asked at the size of the
search and at a smaller one. ``--results`` keeps what was found; those in it are not run again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from benchmarks.public.choose import passes
from benchmarks.public.makefile import Recipe, recipe
from benchmarks.public.table import Found, summary, table
from rocm_perf_lab.vrocm.prefix import ensure_prefix

_LAST_OF_STDERR = 2000


@dataclass(frozen=True)
class Drawn:
    name: str
    arguments: str


def drawn(file: Path) -> list[Drawn]:
    lines = [json.loads(line) for line in file.read_text().splitlines() if line]
    return [Drawn(line["name"], line["arguments"]) for line in lines]


def worked_on(one: Drawn, sources: Path, rocm: Path, more: Sequence[str]) -> tuple[Found, Any]:
    with tempfile.TemporaryDirectory(prefix="rocm-perf-public-") as place:
        folder = _copied(one.name, sources, Path(place, "src"))
        how = recipe(folder)
        assert how is not None
        before = _hash(Path(place, "src"))
        began = time.perf_counter()
        done = _optimize(one, how, rocm, Path(place, "state"), more)
        seconds = time.perf_counter() - began
        unchanged = _hash(Path(place, "src")) == before
        document = json.loads(done.stdout) if done.stdout.startswith(b"{") else None
        check = "" if document is None else _own_check(one, how, rocm, document)
    return _found(one, done, document, seconds, unchanged, check), document


def _copied(name: str, sources: Path, place: Path) -> Path:
    """With the folder of the same program that shares files with it."""
    stem = name.rpartition("-")[0]
    for folder in sorted({name, f"{stem}-cuda", "include"}):
        if (sources / folder).is_dir():
            shutil.copytree(sources / folder, place / folder)
    return place / name


def _hash(folder: Path) -> str:
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            total.update(str(file.relative_to(folder)).encode() + b"\0")
            total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def _optimize(
    one: Drawn, how: Recipe, rocm: Path, state: Path, more: Sequence[str]
) -> subprocess.CompletedProcess[bytes]:
    named = [word for source in how.kernel_sources() for word in ("--source", source)]
    words = ["optimize", *named, "--build", how.build(), "--json", "--rocm", str(rocm), *more]
    words += ["--", "./main", *shlex.split(one.arguments)]
    return subprocess.run(
        [sys.executable, "-m", "rocm_perf_lab.cli.main", *words],
        cwd=how.folder,
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        capture_output=True,
        check=False,
    )


def _own_check(one: Drawn, how: Recipe, rocm: Path, document: Any) -> str:
    """Of the accepted code, built by the program's own Makefile; "" when nothing was accepted."""
    if document["verdict"] != "accept":
        return ""
    kept = {Path(file).name: file for file in document["outputs"]}
    for source in how.folder.parent.rglob("*"):
        if source.name in kept and source.is_file():
            shutil.copy(kept[source.name], source)
    path = os.pathsep.join((str(rocm / "bin"), os.environ["PATH"]))
    env = {**os.environ, "PATH": path}
    made = subprocess.run(["make"], cwd=how.folder, env=env, capture_output=True, check=False)
    if made.returncode != 0:
        return "does not build"
    said = [_passes(how.folder, words) for words in _sizes(one, how)]
    return "pass" if all(said) else "FAIL"


def _sizes(one: Drawn, how: Recipe) -> list[list[str]]:
    own = shlex.split(one.arguments)
    smaller = Recipe(how.folder, how.flags, how.sources, tuple(own)).reduced(1)
    return [own, list(smaller)]


def _passes(folder: Path, arguments: Sequence[str]) -> bool:
    done = subprocess.run(
        ["./main", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode == 0 and passes(done.stdout + done.stderr)


def _found(
    one: Drawn,
    done: subprocess.CompletedProcess[bytes],
    document: Any,
    seconds: float,
    unchanged: bool,
    check: str,
) -> Found:
    if document is None:
        said = done.stderr.decode(errors="replace")[-_LAST_OF_STDERR:]
        ending = f"exit code {done.returncode}"
        return Found(one.name, one.arguments, ending, said, 1, 1, 1, 0, seconds, unchanged, "", "")
    speedup = document["speedup"]
    accepted = [a["proposal"] for a in document["attempts"] if a["verdict"] == "accept"]
    return Found(
        name=one.name,
        arguments=one.arguments,
        verdict=document["verdict"],
        reason=document["reason"],
        gain=speedup["kernel"] or 1.0,
        claim=speedup["kernel_low"] or 1.0,
        application=speedup["application"] or 1.0,
        attempts=len(document["attempts"]),
        seconds=seconds,
        unchanged=unchanged,
        check=check,
        change=" / ".join(accepted),
    )


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, metavar="SRC")
    parser.add_argument("drawn", type=Path, metavar="DRAWN")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--rocm", type=Path, help="the prefix to build and run with")
    parser.add_argument("--results", type=Path, metavar="FILE", help="JSON lines; resumed")
    parser.add_argument("--documents", type=Path, metavar="DIR", help="keeps what optimize said")
    parser.add_argument("--budget", default="300", help="seconds of each search (300)")
    arguments = parser.parse_args(argv)
    rocm = arguments.rocm or ensure_prefix(print)
    known = _kept(arguments.results)
    results = []
    for one in drawn(arguments.drawn):
        if arguments.names and one.name not in arguments.names:
            continue
        if one.name not in known:
            more = ("--budget", arguments.budget)
            known[one.name], document = worked_on(one, arguments.sources, rocm, more)
            _keep(known[one.name], document, arguments.results, arguments.documents)
        results.append(known[one.name])
    print(table(results))
    text, nothing_broken = summary(results)
    print(f"\n{text}")
    return 0 if nothing_broken else 1


def _kept(file: Optional[Path]) -> dict[str, Found]:
    if file is None or not file.is_file():
        return {}
    lines = [json.loads(line) for line in file.read_text().splitlines() if line]
    return {line["name"]: Found(**line) for line in lines}


def _keep(found: Found, document: Any, results: Optional[Path], folder: Optional[Path]) -> None:
    if results is not None:
        with results.open("a") as file:
            file.write(json.dumps(asdict(found)) + "\n")
    if folder is not None and document is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{found.name}.json").write_text(json.dumps(document, indent=1))


if __name__ == "__main__":
    sys.exit(main())
