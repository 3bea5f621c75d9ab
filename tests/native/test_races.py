"""VROCM_CHECK=race: silent on correct kernels of all kinds, and each racing kernel is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hip_support import compiled, needs_hip, run, shared_folder

pytestmark = needs_hip

SOURCES = Path(__file__).parent / "races"
EVERY_CHECK = "memory,uninit,race,waitcnt"
ORDERS = ("0", "1", "6")  # of workgroups and waves


def kernel_names(program: str) -> list[str]:
    text = (SOURCES / f"{program}.hip").read_text()
    return re.findall(r"^(?:PROGRAM|RACING)\((\w+),", text, re.M)


def marked_lines() -> dict[str, set[int]]:
    """The racing lines of each kernel in racing.hip."""
    lines: dict[str, set[int]] = {}
    kernel = ""
    for number, line in enumerate((SOURCES / "racing.hip").read_text().splitlines(), 1):
        begins = re.match(r"__global__ (?:UNOPTIMISED )?void (\w+)\(", line)
        kernel = begins[1] if begins else kernel
        if line.endswith("// races"):
            lines.setdefault(kernel, set()).add(number)
    return lines


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


def checked(folder: Path, program: str, checks: str, order: str) -> tuple[str, str]:
    binary = compiled(folder, SOURCES / f"{program}.hip", "-gline-tables-only")
    done = run(
        binary, environment={"VROCM_CHECK": checks, "VROCM_ORDER": order, "VROCM_TIMING": "0"}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("program", ["correct_updates", "correct_order"])
def test_correct_kernels_are_not_accused(folder: Path, program: str) -> None:
    for order, checks in zip((*ORDERS, "0"), (*[EVERY_CHECK] * len(ORDERS), "race")):
        stdout, stderr = checked(folder, program, checks, order)
        assert stderr == "", f"VROCM_ORDER={order}"
        for kernel in kernel_names(program):
            assert f"{kernel} right\n" in stdout


@pytest.mark.parametrize("order", ORDERS)
def test_racing_kernels_are_found(folder: Path, order: str) -> None:
    _, stderr = checked(folder, "racing", "race", order)
    found: dict[str, int] = {}
    marked = marked_lines()
    for finding in stderr.split("VROCM_CHECK: ")[1:]:
        assert re.match(
            r"race: this wave (reads|writes) (global memory|LDS byte \d+) that "
            r"(wave|workgroup) \d+ (read|wrote)( atomically)?, with nothing in between",
            finding,
        )
        kernel = next(k for k in marked if re.search(rf"in kernel _Z\d+{k}P", finding))
        found[kernel] = found.get(kernel, 0) + 1
        instruction, before = finding.splitlines()[2:4]
        for text in (instruction, before):
            lines = {int(line) for line in re.findall(r"racing\.hip:(\d+)", text)}
            assert lines & marked[kernel], finding
    assert set(kernel_names("racing")) == set(found) == set(marked)


def test_the_corpus_is_large_enough() -> None:
    assert len(kernel_names("correct_updates") + kernel_names("correct_order")) >= 50
    assert len(kernel_names("racing")) >= 20
