"""Puts this folder on the path, so that the folders below it share its support files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from compile_support import run
from profiler_support import BUILD

from rocm_perf_lab.vrocm.build import build_compiler
from rocm_perf_lab.vrocm.sources import source_root
from rocm_perf_lab.vrocm.toolchain import find_toolchain


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything but the runtime, in whose place stands a library that only links."""
    path = tmp_path_factory.mktemp("rocm")
    toolchain = find_toolchain()
    build_compiler(source_root(), toolchain, path)
    stub = path / "lib" / "libamdhip64.so"
    run(str(toolchain.tool("clang")), "-shared", "-x", "c", os.devnull, "-o", str(stub))
    for name in ("hsa-runtime64", "hiprtc"):
        for runtime in (BUILD / "lib").glob(f"lib{name}.so*"):
            (path / "lib" / runtime.name).symlink_to(runtime)
    return path
