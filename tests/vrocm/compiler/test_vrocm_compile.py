"""The headers, the device libraries and hipcc together: real programs compile and link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from compile_support import KERNELS, compiled, run, written

from rocm_perf_lab.vrocm.layout.headers import INNER_HEADERS
from rocm_perf_lab.vrocm.sources import source_root

pytestmark = pytest.mark.native

HEADERS = sorted(path.name for path in (source_root() / "native/include/hip").glob("*.h"))


def assembly(prefix: Path, source: Path, *options: str) -> str:
    return compiled(prefix, source, *options, "--cuda-device-only", "-S", "-o", "-").stdout


def test_all_headers_go_together_in_hip_without_a_warning(prefix: Path, tmp_path: Path) -> None:
    source = written(tmp_path, "".join(f"#include <hip/{name}>\n" for name in HEADERS))
    # The compiler takes the prefix for a system folder, where warnings are hidden.
    own = f"-I{source_root() / 'native' / 'include'}"
    compiled(prefix, source, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", own)


@pytest.mark.parametrize("name", HEADERS)
def test_every_header_stands_alone_in_host_code(tmp_path: Path, name: str) -> None:
    include = source_root() / "native" / "include"
    source = written(tmp_path, f"#include <hip/{name}>\n", "test.cpp")
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-D__HIP_PLATFORM_AMD__"]
    run("g++", *flags, f"-I{include}", str(source))


def test_a_program_becomes_an_executable_that_finds_its_library(
    prefix: Path, tmp_path: Path
) -> None:
    source = written(tmp_path, KERNELS + "int main() { copy<<<1, 64>>>(nullptr, nullptr, 0); }\n")
    compiled(prefix, source, "-o", str(tmp_path / "app"))
    assert f"{prefix}/lib" in run("readelf", "-d", str(tmp_path / "app")).stdout
    compiled(prefix, source, "-c", "-o", str(tmp_path / "app.o"))
    names = run("nm", "-u", str(tmp_path / "app.o")).stdout
    for name in ("__hipRegisterFatBinary", "__hipPushCallConfiguration", "hipLaunchKernel"):
        assert name in names


def test_two_files_compiled_apart_are_linked(prefix: Path, tmp_path: Path) -> None:
    one = written(tmp_path, KERNELS, "one.cu")
    two = written(
        tmp_path, '#include "hip/hip_runtime_api.h"\nint main(void) { return 0; }', "two.c"
    )
    for source in (one, two):
        compiled(prefix, source, "-c", "-o", f"{source}.o")
    run(str(prefix / "bin" / "hipcc"), f"{one}.o", f"{two}.o", "-o", str(tmp_path / "app"))


def test_genco_makes_a_bundle_for_every_target(prefix: Path, tmp_path: Path) -> None:
    source = written(tmp_path, KERNELS)
    out = tmp_path / "k.hsaco"
    compiled(prefix, source, "--genco", "--offload-arch=gfx90a,gfx942", "-o", str(out))
    data = out.read_bytes()
    assert data.startswith(b"__CLANG_OFFLOAD_BUNDLE__")
    assert b"gfx90a" in data
    assert b"gfx942" in data


@pytest.mark.parametrize(
    ("options", "buffer", "other"),
    [
        ((), "hidden_hostcall_buffer", "hidden_printf_buffer"),
        (("-mprintf-kind=buffered",), "hidden_printf_buffer", "hidden_hostcall_buffer"),
    ],
)
def test_printf_and_assert_call_the_host_or_leave_records(
    prefix: Path, tmp_path: Path, options: tuple[str, ...], buffer: str, other: str
) -> None:
    source = written(
        tmp_path,
        "#include <hip/hip_runtime.h>\n#include <cassert>\n"
        '__global__ void k(int* a) { assert(a[0] > 0); printf("%d\\n", a[1]); }\n',
    )
    text = assembly(prefix, source, *options)
    assert buffer in text
    assert other not in text
    assert "Device-side assertion" in text


def test_malloc_in_a_kernel_uses_the_heap_of_the_runtime(prefix: Path, tmp_path: Path) -> None:
    text = assembly(
        prefix,
        written(
            tmp_path,
            "#include <hip/hip_runtime.h>\n"
            "__global__ void k(int** a) { a[threadIdx.x] = (int*)malloc(64); free(a[99]); }\n",
        ),
    )
    assert "hidden_heap_v1" in text
    assert "hidden_hostcall_buffer" not in text


def test_a_kernel_that_prints_nothing_asks_for_no_buffer(prefix: Path, tmp_path: Path) -> None:
    text = assembly(prefix, written(tmp_path, KERNELS))
    assert "hidden_printf_buffer" not in text


def test_kernel_names_of_vector_types_are_those_of_rocm(prefix: Path, tmp_path: Path) -> None:
    source = "#include <hip/hip_runtime.h>\n__global__ void k(float4* a, int2 b) { a[0].x = b.y; }"
    assert "_Z1kP15HIP_vector_typeIfLj4EES_IiLj2EE" in assembly(prefix, written(tmp_path, source))


@pytest.mark.parametrize(
    ("expression", "instruction"),
    [
        ("atomicAdd(f, 1.0f)", "global_atomic_add_f32"),
        ("atomicMax(i, 3)", "global_atomic_smax"),
        ("atomicInc((unsigned*)i, 7u)", "global_atomic_inc"),
        ("i[0] = __popcll(__ballot(i[1]))", "s_bcnt1_i32_b64"),
        ("f[0] = __shfl_xor(f[1], 3)", "ds_bpermute_b32"),
        ("i[0] = __brev(i[1])", "v_bfrev_b32|s_brev_b32"),
        ("i[0] = __umulhi(i[1], i[2])", "mul_hi_u32"),
        ("f[0] = __expf(f[1])", "v_exp_f32"),
        ("i[0] = clock64()", "s_memtime"),
        ("i[0] = wall_clock64()", "s_memrealtime"),
        ("__syncthreads()", "s_barrier"),
    ],
)
def test_device_functions_become_the_instruction_they_are_for(
    prefix: Path, tmp_path: Path, expression: str, instruction: str
) -> None:
    source = written(
        tmp_path,
        f"#include <hip/hip_runtime.h>\n__global__ void k(int* i, float* f) {{ {expression}; }}\n",
    )
    text = assembly(prefix, source)
    assert any(name in text for name in instruction.split("|"))


def test_textures_are_refused_with_a_reason(prefix: Path, tmp_path: Path) -> None:
    source = written(
        tmp_path,
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(float* a, hipTextureObject_t t) { a[0] = tex2D<float>(t, 1, 2); }\n",
    )
    done = run(str(prefix / "bin" / "hipcc"), "-c", str(source), "-o", os.devnull, ok=False)
    assert done.returncode != 0
    assert "image/texture API not supported" in done.stderr


LIBRARY_HEADERS = """
#include <hip/amd_detail/host_defines.h>
// rocThrust's test for headers that bring no qualifiers.
#ifndef HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
#define __host__
#define __device__
#endif
__host__ __device__ inline int twice(int n) { return 2 * n; }
constexpr std::array<int, 2> pair{1, 2};
__global__ void kernel(int* out, float2 v) { *out = twice(int(v.x)) + int(pair.size()); }
"""


def test_inner_headers_have_the_names_of_rocm(prefix: Path, tmp_path: Path) -> None:
    """Libraries such as rocPRIM and rocThrust include them; each must do alone."""
    names = "".join(f"#include <hip/amd_detail/{name}>\n" for name in INNER_HEADERS)
    compiled(prefix, written(tmp_path, names + LIBRARY_HEADERS), "-fsyntax-only")
    for name in ("amd_hip_vector_types.h", "amd_warp_functions.h"):
        compiled(prefix, written(tmp_path, f"#include <hip/amd_detail/{name}>\n"), "-fsyntax-only")


def test_c_programs_get_bool(prefix: Path, tmp_path: Path) -> None:
    source = written(tmp_path, "#include <hip/hip_runtime_api.h>\nbool yes = true;\n", "test.c")
    clang = str(prefix / "llvm" / "bin" / "clang")
    options = ("-std=c11", "-D__HIP_PLATFORM_AMD__", f"-I{prefix / 'include'}", "-fsyntax-only")
    run(clang, *options, str(source))


def test_sources_get_the_headers_that_those_of_rocm_bring_along(
    prefix: Path, tmp_path: Path
) -> None:
    source = """
#include <hip/hip_runtime.h>
using clock_type = std::chrono::steady_clock;
const void* find(const char* text) { return std::memchr(text, 'x', std::strlen(text)); }
std::tuple<int, float> both(std::array<int, 2> a) { return {std::max(a[0], a[1]), 1.0f}; }
constexpr int most = std::numeric_limits<int>::max() + INT_MIN;
__global__ void kernel(uint32_t* out) { *out = warpSize; }
"""
    compiled(prefix, written(tmp_path, source), "-fsyntax-only")


def test_version_and_configuration(prefix: Path) -> None:
    version = run(str(prefix / "bin" / "hipcc"), "--version").stdout
    assert version.startswith("HIP version: 7.1.0-virtual\n")
    assert "clang version" in version
    assert run(str(prefix / "bin" / "hipconfig"), "--path").stdout == str(prefix)
    assert run(str(prefix / "bin" / "hipconfig"), "--wrong", ok=False).returncode == 1
