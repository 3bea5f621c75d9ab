"""What scripts/system-packages.sh asks for: a browser for the tests only, and no unknown option."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "system-packages.sh"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A PATH of an ordinary user who has Python and nothing else."""
    (tmp_path / "python3").symlink_to(sys.executable)
    user = tmp_path / "id"
    user.write_text("#!/bin/sh\necho 1000\n")
    user.chmod(0o755)
    return tmp_path


def ask(bare: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = ["/bin/bash", str(SCRIPT), *options]
    return subprocess.run(
        command, env={"PATH": str(bare)}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("options", "browser"), [((), False), (("--tests",), True)])
def test_a_browser_is_for_tests_only(bare: Path, options: tuple[str, ...], browser: bool) -> None:
    done = ask(bare, *options)
    assert done.returncode == 3
    assert "sudo apt-get update && sudo apt-get install" in done.stderr
    words = done.stderr.split()
    assert {"cmake", "clang-19", "rocminfo"} <= set(words)
    assert ("chromium" in words) is browser
    assert ("chromium-driver" in words) is browser


def test_an_unknown_option_is_refused(bare: Path) -> None:
    done = ask(bare, "--test")
    assert (done.returncode, done.stderr) == (2, "usage: system-packages.sh [--tests]\n")
