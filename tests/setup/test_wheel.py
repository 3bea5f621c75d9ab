"""Wheels install into a clean environment; the binary one brings the virtual ROCm with it."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path
from typing import Optional

import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.vrocm.libraries import LIBRARIES

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


def built_wheel(to: Path, build: Optional[Path] = None) -> Path:
    environment = dict(os.environ)
    environment.pop("ROCM_PERF_LAB_BUILT", None)
    if build is not None:
        environment["ROCM_PERF_LAB_BUILT"] = str(build)
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--wheel",
        "--outdir",
        str(to),
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = to.glob("*.whl")
    return wheel


def test_the_source_wheel_carries_what_the_prefix_is_built_from(tmp_path: Path) -> None:
    wheel = built_wheel(tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "rocm_perf_lab/_native/native/vgpu/CMakeLists.txt" in names
    assert "rocm_perf_lab/_examples/vector_add.hip" in names
    assert "rocm_perf_lab/selftest/data/bench.h" in names
    assert not [name for name in names if "/_built/" in name]


# No compiler: its places are absolute, so that an empty PATH does not hide it.
WITHOUT_COMPILER = """
from rocm_perf_lab.vrocm import toolchain
toolchain.LLVM_ROOTS = ()
from rocm_perf_lab.cli.main import main
raise SystemExit(main(["vrocm", "path", "--prefix", {place!r}]))
"""


@pytest.mark.native
def test_the_binary_wheel_works_in_a_clean_environment_without_a_compiler(
    tmp_path: Path, fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    if not (ROOT / "build" / "bin" / "rocm-perf-replayer").exists():
        pytest.skip("the native parts are not built: make native")
    wheel = built_wheel(tmp_path / "dist", ROOT / "build")
    carried = {name for name in zipfile.ZipFile(wheel).namelist() if "/_built/lib/" in name}
    assert all(any(f"lib{library}.so" in name for name in carried) for library in LIBRARIES)
    assert re.search(rf"-py3-none-manylinux_2_\d+_{platform.machine()}\.whl$", wheel.name)
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

    place = tmp_path / "prefix"
    began = time.monotonic()
    run(tools / "python", "-c", WITHOUT_COMPILER.format(place=str(place)), bare=True)
    assert time.monotonic() - began < 5.0
    assert "gfx942" in run(place / "bin" / "rocminfo").stdout
    refused = subprocess.run(
        [place / "bin" / "hipcc", "x.hip"], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "no compiler was installed" in refused.stderr
    assert "apt-get install" in refused.stderr

    run(tools / "rocm-perf", "examples", tmp_path / "examples", bare=True)
    assert (tmp_path / "examples" / "README.md").is_file()
