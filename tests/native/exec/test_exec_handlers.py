"""No instruction of the target is left without a handler, and handlers stay apart per host CPU."""

from __future__ import annotations

import ctypes
import platform
import re
import shutil
import subprocess

import pytest
from exec_support import HARNESS, library, needs_harness

pytestmark = needs_harness

SCALAR_OR_MEMORY = re.compile(r"(s|ds|flat|global|scratch|buffer|tbuffer)_")


def test_every_scalar_and_memory_instruction_is_executed() -> None:
    library().exec_unhandled.restype = ctypes.c_char_p
    missing = library().exec_unhandled().decode().split()
    assert [name for name in missing if SCALAR_OR_MEMORY.match(name)] == []


@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils' nm is not installed")
def test_no_copy_for_one_cpu_can_serve_another() -> None:
    """Inline functions outside the per-CPU namespaces would be merged by the linker."""
    archive = HARNESS
    assert archive is not None
    rooms = archive.parent.parent
    objects = [path for room in ("exec", "model") for path in (rooms / room).rglob("*_avx*/**/*.o")]
    if not objects and platform.machine() != "x86_64":
        pytest.skip("only x86-64 has more than one instruction set to compile for")
    assert {path.relative_to(rooms).parts[0] for path in objects} == {"exec", "model"}
    listing = subprocess.run(
        ["nm", "-C", "--defined-only", *map(str, objects)], capture_output=True, text=True
    ).stdout
    weak = [line for line in listing.splitlines() if " W " in line]  # functions; data is the same
    assert [line for line in weak if "avx" not in line] == []
