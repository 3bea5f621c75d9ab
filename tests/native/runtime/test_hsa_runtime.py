"""The HSA runtime of the virtual device, through programs compiled against our headers."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hsa_support import case_names, compile_kernels, needs_clang, needs_runtime, output_of, run_case

pytestmark = needs_runtime

FAULTS = (
    "faults_on_freed_memory",
    "faults_on_host_pool_without_access",
    "faults_on_plain_host_memory",
)
NEED_KERNELS = {
    "svm_attributes_open_host_memory",
    "barrier_bit_orders_virtual_time",
    "calendar_follows_submission_and_not_correlation",
    "calendar_gives_a_call_one_place",
    "calendar_waits_in_vain_only_once",
    "calendar_waits_for_no_parked_stream_and_for_no_stranger",
    "calendar_waits_for_what_was_submitted_before",
    "captured_among_several_packets",
    "captured_behind_its_own_barrier",
    "captured_beside_a_blocked_queue",
    "captured_code_from_a_file",
    "damaged_code_objects_are_refused",
    "executable_lists_kernels_and_variables",
    "kernel_computes",
    "kernel_reads_and_writes_mapped_virtual_memory",
    "kernel_reads_locked_host_memory",
    "loader_relocates_pointers",
    "loader_tells_where_code_is",
    "prints_virtual_times",
    "sink_hears_of_everything",
}


@pytest.fixture(scope="module")
def code_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_kernels(tmp_path_factory.mktemp("kernels"))


@pytest.mark.parametrize("name", [n for n in case_names() if n not in {*NEED_KERNELS, *FAULTS}])
def test_case(name: str) -> None:
    result = run_case(name)
    assert result.returncode == 0, result.stderr


@needs_clang
@pytest.mark.parametrize("name", sorted(NEED_KERNELS))
def test_case_with_kernels(name: str, code_object: Path) -> None:
    result = run_case(name, {"HSA_TEST_CODE": str(code_object)})
    assert result.returncode == 0, result.stderr


@needs_clang
@pytest.mark.parametrize("name", FAULTS)
def test_a_device_fault_ends_the_program_with_a_report(name: str, code_object: Path) -> None:
    result = run_case(name, {"HSA_TEST_CODE": str(code_object)})
    assert result.returncode == -signal.SIGABRT
    assert "scale" in result.stderr


@needs_clang
def test_virtual_times_are_the_same_in_every_run(code_object: Path) -> None:
    environment = {"HSA_TEST_CODE": str(code_object)}
    first = output_of("prints_virtual_times", environment)
    assert len(first.split()) == 6
    assert output_of("prints_virtual_times", environment) == first


def test_the_aperture_varies_between_processes() -> None:
    assert len({output_of("prints_an_allocation_address") for _ in range(4)}) > 1


@pytest.mark.parametrize(
    ("environment", "count"),
    [
        ({}, 1),
        ({"VROCM_DEVICES": "3"}, 3),
        ({"VROCM_DEVICES": "0"}, 0),
        ({"VROCM_DEVICES": "4", "ROCR_VISIBLE_DEVICES": "2,0"}, 2),
        ({"VROCM_DEVICES": "2", "ROCR_VISIBLE_DEVICES": "GPU-7667707500000001"}, 1),
        ({"ROCR_VISIBLE_DEVICES": ""}, 0),
    ],
)
def test_the_number_of_devices_follows_the_environment(
    environment: dict[str, str], count: int
) -> None:
    assert output_of("prints_how_many_gpus_there_are", environment) == f"{count}\n"


def test_a_wrong_number_of_devices_is_named() -> None:
    result = run_case("prints_how_many_gpus_there_are", {"VROCM_DEVICES": "many"})
    assert result.stdout == "1\n"
    assert "VROCM_DEVICES=many is not a number" in result.stderr


def test_a_stopped_queue_without_callback_is_reported() -> None:
    """Nobody would know why a program hangs otherwise."""
    report = output_of("failing_queue_without_callback")
    assert "stopped at packet 0: an unknown packet type" in report
