"""AMD's own assembly kernels, from the package amd-aiter: where they are, how they are launched.

``AITER_HSA`` names the folder that holds ``gfx942``; without it the installed package is taken.
Drivers are ours: arguments lie at multiples of 16 bytes, and go to the kernel as one buffer.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Optional, Union

import numpy as np
import pytest
from hip_support import needs_hip, prefix, shared_folder

from rocm_perf_lab.codeobject import read_code_objects

__all__ = ["prefix", "shared_folder"]

TARGET = "gfx942"


def _find_folder() -> Optional[Path]:
    named = os.environ.get("AITER_HSA")
    if named:
        return Path(named) / TARGET
    spec = importlib.util.find_spec("aiter_meta")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / "hsa" / TARGET).is_dir():
            return Path(place) / "hsa" / TARGET
    return None


FOLDER = _find_folder()

needs_aiter = [
    *needs_hip,
    pytest.mark.weekly,
    pytest.mark.skipif(
        FOLDER is None or not FOLDER.is_dir(),
        reason="amd-aiter is not installed, and AITER_HSA names no folder that holds gfx942",
    ),
]


def code_object(name: str) -> Path:
    """A code object by its path in the package; the test is skipped where this version has none."""
    assert FOLDER is not None
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"this version of amd-aiter has no {name}")
    return path


def argument_names(code: Path) -> list[str]:
    """What the metadata call the arguments of the only kernel; other versions may have more."""
    (kernel,) = read_code_objects(code)[0].kernels
    return [a.name for a in kernel.arguments if a.name and not a.name.startswith("pad")]


def entry(name: str) -> str:
    """The symbol of a kernel in AMD's namespace."""
    return f"_ZN5aiter{len(name)}{name}E"


@dataclass(frozen=True)
class Pointer:
    """The address of an array of the job, ``offset`` bytes in; None: a null pointer."""

    array: Optional[str]
    offset: int = 0


Argument = Union[Pointer, int, float]


@dataclass(frozen=True)
class Launch:
    code: Path
    kernel: str
    grid: Sequence[int]  # in workgroups
    block: Sequence[int]
    arguments: Sequence[Argument]
    stride: int = 16  # bytes from argument to argument; 0: each at its own alignment

    def as_json(self) -> dict[str, object]:
        listed = [
            {
                "kind": type(a).__name__,
                **(asdict(a) if isinstance(a, Pointer) else {"value": a}),
            }
            for a in self.arguments
        ]
        grid, block = [*self.grid, 1, 1][:3], [*self.block, 1, 1][:3]
        return {
            "code": str(self.code), "kernel": self.kernel, "grid": grid, "block": block,
            "arguments": listed, "stride": self.stride,
        }  # fmt: skip


@dataclass
class Job:
    """Arrays on the device and kernels that run on them, in a process of their own."""

    rocm: Path
    folder: Path
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def run(
        self, launches: Sequence[Launch], environment: Optional[Mapping[str, str]] = None
    ) -> dict[str, np.ndarray]:
        """The arrays afterwards."""
        for launch in launches:
            if len(argument_names(launch.code)) > len(launch.arguments):
                pytest.skip(f"{launch.code.name} of this version takes more arguments")
        given, found = self.folder / "given.npz", self.folder / "found.npz"
        np.savez(given, **self.arrays)
        (self.folder / "job.json").write_text(json.dumps([one.as_json() for one in launches]))
        script = str(Path(__file__).with_name("aiter_runner.py"))
        words = [script, str(self.rocm), str(self.folder / "job.json"), str(given), str(found)]
        kept = {k: v for k, v in os.environ.items() if not k.startswith("VROCM_")}
        done = subprocess.run(
            [sys.executable, *words],
            env={**kept, "VROCM_TIMING": "0", **(environment or {})},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        self.said = done.stderr
        with np.load(found) as arrays:
            return {name: arrays[name] for name in arrays.files}


# --- Numbers -----------------------------------------------------------------------------------


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Bits, rounded to nearest even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _fp8_values() -> np.ndarray:
    """e4m3 without infinities and with a bias of 8, as gfx942 has it; 0x80 is no number."""
    codes = np.arange(256)
    exponent, mantissa = codes >> 3 & 15, codes & 7
    normal = (1 + mantissa / 8) * 2.0 ** (exponent - 8.0)
    size = np.where(exponent == 0, mantissa / 8 * 2.0**-7, normal)
    values = np.where(codes & 0x80, -size, size).astype(np.float32)
    values[0x80] = np.nan
    return values


FP8 = _fp8_values()


def random_fp8(rng: np.random.Generator, shape: Sequence[int], most: float = 2.0) -> np.ndarray:
    """Codes of finite numbers no larger than ``most``."""
    codes = np.flatnonzero(np.abs(np.nan_to_num(FP8, nan=np.inf)) <= most).astype(np.uint8)
    return rng.choice(codes, size=tuple(shape))


def shuffled(weights: np.ndarray, rows: int = 16, half: int = 16) -> np.ndarray:
    """Weights in tiles of ``rows`` times ``2 * half``, each of pieces of 16 bytes, rows fastest.

    The last two axes are rows and columns.
    """
    *outer, n, k = weights.shape
    piece = 16 // weights.itemsize
    parts = weights.reshape(-1, n // rows, rows, k // (2 * half), 2 * half // piece, piece)
    return np.ascontiguousarray(parts.transpose(0, 1, 3, 4, 2, 5)).reshape(*outer, n, k)


def close(
    found: np.ndarray, expected: np.ndarray, relative: float, absolute: Union[float, np.ndarray]
) -> None:
    """Every number is near the expected one."""
    error = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    allowed = absolute + relative * np.abs(expected.astype(np.float64))
    wrong = ~(error <= allowed)
    assert not wrong.any(), (
        f"{wrong.sum()} of {wrong.size} differ, first at {np.argwhere(wrong)[0].tolist()}: "
        f"{found[wrong][0]} instead of {expected[wrong][0]}"
    )
