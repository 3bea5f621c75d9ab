"""Writes into docs/explain-examples.md what ``rocm-perf explain`` says about the examples.

A test compares: the same words, and numbers that differ by little, because the timing model of the
virtual device is still being calibrated.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.vrocm.prefix import ensure_prefix

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explain-examples.md"
_BLOCK = re.compile(r"^### (\w+)\n(.*?^```text\n)(.*?)(^```\n)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Example:
    source: Path
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.source.stem


_FOLDER = ROOT / "examples" / "bottlenecks"
EXAMPLES = (
    Example(_FOLDER / "strided_copy.hip"),
    Example(_FOLDER / "small_grid.hip"),
    Example(_FOLDER / "divergent_branch.hip"),
    Example(_FOLDER / "mfma_product.hip"),
    Example(_FOLDER / "lds_transpose.hip"),
    Example(ROOT / "examples" / "pipeline.hip", ("16384",)),
)


def documented() -> dict[str, str]:
    """Name of the example -> the text that the page shows for it."""
    return {match[1]: match[3] for match in _BLOCK.finditer(PAGE.read_text())}


def compile_example(example: Example, prefix: Path, folder: Path) -> None:
    command = [str(prefix / "bin" / "hipcc"), "-Wall", "-Wextra", "-Werror", str(example.source)]
    subprocess.run([*command, "-o", str(folder / example.name)], check=True)


def explain_command(example: Example, prefix: Path) -> list[str]:
    """Arguments of rocm-perf, to be run where the example was compiled."""
    program = [f"./{example.name}", *example.arguments]
    return ["explain", "--no-walls", "--rocm", str(prefix), "--runs", "1", "--", *program]


def page_of(output: str) -> str:
    """What explain printed, without what the application printed before it."""
    return output[output.index("Application: ") :]


def main() -> None:
    prefix = ensure_prefix(lambda step: print(step, file=sys.stderr))
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        for example in EXAMPLES:
            compile_example(example, prefix, Path(folder))
            command = [sys.executable, "-m", "rocm_perf_lab.cli.main"]
            done = subprocess.run(
                [*command, *explain_command(example, prefix)],
                cwd=folder,
                env={**os.environ, "XDG_DATA_HOME": folder},  # without roofs that were measured
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            texts[example.name] = page_of(done.stdout)
    PAGE.write_text(
        _BLOCK.sub(lambda m: f"### {m[1]}\n{m[2]}{texts[m[1]]}{m[4]}", PAGE.read_text())
    )


if __name__ == "__main__":
    main()
