"""The HIP runtime as programs see it: each case of tests/native/hip in its own process."""

from __future__ import annotations

from pathlib import Path

import pytest
from hip_support import PROGRAMS, case_names, code_object, compiled, needs_hip, run, shared_folder

pytestmark = needs_hip

CASES = [
    (program, case)
    for program in ("streams", "memory", "graphs", "device", "behaviour", "exactness")
    for case in case_names(program)
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


@pytest.mark.parametrize(("program", "case"), CASES, ids=[f"{p}-{c}" for p, c in CASES])
def test_hip_case(folder: Path, program: str, case: str) -> None:
    done = run(
        compiled(folder, PROGRAMS / f"{program}.hip"),
        case,
        environment={"HIP_TEST_MODULE": str(code_object(folder))},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("visible", "answer"),
    [("0", "1 hipSuccess"), ("5", "0 hipErrorNoDevice"), ("", "0 hipErrorNoDevice")],
)
def test_visible_devices(folder: Path, visible: str, answer: str) -> None:
    program = compiled(folder, PROGRAMS / "device.hip")
    done = run(program, "print_device_count", environment={"HIP_VISIBLE_DEVICES": visible})
    assert done.stdout.strip() == answer


def test_two_devices(folder: Path) -> None:
    program = compiled(folder, PROGRAMS / "device.hip")
    done = run(program, "every_device_works", environment={"VROCM_DEVICES": "2"})
    assert done.returncode == 0, done.stderr
    counted = run(
        program,
        "print_device_count",
        environment={"VROCM_DEVICES": "3", "HIP_VISIBLE_DEVICES": "2,0"},
    )
    assert counted.stdout.strip() == "2 hipSuccess"


def test_an_unsupported_call_is_named_once(folder: Path) -> None:
    done = run(compiled(folder, PROGRAMS / "device.hip"), "what_is_not_supported_says_so")
    assert done.stderr.count("hipImportExternalMemory is not supported") == 1
