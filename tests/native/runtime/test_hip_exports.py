"""The library exports what the headers declare, under the names that programs expect."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hip_support import LIBRARY, ROOT, needs_hip

pytestmark = needs_hip

HEADERS = ROOT / "native" / "include" / "hip"
DECLARATION = re.compile(r"^(?:HIP_PUBLIC_API )?[a-zA-Z_ ]+[ *]+(_*hip\w+)\(", re.M)
REGISTRATION = {
    "__hipRegisterFatBinary",
    "__hipUnregisterFatBinary",
    "__hipRegisterFunction",
    "__hipRegisterVar",
    "__hipRegisterManagedVar",
    "__hipRegisterTexture",
    "__hipRegisterSurface",
}
NOT_IMPLEMENTED_LIMIT = 120  # image, graphics and link-time calls; fewer is better


def declared() -> set[str]:
    headers = [*sorted((HEADERS / "amd_detail").glob("api_*.h")), HEADERS / "hip_ext.h"]
    names: set[str] = set()
    for header in headers:
        if header.name == "api_templates.h":  # inline functions on top of the others
            continue
        names.update(DECLARATION.findall(header.read_text()))
    return {name for name in names if not name.startswith(("hipExtLaunchKernelGGL",))}


def symbols() -> dict[str, str]:
    nm = shutil.which("nm") or shutil.which("llvm-nm-19")
    if nm is None:
        pytest.skip("nm is missing: install binutils")
    listed = subprocess.run(
        [nm, "-D", "--defined-only", str(LIBRARY)], check=True, capture_output=True, text=True
    )
    found: dict[str, str] = {}
    for line in listed.stdout.splitlines():
        _, kind, name = line.split()
        if kind == "A":  # the name of a version
            continue
        found[name.split("@")[0]] = kind
    return found


def test_every_declared_function_is_exported() -> None:
    names = declared()
    assert len(names) > 450
    assert sorted(names - set(symbols())) == []


def test_what_clang_calls_is_exported() -> None:
    assert sorted(REGISTRATION - set(symbols())) == []


def test_nothing_else_is_exported() -> None:
    others = [name for name in symbols() if not name.startswith(("hip", "__hip", "vrocm_hip_"))]
    assert others == []


def test_most_functions_are_implemented() -> None:
    weak = [name for name, kind in symbols().items() if kind == "W"]
    assert len(weak) < NOT_IMPLEMENTED_LIMIT
    for needed in ("hipMemcpy3D", "hipGraphLaunch", "hipMallocAsync", "hipMemMap"):
        assert needed not in weak


def test_the_name_that_programs_record() -> None:
    assert LIBRARY.resolve().name.startswith("libamdhip64.so.7.")
    for name in ("libroctx64.so.4", "librocprofiler-sdk-roctx.so.1"):
        assert (LIBRARY.parent / name).exists()
