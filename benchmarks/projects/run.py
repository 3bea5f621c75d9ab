"""Builds and runs programs of HeCBench, drawn by lot, with the hipcc of a prefix.

    python -m benchmarks.projects.run SRC RESULTS [--rocm PREFIX] [--include DIR ...] [NAME ...]

``SRC`` is the folder ``src`` of a checkout of HeCBench, which is built in. Each program of
``drawn.txt`` is built by its own Makefile, with DIRs to look for headers in besides, and runs with
the arguments that ``arguments.json`` has for it, for --cpu seconds of processor time at most. What
it printed tells whether it is right. ``RESULTS`` (JSON) keeps what was found; programs that are
named are done again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Optional

from benchmarks.projects.data import make_inputs
from rocm_perf_lab.vrocm.prefix import ensure_prefix

HERE = Path(__file__).parent
_PASS = re.compile(r"\bpass(ed)?\b|\bsuccess|\bcorrect\b|\bverified\b", re.IGNORECASE)
_FAIL = re.compile(
    r"\bfail|\bmismatch|\bincorrect\b|\bwrong\b|\berror[^:=]*:?\s*[1-9]", re.IGNORECASE
)
_LAST = 1500


@dataclass(frozen=True)
class Ran:
    seconds: float  # of processor time
    ending: str  # "" when it ended well
    text: str


@dataclass(frozen=True)
class Found:
    name: str
    builds: bool
    build_s: float
    runs: Optional[bool]  # nothing where it is not run
    right: Optional[bool]  # nothing where it does not say
    cpu_s: float
    arguments: str
    why: str  # not built, not run, not ended or not right


def ran(words: Sequence[str], folder: Path, cpu_s: int, **variables: str) -> Ran:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))

    before = _used()
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **variables},
        preexec_fn=limit,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode(errors="replace")
    code = done.returncode
    ending = "" if code == 0 else f"signal {-code}" if code < 0 else f"exit code {code}"
    seconds = _used() - before
    return Ran(seconds, "more processor time" if seconds >= cpu_s else ending, text)


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def tried(name: str, how: dict[str, Any], sources: Path, rocm: Path, options: Any) -> Found:
    folder = sources / name
    flags = " ".join(f"-I{path}" for path in options.include)
    path = os.pathsep.join((str(rocm / "bin"), os.environ["PATH"]))
    variables = {"PATH": path, "ROCM_PATH": str(rocm)}
    words = ["make", f"EXTRA_CFLAGS={flags}"]
    ran(["make", "clean"], folder, options.cpu, **variables)
    built = ran(words, folder, options.cpu * 5, **variables)
    arguments = " ; ".join(how.get("arguments", []))
    if built.ending or not (folder / "main").exists():
        why = _first_error(built.text)
        return Found(name, False, built.seconds, None, None, 0.0, "", why)
    if "needs" in how:
        return Found(name, True, built.seconds, None, None, 0.0, "", f"needs {how['needs']}")
    make_inputs(name, folder)
    total, texts = 0.0, []
    for line in how["arguments"]:
        one = ran(["./main", *line.split()], folder, options.cpu, **variables)
        total += one.seconds
        texts.append(one.text)
        if one.ending:
            why = (
                one.ending
                if one.ending.startswith("more")
                else f"{one.ending}: {one.text[-_LAST:]}"
            )
            return Found(name, True, built.seconds, False, None, total, arguments, why)
    text = "\n".join(texts)
    right = _said(text, how, folder)
    why = text[-_LAST:] if right is False else ""
    return Found(name, True, built.seconds, True, right, total, arguments, why)


def _said(text: str, how: dict[str, Any], folder: Path) -> Optional[bool]:
    """By its own words, or by those or the two equal files that the table has for it."""
    if "same" in how:
        one, other = ((folder / name).read_bytes() for name in how["same"])
        return one == other
    if "says" in how:
        return re.search(how["says"], text) is not None
    if _FAIL.search(text):
        return False
    return True if _PASS.search(text) else None


def _first_error(text: str) -> str:
    errors = [line for line in text.splitlines() if re.search(r"error:|note: .* is no", line)]
    return " / ".join(errors[:3]) or text[-_LAST:]


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, metavar="SRC")
    parser.add_argument("results", type=Path, metavar="RESULTS")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these, again")
    parser.add_argument("--rocm", type=Path, help="the prefix to build and run with")
    parser.add_argument("--include", type=Path, nargs="*", default=[], metavar="DIR")
    parser.add_argument("--cpu", type=int, default=60, help="seconds of one run (60)")
    options = parser.parse_args(argv)
    rocm = options.rocm or ensure_prefix(print)
    table = json.loads((HERE / "arguments.json").read_text())
    kept: dict[str, Any] = {}
    if options.results.exists():
        kept = {one["name"]: one for one in json.loads(options.results.read_text())["programs"]}
    drawn = (HERE / "drawn.txt").read_text().split()
    for name in options.names or [name for name in drawn if name not in kept]:
        found = tried(name, table[name], options.sources, rocm, options)
        kept[name] = asdict(found)
        print(found, flush=True)
        _keep(options.results, [kept[one] for one in drawn if one in kept])
    return 0


def _keep(file: Path, programs: list[Any]) -> None:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    today = datetime.now(timezone.utc).date().isoformat()
    document = {"date": today, "commit": commit, "programs": programs}
    file.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
