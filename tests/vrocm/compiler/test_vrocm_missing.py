"""Who misses one of ROCm's libraries is told where it comes from, after what the compiler said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from compile_support import run, written

from rocm_perf_lab.vrocm import missing

NOTE = "hipBLAS is not installed and no part of the virtual ROCm: apt-get install libhipblas-dev"


@pytest.mark.parametrize(
    ("message", "titles"),
    [
        ("a.hip:1:10: fatal error: 'hipblas/hipblas.h' file not found", ["hipBLAS"]),
        ("a.c:1:10: fatal error: rocsparse.h: No such file or directory", ["rocSPARSE"]),
        ("fatal error: 'thrust/device_vector.h' file not found", ["rocThrust"]),
        ("ld.lld: error: unable to find library -lrocm_smi64", ["ROCm SMI's library"]),
        ("ld: cannot find -lMIOpen: No such file\nld: cannot find -lrccl", ["MIOpen", "RCCL"]),
        ("ld: cannot find -lhipfft\nld: cannot find -lhipfft", ["hipFFT"]),
        ("error while loading shared libraries: librocblas.so.4: cannot open shared object file: "
         "No such file", ["rocBLAS"]),
        ("fatal error: 'own/hipblas.h' file not found", []),
        ("a.hip:3: error: use of undeclared identifier 'hipblasCreate'", []),
    ],
)  # fmt: skip
def test_what_is_said_of_a_missing_library(message: str, titles: list[str]) -> None:
    assert [library.title for library in missing.missing_in(message)] == titles


def test_what_debian_does_not_have_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    [note] = missing.notes("unable to find library -lhiptensor", "19")
    assert note.endswith("hipTensor is not installed and no part of the virtual ROCm: "
                         "Debian has no package of it")  # fmt: skip
    [note] = missing.notes("fatal error: 'omp.h' file not found", "19")
    assert "apt-get install libomp-19-dev (Debian 12 or newer)" in note


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", 128 + signal.SIGSEGV)]
)
def test_messages_and_ending_are_those_of_the_command(
    script: str, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    text = "cannot find -lhipblas"
    assert missing.main(["/bin/sh", "-c", f"echo out; echo '{text}' >&2; {script}"]) == code
    said = capfd.readouterr()
    assert said.out == "out\n"
    assert said.err.startswith(f"{text}\n")
    assert (NOTE in said.err) == (code != 0)


def test_who_stops_hipcc_stops_the_compiler(tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = f"trap 'touch {told}; exit 3' TERM; echo ready >&2; while :; do sleep 0.01; done"
    words = [sys.executable, "-IS", missing.__file__, "/bin/sh", "-c", script]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as runner:
        assert runner.stderr is not None
        assert runner.stderr.readline() == b"ready\n"
        runner.send_signal(signal.SIGTERM)
        assert runner.wait(timeout=20) == 3
    assert told.exists()


@pytest.mark.native
def test_the_compilers_of_the_prefix_name_the_package(prefix: Path, tmp_path: Path) -> None:
    if os.path.isdir("/usr/include/hipblas"):
        pytest.skip("hipBLAS is installed")
    source = written(tmp_path, "#include <hipblas/hipblas.h>\nint main() {}\n")
    for compiler in ("bin/hipcc", "llvm/bin/clang++"):
        done = run(str(prefix / compiler), "-c", str(source), ok=False)
        assert done.returncode == 1
        error, _, note = done.stderr.partition("hipcc: note: ")
        assert "'hipblas/hipblas.h' file not found" in error
        assert note == f"{NOTE} (Debian 13 or newer)\n"
    program = written(tmp_path, "int main() {}\n", "main.cpp")
    linked = run(str(prefix / "bin/hipcc"), str(program), "-lhipblas", ok=False)
    assert NOTE in linked.stderr


@pytest.mark.native
def test_cmake_names_the_package_and_looks_elsewhere_first(prefix: Path, tmp_path: Path) -> None:
    text = "cmake_minimum_required(VERSION 3.18)\nproject(t NONE)\nfind_package(hiptensor)\n"
    written(tmp_path, f"{text}find_package(rocwmma REQUIRED)\n", "CMakeLists.txt")
    other = tmp_path / "other" / "lib" / "cmake" / "hiptensor"
    other.mkdir(parents=True)
    (other / "hiptensor-config.cmake").write_text("message(STATUS theirs)\n")
    words = ("cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"))
    done = run(*words, f"-DCMAKE_PREFIX_PATH={prefix};{tmp_path}/other", ok=False)
    assert "theirs" in done.stdout
    said = " ".join(done.stderr.split())
    assert "version: none, no part of the virtual ROCm: Debian has no package of it" in said
