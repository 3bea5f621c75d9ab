"""Fixtures that every room uses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # makes tests/fakes importable as "fakes"

from fakes.fake_rocm import FakeRocm, build_fake_rocm


@pytest.fixture
def fake_rocm(tmp_path: Path) -> FakeRocm:
    """A working ROCm prefix with a fake rocprofv3, in a path with a space in it."""
    return build_fake_rocm(tmp_path / "fake rocm")
