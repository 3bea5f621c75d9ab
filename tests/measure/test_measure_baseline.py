"""An application against itself, and the program that is used when none is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.collect.doctor.runtime_gpus import Gpu, RuntimeGpus
from rocm_perf_lab.errors import NothingRecorded, ToolMissing
from rocm_perf_lab.measure import baseline_blocks
from rocm_perf_lab.measure.baseline_blocks import longest_kernel, measure_baseline
from rocm_perf_lab.measure.blocks import ROLES, BlockTimes
from rocm_perf_lab.measure.process_times import MachineIdentity, ProcessTimes, Times

MACHINE = MachineIdentity(None, None, False)


def block(**kernels: Times) -> BlockTimes:
    return BlockTimes(1, ROLES, {"A": ProcessTimes(kernels, None, MACHINE)})


def test_the_longest_kernel_is_the_one_with_the_largest_sum() -> None:
    assert longest_kernel([block(often=(4, 4, 4), once=(10,)), block(other=(99,))]) == "often"


def test_no_kernel_is_an_error() -> None:
    with pytest.raises(NothingRecorded) as caught:
        longest_kernel([block()])
    assert caught.value.cause == "the application launched no kernel"
    assert caught.value.next_step == "rocm-perf doctor"


def test_all_three_processes_are_the_application(fake_rocm: FakeRocm) -> None:
    blocks = measure_baseline(["true", "words"], 2, rocm=fake_rocm.path, timeout_s=60)
    assert [found.number for found in blocks] == [1, 2]
    assert [call["argv"][-2:] for call in fake_rocm.calls()] == [["true", "words"]] * 6


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (RuntimeGpus(), "no GPU to measure: the runtime shows none"),
        (RuntimeGpus(problem="no driver"), "no GPU to measure: no driver"),
    ],
)
def test_without_a_gpu_there_is_nothing_to_measure(
    fake_rocm: FakeRocm, monkeypatch: pytest.MonkeyPatch, found: RuntimeGpus, why: str
) -> None:
    monkeypatch.setattr(baseline_blocks, "runtime_gpus", lambda prefix: found)
    with pytest.raises(ToolMissing) as caught:
        measure_baseline(None, 1, rocm=fake_rocm.path)
    assert (caught.value.cause, caught.value.next_step) == (why, "rocm-perf doctor")


def test_without_an_application_ours_is_compiled_for_the_first_gpu(
    fake_rocm: FakeRocm, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus = (Gpu("gfx942", None), Gpu("gfx90a", None))
    monkeypatch.setattr(baseline_blocks, "runtime_gpus", lambda prefix: RuntimeGpus(gpus))
    built = []

    def build(prefix, target, folder, *, source):  # type: ignore[no-untyped-def]
        built.append((prefix.path, target, source.name, folder.is_dir()))
        return Path("/usr/bin/true")

    monkeypatch.setattr(baseline_blocks, "build_benchmark", build)
    measure_baseline(None, 1, rocm=fake_rocm.path)
    assert built == [(fake_rocm.path, "gfx942", "self_test.hip", True)]
    assert [call["argv"][-1] for call in fake_rocm.calls()] == ["/usr/bin/true"] * 3
    assert baseline_blocks.BUILT_IN.is_file()
