"""What a HIP program prints and how it ends."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, run, shared_folder

pytestmark = needs_hip


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(shared_folder(tmp_path_factory), PROGRAMS / "ending.hip")


def test_kernels_print_in_order(program: Path) -> None:
    done = run(program, "printf_text")
    assert done.stdout == "number 7, text,  2.50|\nnumber -8, text,  2.50|\nhost\n"


def test_a_long_run_says_what_runs_where_somebody_watches(program: Path) -> None:
    """Standard error is no terminal here."""
    assert run(program, "many_launches").stderr == ""
    watched = run(program, "many_launches", environment={"VROCM_PROGRESS": "0.02"})
    assert watched.stdout == ""
    said = watched.stderr.splitlines()
    assert len(said) >= 2
    assert said[0].endswith(" (VROCM_PROGRESS=0 for silence)")
    assert not said[1].endswith(")")
    line = (
        r"virtual MI300X: after \d+ s: launch (\d+), kernel stir\(unsigned int\*, int\): "
        r"(workgroup \d+ of 200 \(\d+ %\), about \d+ s left of it|"
        r"the last of its 200 workgroups run)"
    )
    found = [re.match(line, text) for text in said]
    assert all(found), said
    launches = [int(match.group(1)) for match in found if match]
    assert launches == sorted(launches)
    assert launches[0] < launches[-1] <= 12


def test_work_left_at_exit_is_finished(program: Path) -> None:
    done = run(program, "work_left_at_exit_is_finished")
    assert (done.returncode, done.stdout) == (0, "number 1, text,  2.50|\n")


def test_a_wait_that_never_ends_does_not_hold_the_exit(program: Path) -> None:
    assert run(program, "a_wait_that_never_ends_does_not_hold_the_exit").returncode == 0


def test_an_assertion_names_the_place_and_ends_the_process(program: Path) -> None:
    done = run(program, "assertion")
    assert done.returncode == -signal.SIGABRT
    assert "before" in done.stdout
    assert "values[threadIdx.x] < 3" in done.stderr
    assert "not reached" not in done.stdout


def test_a_program_that_handles_the_abort_of_an_assertion_can_exit(program: Path) -> None:
    done = run(program, "an_assertion_whose_abort_the_program_handles")
    assert (done.returncode, done.stdout) == (3, "before\n" * 4 + "handled\n")
    assert "values[threadIdx.x] < 3" in done.stderr


def test_a_memory_fault_names_kernel_and_address(program: Path) -> None:
    done = run(program, "memory_fault")
    assert done.returncode == -signal.SIGABRT
    assert "Memory access fault" in done.stderr
    assert "stray" in done.stderr


def test_a_kernel_past_its_buffer_faults_and_spares_the_runtime(program: Path) -> None:
    done = run(program, "clearing_past_the_end")
    assert done.returncode == -signal.SIGABRT
    assert "Memory access fault" in done.stderr
    assert "clear" in done.stderr


def test_malloc_on_the_device(program: Path) -> None:
    done = run(program, "malloc_on_the_device")
    assert done.returncode == 0, done.stderr


def test_a_forked_child_has_no_device(program: Path) -> None:
    done = run(program, "a_forked_child_has_no_device")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "number 1, text,  2.50|\nnumber 2, text,  2.50|\n"


def test_a_child_forked_before_the_first_call_has_its_own_device(program: Path) -> None:
    done = run(program, "a_child_forked_before_the_first_call_has_its_own_device")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["number 1, text,  2.50|", "number 2, text,  2.50|"]
