"""What ``explain`` says of every recording in a folder: a table to be read aloud.

    python -m benchmarks.recordings FOLDER [--write]

Recordings are found by what they are: workload folders, databases, CSV folders, PyTorch traces,
decoded thread traces, also in archives (``.tar.zst``). ``--write`` keeps the table in
``benchmarks/recordings.md``. Which verdict is right is not decided here: a person reads it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.cli.main import main as rocm_perf
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.trace.discover import find_recordings
from rocm_perf_lab.trace.files.packed import open_plain
from rocm_perf_lab.trace.thread_trace.detect import find_thread_traces

TABLE = Path(__file__).parent / "recordings.md"
_ARCHIVES = (".tar.zst", ".tar.gz", ".tgz")
_NOT_RECORDED_HERE = ("tuning-spaces", "gpu-noise", "published-timings")


@dataclass(frozen=True)
class Tried:
    name: str
    kind: str
    said: str
    first: str  # the first piece of advice


def recordings_in(folder: Path, scratch: Path) -> Iterator[tuple[str, str, Path]]:
    """(name, kind, path) of all that can be explained by itself."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] in _NOT_RECORDED_HERE:
            continue
        if path.name.endswith(_ARCHIVES):
            yield from _in_archive(path, name, scratch)
    yield from _plain(folder, "")


def _in_archive(path: Path, name: str, scratch: Path) -> Iterator[tuple[str, str, Path]]:
    target = scratch / path.name
    with open_plain(path) as stream, tarfile.open(fileobj=io.BytesIO(stream.read())) as archive:
        archive.extractall(target, filter="data")
    yield from _plain(target, f"{name}: ")


def _plain(folder: Path, prefix: str) -> Iterator[tuple[str, str, Path]]:
    seen: set[Path] = set()
    for trace in find_thread_traces(folder):
        yield f"{prefix}{trace.relative_to(folder)}", "thread trace", trace
        seen.add(trace)
    for path in sorted(folder.rglob("*")):
        outside = path.relative_to(folder).parts[0] in _NOT_RECORDED_HERE
        if outside or path in seen or any(parent in seen for parent in path.parents):
            continue
        with contextlib.suppress(PerfLabError):
            found = find_recordings([path])
            parents = {file.parent for one in found for file in one.files}
            if len(found) == 1 or parents == {path}:
                kind = found[0].kind
                yield f"{prefix}{path.relative_to(folder)}", kind, path
                seen.add(path)


def tried(name: str, kind: str, path: Path) -> Tried:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = rocm_perf(["explain", "--from", str(path)])
    if code != 0:
        said = err.getvalue().strip().splitlines()[0]
        return Tried(name, kind, said.replace(str(path), "it"), "")
    lines = out.getvalue().rstrip().splitlines()
    said = lines[-1].removeprefix("Result: ").replace(str(path), "it")
    return Tried(name, kind, said, _advice(lines))


def _advice(lines: list[str]) -> str:
    """The first paragraph below "Try first", without its number."""
    if "Try first" not in lines:
        return ""
    paragraph: list[str] = []
    for line in lines[lines.index("Try first") + 1 :]:
        if not line.strip() or (paragraph and line.lstrip().startswith("2. ")):
            break
        paragraph.append(line.strip())
    return " ".join(paragraph).removeprefix("1. ")


def table(rows: list[Tried]) -> str:
    lines = ["| recording | kind | result | first advice |", "|---|---|---|---|"]
    for row in rows:
        cells = (row.name, row.kind, row.said, row.first)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = [tried(*one) for one in recordings_in(arguments.folder.resolve(), Path(scratch))]
        text = table(found).replace(scratch, "")
    print(text)
    if arguments.write:
        TABLE.write_text(f"{HEADING}\n{text}")
    return 0


HEADING = """# Recordings tried

What `rocm-perf explain --from RECORDING` says, its last line and its first advice, written by
`python -m benchmarks.recordings FOLDER --write`. Sources: `tests/fixtures/recordings/README.md`.
"""

if __name__ == "__main__":
    sys.exit(main())
