"""Programs and captures for the tests of isolate and replay, on the virtual ROCm."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rocm_perf_lab.strict_json import plain, read_strict

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "native"))

from hip_support import BUILD, compiled, needs_hip, prefix, run, shared_folder

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.replay.capture import hashed_files, is_sparse
from rocm_perf_lab.replay.capture_schema import ManifestFile
from rocm_perf_lab.replay.files.page_hash import file_record
from rocm_perf_lab.replay.native_tools import CAPTURE_LIBRARY, REPLAYER

__all__ = ["BUILD", "compiled", "needs_replay", "run"]

SOURCES = Path(__file__).parent / "hip"

needs_replay = [
    *needs_hip,
    pytest.mark.skipif(
        not (BUILD / "lib" / CAPTURE_LIBRARY).exists() or not (BUILD / "bin" / REPLAYER).exists(),
        reason="capture and replay are not built (run `make native`)",
    ),
]


class Bench:
    """The program with the cases, the prefix that built it, and the command line."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.rocm = prefix(folder)
        self.program = compiled(folder, SOURCES / "captured_cases.hip")
        self._capfd = capfd
        self.last_stderr = ""

    def rocm_perf(self, *words: object) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of ``rocm-perf WORDS``."""
        self._capfd.readouterr()
        code = main([str(word) for word in words])
        said = self._capfd.readouterr()
        self.last_stderr = said.err
        return code, said.out, said.err

    def isolate(self, case: str, kernel: str, out: Path, dispatch: int = 0) -> dict[str, Any]:
        options = ("--kernel", kernel, "--dispatch", dispatch, "--out", out, "--timeout", 60)
        words = ("isolate", "--rocm", self.rocm, "--json", *options, "--", self.program, case)
        code, out_text, err = self.rocm_perf(*words)
        assert code == 0, err
        document: dict[str, Any] = json.loads(out_text)
        return document

    def replay(self, *words: object) -> tuple[int, dict[str, Any]]:
        action, *rest = words
        code, out, err = self.rocm_perf("replay", action, "--rocm", self.rocm, "--json", *rest)
        assert out, err
        return code, json.loads(out)

    def without_randomisation(self, *words: object) -> tuple[int, str]:
        """Exit code and stderr of the command in a process with fixed addresses."""
        command = ["setarch", "-R", sys.executable, "-m", "rocm_perf_lab.cli.main"]
        done = subprocess.run(
            [*command, *(str(word) for word in words)], capture_output=True, text=True
        )
        return done.returncode, done.stderr

    def hsaco(self, name: str) -> Path:
        """A code object of tests/replay/hip/NAME.hip."""
        return compiled(self.folder, SOURCES / f"{name}.hip", "--genco")


def rewrite(capture: Path, name: str, **changes: Any) -> None:
    """Change fields of a JSON file of a capture; the manifest stays as it was."""
    document = json.loads((capture / name).read_text())
    document.update(changes)
    (capture / name).write_text(json.dumps(document))


def sign(capture: Path) -> None:
    """Write the hashes anew: the capture is then as if it had been made like this."""
    document = json.loads((capture / "manifest.json").read_text())
    files = {n: file_record(capture / n, sparse=is_sparse(n)) for n in hashed_files(capture)}
    document["files"] = {name: plain(record) for name, record in files.items()}
    read_strict(ManifestFile, json.dumps(document))
    (capture / "manifest.json").write_text(json.dumps(document))


def make_bench(factory: pytest.TempPathFactory, capfd: pytest.CaptureFixture[str]) -> Bench:
    return Bench(shared_folder(factory), capfd)
