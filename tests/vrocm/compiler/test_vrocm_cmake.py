"""CMake projects find the virtual ROCm as they find ROCm 7, with CMake 3 and 4."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compile_support import KERNELS, run, written

pytestmark = pytest.mark.native

PROGRAM = KERNELS + "int main() { copy<<<1, 64>>>(nullptr, nullptr, 0); }\n"
HOST = """
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>
#include <hsa/hsa.h>
int main() { return hsa_shut_down() == 0 || !hiprtcGetErrorString(HIPRTC_SUCCESS); }
"""
# No architecture is given anywhere.
PROJECT = """
cmake_minimum_required(VERSION 3.21)
project(test LANGUAGES CXX HIP)
find_package(hip 7.0 REQUIRED)
find_package(hiprtc 7.0 REQUIRED)
find_package(hsa-runtime64 1.5 REQUIRED)
find_package(AMDDeviceLibs REQUIRED)
find_package(amd_comgr QUIET)
message(STATUS "architectures: ${CMAKE_HIP_ARCHITECTURES}, ${GPU_TARGETS}")
message(STATUS "comgr: ${amd_comgr_FOUND} ${amd_comgr_NOT_FOUND_MESSAGE}")
message(STATUS "libraries: ${AMD_DEVICE_LIBS_TARGETS}")
add_executable(by_language kernels.hip)
add_executable(by_target kernels.cpp)
target_link_libraries(by_target hip::device)
add_executable(host_only host.cpp)
target_link_libraries(host_only hip::host hiprtc::hiprtc hsa-runtime64::hsa-runtime64)
# As older projects do it.
add_custom_command(OUTPUT by_hipcc DEPENDS kernels.cpp COMMAND
  ${HIP_HIPCC_EXECUTABLE} -I${HIP_INCLUDE_DIRS} ${CMAKE_SOURCE_DIR}/kernels.cpp -o by_hipcc)
add_custom_target(old_way ALL DEPENDS by_hipcc)
"""
OLD_PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(old LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH $ENV{HIP_PATH}/cmake)
find_package(HIP 7.0 REQUIRED MODULE)
add_definitions(-DSEVEN=7)
include_directories(include)
set_source_files_properties(part.cpp PROPERTIES HIP_SOURCE_PROPERTY_FORMAT 1)
hip_add_library(part SHARED part.cpp)
hip_add_executable(app main.cu host.cpp HIPCC_OPTIONS -DGIVEN=2 DEBUG -DUNKNOWN)
target_link_libraries(app part)
"""


def a_cmake(major: int) -> str:
    """Whichever is there: of the system, of this environment, or named by ROCM_PERF_CMAKE."""
    own = Path(sys.executable).with_name("cmake")
    for program in (shutil.which("cmake"), str(own), os.environ.get("ROCM_PERF_CMAKE")):
        if program and os.access(program, os.X_OK):
            said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            if said.startswith(f"cmake version {major}."):
                return program
    pytest.skip(f"there is no CMake {major} here (pip install cmake, or ROCM_PERF_CMAKE)")


def built(cmake: str, project: Path, prefix: Path, *options: str, **variables: str) -> str:
    """What configuring said. Only the prefix's programs are on the PATH, as where nobody has
    evaluated all of `rocm-perf vrocm env`."""
    variables = {"PATH": f"{prefix}/bin:{os.environ['PATH']}", "ROCM_PATH": "", **variables}
    folder = project / "build"
    said = run(cmake, "-S", str(project), "-B", str(folder), *options, **variables).stdout
    run(cmake, "--build", str(folder), "-j2", **variables)
    return said


def targets_in(program: Path) -> set[bytes]:
    return set(re.findall(rb"amdgcn-amd-amdhsa--(gfx\w+)", program.read_bytes()))


@pytest.mark.parametrize("major", [3, 4])
def test_projects_find_hip_and_compile_for_the_device(
    prefix: Path, tmp_path: Path, major: int
) -> None:
    if not (prefix / "lib" / "libhsa-runtime64.so.1").exists():
        pytest.skip("the HSA runtime is not built (run `make native`)")
    cmake = a_cmake(major)
    for name, text in (
        ("CMakeLists.txt", PROJECT),
        ("kernels.hip", PROGRAM),
        ("kernels.cpp", PROGRAM),
        ("host.cpp", HOST),
    ):
        written(tmp_path, text, name)
    options = {
        "CMAKE_PREFIX_PATH": prefix,
        "CMAKE_CXX_COMPILER": "amdclang++",
        "CMAKE_EXE_LINKER_FLAGS": "-Wl,--unresolved-symbols=ignore-all",
    }
    said = built(cmake, tmp_path, prefix, *(f"-D{name}={value}" for name, value in options.items()))
    assert "architectures: gfx942, gfx942" in said
    assert "ocml" in said.partition("libraries: ")[2]
    assert "comgr: 1" in said or "apt-get install libamd-comgr-dev" in said
    for name in ("by_language", "by_target", "by_hipcc"):
        program = tmp_path / "build" / name
        assert targets_in(program) == {b"gfx942"}, name
        assert f"{prefix}/lib" in run("readelf", "-d", str(program)).stdout


@pytest.mark.parametrize("major", [3, pytest.param(4, marks=pytest.mark.weekly)])
def test_projects_of_the_old_module(prefix: Path, tmp_path: Path, major: int) -> None:
    cmake = a_cmake(major)
    (tmp_path / "include").mkdir()
    for name, text in (
        ("CMakeLists.txt", OLD_PROJECT),
        ("include/header.h", "#define FIVE 5\n"),
        ("main.cu", KERNELS + "static_assert(SEVEN == 7 && GIVEN == 2);\nint main() {}\n"),
        ("part.cpp", '#include "header.h"\n' + KERNELS + "static_assert(FIVE == 5);\n"),
        ("host.cpp", "static_assert(SEVEN == 7);\n#ifdef GIVEN\n#error not for the host\n#endif\n"),
    ):
        written(tmp_path, text, name)
    variables = {"HIP_PATH": str(prefix)}
    assert "Found HIP" in built(cmake, tmp_path, prefix, **variables)
    for name in ("app", "libpart.so"):
        assert targets_in(tmp_path / "build" / name) == {b"gfx942"}
    # A header that changes makes its objects anew.
    (tmp_path / "include" / "header.h").write_text("#define FIVE 6\n")
    words = (cmake, "--build", str(tmp_path / "build"))
    done = run(*words, ok=False, PATH=f"{prefix}/bin:{os.environ['PATH']}")
    assert done.returncode != 0
    assert "FIVE == 5" in done.stdout + done.stderr


def test_targets_that_cannot_be_compiled_are_left_out(prefix: Path, tmp_path: Path) -> None:
    text = "cmake_minimum_required(VERSION 3.20)\nproject(t NONE)\nfind_package(hip REQUIRED)\n"
    written(tmp_path, text, "CMakeLists.txt")
    words = (a_cmake(3), "-S", str(tmp_path), "-B", str(tmp_path / "build"), f"-Dhip_ROOT={prefix}")
    assert "left out gfx7777" in run(*words, "-DAMDGPU_TARGETS=gfx7777;gfx90a").stdout
    none = run(*words, "-DGPU_TARGETS=gfx7777", ok=False)
    assert none.returncode != 0
    assert "next: compile for the virtual device: -DGPU_TARGETS=gfx942" in none.stderr


def test_the_compiler_of_the_prefix_knows_the_prefix(prefix: Path, tmp_path: Path) -> None:
    """A build system calls it with the words that it has for ROCm's clang."""
    source = written(tmp_path, KERNELS)
    clang = str(prefix / "llvm" / "bin" / "clang++")
    for words in ((), ("--offload-arch=native",), ("--offload-arch=gfx942,gfx7777",)):
        # What would be run.
        said = run(clang, *words, "-###", "-c", str(source), ROCM_PATH="").stderr
        assert set(re.findall(r'"-target-cpu" "(gfx\w+)"', said)) == {"gfx942"}
        assert f"{prefix}/include" in said
        assert "oclc_abi_version_500.bc" in said
        assert ("left out gfx7777" in said) == ("gfx7777" in str(words))
    linked = run(clang, "-###", str(source), "-o", "app", ROCM_PATH="").stderr
    assert f'"-rpath" "{prefix}/lib"' in linked
    assert "-lamdhip64" in linked
    host = written(tmp_path, "int main() {}\n", "host.cpp")
    assert run(clang, "-Werror", str(host), "-o", str(tmp_path / "host")).stderr == ""
