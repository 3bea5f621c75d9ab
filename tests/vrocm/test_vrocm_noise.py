"""A recording says when the times of the virtual device vary on request."""

from __future__ import annotations

import pytest

from rocm_perf_lab.vrocm.recording.noise import noise_of, with_noise

DEVICE = "AMD Instinct MI300X (virtual)"


@pytest.mark.parametrize(
    ("value", "noise"),
    [("7", "1"), ("7:1.5", "1.5"), ("7:typical", "typical"), ("8:quiet:/tmp/a:b", "quiet")],
)
def test_the_device_carries_the_noise_and_not_its_seed(value: str, noise: str) -> None:
    found = noise_of({"VROCM_NOISE": value})
    assert found == noise
    assert with_noise(DEVICE, found) == f"AMD Instinct MI300X (virtual, noise {noise})"


def test_a_device_of_another_size_keeps_what_its_name_says() -> None:
    device = "AMD Instinct MI300X (virtual, 10 CUs per XCD, 1.42 GHz)"
    noisy = "AMD Instinct MI300X (virtual, noise 1, 10 CUs per XCD, 1.42 GHz)"
    assert with_noise(device, "1") == noisy


def test_without_noise_the_name_stays() -> None:
    assert noise_of({}) is None
    assert noise_of({"VROCM_NOISE": ""}) is None
    assert with_noise(DEVICE, None) == DEVICE


def test_only_the_virtual_device_has_noise() -> None:
    assert with_noise("AMD EPYC 9654", "typical") == "AMD EPYC 9654"
    assert with_noise(None, "typical") is None
