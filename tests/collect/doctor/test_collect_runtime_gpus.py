"""The runtime of a prefix is asked for its GPUs, and may crash, hang or print while it answers."""

from __future__ import annotations

import pytest

from rocm_perf_lab.collect.doctor.runtime_gpus import Gpu, runtime_gpus
from rocm_perf_lab.collect.prefix import find_prefix


def ask(fake_rocm):
    return runtime_gpus(find_prefix(fake_rocm.path))


def test_gpus_are_listed_and_cpus_are_not(fake_rocm):
    fake_rocm.add_gpu()
    answer = ask(fake_rocm)
    assert answer.gpus == (Gpu("gfx942", "AMD Instinct MI300X"),)
    assert answer.problem is None
    assert answer.gpus[0].title == "gfx942 (AMD Instinct MI300X)"


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("FAKE_HSA_STATUS", "0x1008", "hsa_init returned status 0x1008"),
        ("FAKE_HSA_CRASH", "1", "signal 6 (SIGABRT)"),
    ],
)
def test_a_runtime_that_does_not_work(fake_rocm, monkeypatch, variable, value, problem):
    fake_rocm.add_gpu()
    monkeypatch.setenv(variable, value)
    answer = ask(fake_rocm)
    assert answer.gpus == ()
    assert problem in (answer.problem or "")


def test_a_file_that_is_no_library(fake_rocm):
    assert "file too short" in (ask(fake_rocm).problem or "")


def test_no_runtime_at_all(fake_rocm):
    (fake_rocm.path / "lib" / "libhsa-runtime64.so.1").unlink()
    assert "is missing" in (ask(fake_rocm).problem or "")
