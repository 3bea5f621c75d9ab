"""Every example compiles without a warning, runs on the virtual device and passes its own check."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from rocm_perf_lab.vrocm.prefix import ensure_prefix
from rocm_perf_lab.vrocm.sources import source_root

EXAMPLES = source_root() / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.hip"))
TO_OPTIMIZE = sorted(f"{path.parent.name}/{path.stem}" for path in EXAMPLES.glob("*tuned/*.hip"))


@pytest.fixture(scope="module")
def hipcc() -> Path:
    return ensure_prefix(lambda step: None) / "bin" / "hipcc"


def build(hipcc: Path, name: str, folder: Path) -> Path:
    program = folder / Path(name).name
    command = [str(hipcc), "-Wall", "-Wextra", "-Werror", f"{EXAMPLES / name}.hip"]
    done = subprocess.run(
        [*command, "-o", str(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return program


@pytest.mark.native
@pytest.mark.timeout(1200)  # the first one builds the virtual ROCm
@pytest.mark.parametrize("name", NAMES)
def test_it_passes_its_own_check(hipcc: Path, tmp_path: Path, name: str) -> None:
    program = build(hipcc, name, tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1].startswith(f"PASS {name}: ")


@pytest.mark.native
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", TO_OPTIMIZE)
def test_programs_to_optimize_pass_for_other_sizes(hipcc: Path, tmp_path: Path, name: str) -> None:
    program = build(hipcc, name, tmp_path)
    done = subprocess.run(
        [program, "256", "32"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.startswith(f"PASS {program.name}: ")


@pytest.mark.native
@pytest.mark.timeout(1200)
def test_a_failing_assertion_is_told_on_stderr(hipcc: Path, tmp_path: Path) -> None:
    program = build(hipcc, "device_printf", tmp_path)
    done = subprocess.run(
        [program, "64", "fail"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode != 0
    assert "Device-side assertion `!fail || i < threads / 2' failed." in done.stderr


@pytest.mark.parametrize("name", [*NAMES, *TO_OPTIMIZE])
def test_it_states_its_usage_and_lesson(name: str) -> None:
    text = (EXAMPLES / f"{name}.hip").read_text()
    assert re.match(rf"// {Path(name).name} \[.*\]: .+\n// Lesson: ", text)


def test_the_table_lists_every_example() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == NAMES
    assert len(NAMES) >= 15


def test_the_table_lists_every_program_to_optimize() -> None:
    text = (EXAMPLES / "README.md").read_text()
    listed = re.findall(r"^\| `((?:un)?tuned/\w+)` \|", text, re.MULTILINE)
    assert sorted(listed) == TO_OPTIMIZE
    assert len(listed) >= 14
