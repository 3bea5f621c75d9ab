"""The compiler that makes IR: what it is asked for, and what is said when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import BuildFailed, ToolMissing
from rocm_perf_lab.prove.symbolic import device_ir


def fake(folder: Path, script: str) -> Prefix:
    tool = folder / "bin" / "hipcc"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return Prefix(path=folder, kind="rocm", found_by="test")


def test_a_source_that_does_not_compile(virtual_rocm: Path, tmp_path: Path) -> None:
    source = tmp_path / "bad.hip"
    source.write_text("__global__ void k( {\n")
    with pytest.raises(BuildFailed, match="does not compile") as found:
        device_ir(Prefix(virtual_rocm, "virtual", "test"), source, ["-O3"])
    assert "error" in found.value.stderr_tail


def test_a_compiler_without_the_optimiser(tmp_path: Path) -> None:
    script = 'case "$1" in -print*) echo opt;; *) for last; do :; done; echo > "$last";; esac'
    with pytest.raises(ToolMissing, match="no opt"):
        device_ir(fake(tmp_path, script), tmp_path / "k.hip", [])


def test_a_compiler_that_hangs(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed):
        device_ir(fake(tmp_path, "sleep 60"), tmp_path / "k.hip", [], timeout_s=0.3)


def test_the_flags_of_the_build_are_used(tmp_path: Path) -> None:
    """All but those that name other outputs."""
    prefix = fake(tmp_path, f'echo "$@" > {tmp_path}/words; exit 1')
    with pytest.raises(BuildFailed):
        device_ir(prefix, tmp_path / "k.hip", ["-O2", "-c", "-o", "k.o", "-DN=3", "-MF", "k.d"])
    words = (tmp_path / "words").read_text().split()
    assert {"-O2", "-DN=3", "--cuda-device-only"} <= set(words)
    assert not {"-c", "k.o", "-MF", "k.d"} & set(words)
