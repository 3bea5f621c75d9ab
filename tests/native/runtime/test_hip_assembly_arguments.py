"""Arguments of hand-written kernels, whose descriptor says 0 bytes: the metadata count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from assembly_kernels import ADD_LANE, assembled, needs_assembler
from hip_support import compiled, needs_hip, shared_folder

pytestmark = [*needs_hip, needs_assembler]

PROGRAM = Path(__file__).parents[1] / "hip" / "assembly_arguments.hip"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


def _run(
    folder: Path, code: Path, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("VROCM_", "HIP_", "ROCR_"))}
    program = compiled(folder, PROGRAM, "-lhsa-runtime64")
    return subprocess.run(
        [str(program), str(code), *words],
        capture_output=True, text=True, timeout=120, env={**clean, **environment},
    )  # fmt: skip


@pytest.mark.parametrize("way", ["pointers", "buffer", "graph"])
def test_arguments_reach_a_kernel_whose_descriptor_says_none(
    folder: Path, tmp_path: Path, way: str
) -> None:
    done = _run(folder, assembled(tmp_path, "add_lane", ADD_LANE), way)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(1000 + lane) for lane in range(64)]


def test_hsa_answers_with_the_descriptor_as_rocm_does(folder: Path, tmp_path: Path) -> None:
    done = _run(folder, assembled(tmp_path, "add_lane", ADD_LANE), "hsa")
    assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr


def test_a_pointer_among_them_can_be_poisoned(folder: Path, tmp_path: Path) -> None:
    """VROCM_POISON refuses offsets outside of the arguments: it takes the same size."""
    code = assembled(tmp_path, "add_lane", ADD_LANE)
    done = _run(folder, code, "pointers", VROCM_POISON="add_lane:0+0-256")
    assert done.returncode == 0, done.stderr
    outside = _run(folder, code, "pointers", VROCM_POISON="add_lane:32+0-256")
    assert "has 32 bytes of arguments" in outside.stderr


def test_a_capture_holds_them(folder: Path, tmp_path: Path) -> None:
    code = assembled(tmp_path, "add_lane", ADD_LANE)
    command = [
        sys.executable, "-m", "rocm_perf_lab.cli.main", "isolate", "--rocm",
        str(folder / "prefix"), "--kernel", "add_lane", "--out", str(tmp_path / "capture"), "--",
        str(compiled(folder, PROGRAM, "-lhsa-runtime64")), str(code), "buffer",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    kernarg = (tmp_path / "capture" / "kernarg.bin").read_bytes()
    assert len(kernarg) == 32
    assert int.from_bytes(kernarg[16:20], "little") == 1000
    replay = [
        sys.executable, "-m", "rocm_perf_lab.cli.main", "replay", "run", "--rocm",
        str(folder / "prefix"), str(tmp_path / "capture"),
    ]  # fmt: skip
    done = subprocess.run(replay, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
