"""Every HIP function that can fail does: the table of hip/errors/ holds and is complete."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hip_support import LIBRARY, PROGRAMS, code_object, compiled, needs_hip, run, shared_folder

pytestmark = needs_hip

ROW = re.compile(r"\bFAILS\((\w+),")
TABLE = sorted((PROGRAMS / "errors").glob("errors_*.h"))

# Implemented functions without a row, and why they need none.
WITHOUT_FAILURE = {
    "hipApiName": "returns a text",
    "hipConfigureCall": "remembers what it is given",
    "hipCreateChannelDesc": "returns a structure",
    "hipDeviceGetStreamPriorityRange": "takes null pointers",
    "hipDeviceReset": "fails only without a device",
    "hipExtGetLastError": "returns the error of another call",
    "hipGetErrorName": "returns a text for every number",
    "hipGetErrorString": "returns a text for every number",
    "hipGetLastError": "returns the error of another call",
    "hipGetStreamDeviceId": "returns a number",
    "hipKernelNameRef": "returns a text",
    "hipKernelNameRefByPtr": "returns a text",
    "hipMemGetInfo": "takes null pointers",
    "hipPeekAtLastError": "returns the error of another call",
    "hipProfilerStart": "a mark in the recording",
    "hipProfilerStop": "a mark in the recording",
    "__hipGetPCH": "returns nothing",
    "__hipPopCallConfiguration": "called by the compiler's stubs after a push",
    "__hipPushCallConfiguration": "called by the compiler's stubs",
}
REGISTRATION = "__hipRegister", "__hipUnregister"  # before main; clang's own arguments
MARKERS = "vrocm_hip_"  # roctx calls these; they return nothing or a depth


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


def rows() -> list[str]:
    return [name for part in TABLE for name in ROW.findall(part.read_text())]


def implemented() -> set[str]:
    """What the library exports and does not answer with hipErrorNotSupported."""
    nm = shutil.which("nm") or shutil.which("llvm-nm-19")
    if nm is None:
        pytest.skip("nm is missing: install binutils")
    listed = subprocess.run(
        [nm, "-D", "--defined-only", str(LIBRARY)], check=True, capture_output=True, text=True
    )
    symbols = [line.split() for line in listed.stdout.splitlines()]
    # A: the names of the versions themselves.
    return {name.split("@")[0] for _, kind, name in symbols if kind not in "AW"}


def test_calls_fail_with_the_codes_of_rocm(folder: Path) -> None:
    module = code_object(folder)
    program = compiled(folder, PROGRAMS / "errors" / "errors.hip", "-O0")
    done = run(program, environment={"HIP_TEST_MODULE": str(module)})
    last_row = done.stderr.strip().splitlines()[-1:]
    assert done.returncode == 0, f"{done.stdout}\nlast row: {last_row}"
    assert done.stdout.strip() == f"{len(rows())} rows, 0 wrong"


def test_every_function_is_in_the_table() -> None:
    known = set(rows()) | set(WITHOUT_FAILURE)
    missing = {
        name for name in implemented() - known if not name.startswith((*REGISTRATION, MARKERS))
    }
    assert sorted(missing) == []


def test_the_table_names_what_exists() -> None:
    exported = implemented()
    assert sorted(set(rows()) - exported) == []
    assert sorted(set(WITHOUT_FAILURE) - exported) == []
    assert sorted(set(rows()) & set(WITHOUT_FAILURE)) == []
