"""Fixtures that every room uses."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # makes tests/fakes importable as "fakes"

from fakes.fake_rocm import FakeRocm, build_fake_rocm
from fakes.recordings import SOURCES, Known
from rocm_perf_lab.vrocm.prefix import existing_prefix

# A background job or nohup starts us with these ignored, and so would be every program under test.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def fake_rocm(tmp_path: Path) -> FakeRocm:
    """A working ROCm prefix with a fake rocprofv3, in a path with a space in it."""
    return build_fake_rocm(tmp_path / "fake rocm")


@pytest.fixture(scope="session")
def virtual_rocm() -> Path:
    """The prefix of the virtual ROCm; skips where it was not built."""
    prefix = existing_prefix()
    if prefix is None:
        pytest.skip("the virtual ROCm is not built for this interpreter: make native")
    return prefix


@pytest.fixture(scope="session", params=SOURCES)
def known(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Fixtures with the figures of recordings, then, where they are, the recordings themselves."""
    return Known(request.param, tmp_path_factory.mktemp("figures"))


@pytest.fixture(autouse=True)
def no_terminal_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are as wide as in a file, and without colours, wherever the tests run."""
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_roofs_of_this_machine(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ``rocm-perf roofs`` once kept here must not decide what a test sees."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data"))
