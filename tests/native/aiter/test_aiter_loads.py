"""Every code object for gfx942 loads, and HIP and HSA know the arguments of every kernel in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from aiter_support import FOLDER, needs_aiter, prefix, shared_folder

from rocm_perf_lab.codeobject import read_code_objects

pytestmark = needs_aiter

FAMILIES = sorted({p.parent for p in FOLDER.rglob("*.co")}) if FOLDER else []

LOAD = """
import ctypes, sys
from pathlib import Path
hip = ctypes.CDLL(sys.argv[1] + "/lib/libamdhip64.so")
for line in sys.stdin:
    path, kernel = line.rstrip("\\n").split("\\t")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    status = hip.hipModuleLoad(ctypes.byref(module), path.encode())
    if status == 0:
        status = hip.hipModuleGetFunction(ctypes.byref(function), module, kernel.encode())
        hip.hipModuleUnload(module)
    if status != 0:
        print(path, kernel, status)
"""


@pytest.mark.parametrize(
    "folder", FAMILIES, ids=[str(f.relative_to(FOLDER)) for f in FAMILIES if FOLDER]
)
def test_every_kernel_loads(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = [
        f"{path}\t{kernel.name}"
        for path in sorted(folder.glob("*.co"))
        for code in read_code_objects(path)
        for kernel in code.kernels
    ]
    assert lines
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(prefix(shared_folder(tmp_path_factory)))],
        input="\n".join(lines), capture_output=True, text=True, env={**os.environ},
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.parametrize(
    "folder", FAMILIES, ids=[str(f.relative_to(FOLDER)) for f in FAMILIES if FOLDER]
)
def test_every_argument_is_in_the_metadata(folder: Path) -> None:
    for path in sorted(folder.glob("*.co")):
        for code in read_code_objects(path):
            for kernel in code.kernels:
                assert kernel.kernarg_size > 0, path
                ends = [a.offset + a.size for a in kernel.arguments]
                assert ends == sorted(ends), path
                assert ends[-1] <= kernel.kernarg_size, path
