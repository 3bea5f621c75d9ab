"""``FILE.py:KERNEL``: which kernel is tuned, and what its program is started with."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.collect.prefix import LIBRARY_PATH, Prefix
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.triton.shim import sitecustomize as shim

PYTHON_PATH = "PYTHONPATH"
_FORM = "rocm-perf autotune --triton FILE.py:KERNEL -- python FILE.py"


@dataclass(frozen=True)
class TritonTarget:
    file: Path  # absolute
    kernel: str

    def environment(self, log: Path, prefix: Prefix) -> dict[str, str]:
        """With it, Python starts the shim, which writes ``log``."""
        paths = [str(Path(shim.__file__).parent), os.environ.get(PYTHON_PATH, "")]
        return {
            shim.KERNEL: f"{self.file}:{self.kernel}",
            shim.LOG: str(log),
            PYTHON_PATH: os.pathsep.join(filter(None, paths)),
            LIBRARY_PATH: prefix.library_path(os.environ),
        }

    @property
    def command(self) -> tuple[str, ...]:
        """What runs where no application is named: the file, by the Python of the user's shell."""
        return (shutil.which("python3") or sys.executable, str(self.file))


def chosen_by(names: Mapping[str, object]) -> dict[str, str]:
    """The environment's template that names one configuration."""
    return {shim.CONFIG: " ".join(f"{name}={{{name}}}" for name in sorted(names))}


def read_target(text: str) -> TritonTarget:
    """Raises where the file has no such function: nothing runs for a misspelled name."""
    path, colon, kernel = text.rpartition(":")
    if not colon or not path or not kernel.isidentifier():
        raise UsageError(f"--triton {text} is not FILE.py:KERNEL", _FORM)
    file = Path(os.path.abspath(path))
    try:
        tree = ast.parse(file.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", _FORM) from None
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not Python: {error}", f"python3 {path}") from None
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    if kernel not in (function.name for function in functions):
        tuned = sorted({one.name for one in functions if _is_autotuned(one)})
        named = f"autotuned are {', '.join(tuned)}" if tuned else "it has no @triton.autotune"
        raise UsageError(
            f"{path} has no function {kernel}; {named}",
            f"rocm-perf autotune --triton {path}:{tuned[0] if tuned else 'KERNEL'}",
        )
    return TritonTarget(file, kernel)


def _is_autotuned(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and (node.id if isinstance(node, ast.Name) else node.attr) == "autotune"
        for decorator in function.decorator_list
        for node in ast.walk(decorator)
    )
