"""The wheel installs into a clean environment and analyses recordings without any compiler."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def run(*argv: object, **options: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in argv],
        capture_output=True,
        text=True,
        env={"PATH": "/nonexistent", "HOME": "/nonexistent"} if options.get("bare") else None,
    )
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
    return done


def test_wheel_works_in_a_clean_environment(
    tmp_path: Path, fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    venv.create(tmp_path / "clean", with_pip=True)
    tools = tmp_path / "clean" / "bin"
    run(tools / "python", "-m", "pip", "install", "--quiet", wheel)

    versions = {
        run(tools / n, "--version", bare=True).stdout for n in ("rocm-perf", "rocm-perf-lab")
    }
    assert versions == {f"rocm-perf {wheel.name.split('-')[1]}\n"}

    kept = tmp_path / "kept"
    options = ["--rocm", str(fake_rocm.path), "--keep-trace", str(kept), "--quiet"]
    assert main(["profile", *options, "--", "true"]) == 0
    capsys.readouterr()
    # An empty PATH: no compiler, no profiler, nothing but the environment itself.
    out = run(tools / "rocm-perf", "profile", "--from", kept, bare=True).stdout
    assert "Result: " in out
