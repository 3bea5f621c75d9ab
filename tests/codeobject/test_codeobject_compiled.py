"""Code objects made by clang, compared with what LLVM's own tools say about them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rocm_perf_lab.arch import load_target
from rocm_perf_lab.codeobject import CodeObjectFile, KernelInfo, compression, read_code_objects
from rocm_perf_lab.codeobject.elf import ElfFile
from rocm_perf_lab.codeobject.target_id import MACHINES, target_from_flags

TOOLS = ("clang-19", "llvm-readelf-19", "clang-offload-bundler-19", "llc-19", "ld.lld-19")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]

SOURCE = """
__attribute__((amdgpu_flat_work_group_size(1, 256)))
kernel void axpy(global float* restrict x, global const float* y, float a) {
  __asm__ volatile("" ::: "v40", "s50");
  x[__builtin_amdgcn_workitem_id_x()] += a * y[0];
}
kernel __attribute__((reqd_work_group_size(64, 2, 1)))
void staged(global int* out, local int* dynamic, int n) {
  local int tile[1000];
  int kept[64];
  for (int i = 0; i < n; i++) kept[i] = dynamic[i];
  tile[n] = kept[n - 1];
  out[n] = tile[n >> 1];
}
kernel void placed(global uint* x) {
  x[__builtin_amdgcn_workgroup_id_y()] = __builtin_amdgcn_workitem_id_z();
}
#ifdef __gfx942__
kernel void accumulate(global float* x) { __asm__ volatile("" ::: "v96", "a30"); x[0] = 1.f; }
#endif
"""
COMPILED = [
    ("gfx90a", ()),
    ("gfx942", ()),
    ("gfx942:sramecc+:xnack-", ()),
    ("gfx1030", ()),
    ("gfx1100", ()),
    ("gfx1100", ("-mwavefrontsize64", "-mcumode")),
    ("gfx1201", ()),
]
READELF_NAMES = {
    ".sgpr_count": "sgpr",
    ".vgpr_count": "total_vgpr",
    ".group_segment_fixed_size": "lds_bytes",
    ".private_segment_fixed_size": "scratch_bytes",
    ".kernarg_segment_size": "kernarg_size",
    ".kernarg_segment_align": "kernarg_align",
    ".max_flat_workgroup_size": "max_workgroup_size",
    ".wavefront_size": "wave_size",
    ".sgpr_spill_count": "sgpr_spills",
    ".vgpr_spill_count": "vgpr_spills",
    ".symbol": "symbol",
    ".name": "name",
    ".language": "language",
}


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def compile_kernels(directory: Path, target: str, options: tuple[str, ...] = ()) -> Path:
    source, output = directory / "kernels.cl", directory / f"{target.replace(':', '_')}.co"
    source.write_text(SOURCE)
    run(
        "clang-19", "-x", "cl", "-O2", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}",
        "-nogpulib", *options, str(source), "-o", str(output),
    )  # fmt: skip
    return output


def readelf_kernels(path: Path) -> list[dict[str, str]]:
    """The scalar entries of each kernel in readelf's YAML, and the number of its arguments."""
    kernels: list[dict[str, str]] = []
    listing = run("llvm-readelf-19", "--notes", str(path)).partition("\namdhsa.target:")[0]
    for line in listing.splitlines():
        if line.startswith("  - "):
            kernels.append({"arguments": "0"})
        if line.startswith("      - ."):
            kernels[-1]["arguments"] = str(int(kernels[-1]["arguments"]) + 1)
        entry = re.match(r"(?:  - |    )(\.\w+):\s+(\S.*)$", line)
        if entry:
            kernels[-1][entry.group(1)] = entry.group(2)
    return kernels


@pytest.fixture(params=COMPILED, ids=lambda param: " ".join([param[0], *param[1]]))
def compiled(request: Any, tmp_path: Path) -> tuple[Path, str, CodeObjectFile]:
    target, options = request.param
    path = compile_kernels(tmp_path, target, options)
    (read,) = read_code_objects(path)
    return path, target, read


def test_metadata_agrees_with_readelf(compiled: tuple[Path, str, CodeObjectFile]) -> None:
    path, _, read = compiled
    expected = readelf_kernels(path)
    assert len(read.kernels) == len(expected) >= 2
    for kernel, theirs in zip(read.kernels, expected):
        assert len(kernel.arguments) == int(theirs["arguments"])
        for key, attribute in READELF_NAMES.items():
            assert str(getattr(kernel, attribute)) == theirs[key], key
        assert kernel.accum_vgpr == int(theirs.get(".agpr_count", "0"))


def test_ids_that_a_kernel_asks_for(compiled: tuple[Path, str, CodeObjectFile]) -> None:
    _, _, read = compiled
    asked = {one.name: one.descriptor for one in read.kernels if one.descriptor is not None}
    assert asked["placed"].workgroup_id_axes[1:] == (True, False)
    assert asked["axpy"].workgroup_id_axes[1:] == (False, False)
    assert asked["placed"].workitem_id_dimensions == 3
    assert asked["axpy"].workitem_id_dimensions == 1


def test_descriptors_agree_with_metadata(compiled: tuple[Path, str, CodeObjectFile]) -> None:
    _, target, read = compiled
    facts = load_target(target)
    for kernel in read.kernels:
        found = kernel.descriptor
        assert found is not None
        granule = facts.vgpr_file(kernel.wave_size).encoding_granule
        assert found.wave_size == kernel.wave_size
        assert found.total_vgprs(facts) == -(-kernel.total_vgpr // granule) * granule
        if facts.optional_count("sgpr.total"):
            assert found.sgprs(facts) == -(-kernel.sgpr // 16) * 16
        else:
            assert found.wgp_mode == kernel.wgp_mode
        assert found.group_segment_size == kernel.lds_bytes
        assert found.private_segment_size == kernel.scratch_bytes
        assert found.kernarg_size == kernel.kernarg_size
        assert found.uses_scratch == (kernel.scratch_bytes > 0)


def test_flags_agree_with_the_note(compiled: tuple[Path, str, CodeObjectFile]) -> None:
    path, target, read = compiled
    assert read.target == target
    assert target_from_flags(ElfFile(path.read_bytes())) == target


def test_code_is_where_the_entry_says(compiled: tuple[Path, str, CodeObjectFile]) -> None:
    """s_endpgm is 0xbf81.... before gfx11 and 0xbfb0.... since, behind the last instruction."""
    _, _, read = compiled
    for kernel in read.kernels:
        assert kernel.code_offset is not None
        assert kernel.code_size is not None
        code = read.data[kernel.code_offset : kernel.code_offset + kernel.code_size]
        assert code[-2:] in (b"\x81\xbf", b"\xb0\xbf")


def test_what_the_source_says(tmp_path: Path) -> None:
    (read,) = read_code_objects(compile_kernels(tmp_path, "gfx942"))
    axpy, staged, accumulate = (kernel_of(read, n) for n in ("axpy", "staged", "accumulate"))
    assert (axpy.arch_vgpr, axpy.accum_vgpr, axpy.max_workgroup_size) == (41, 0, 256)
    assert [a.is_restrict for a in axpy.visible_arguments] == [True, False, False]
    assert [a.is_const for a in axpy.visible_arguments] == [False, True, False]
    assert (staged.lds_bytes, staged.required_workgroup_size) == (4000, (64, 2, 1))
    assert staged.uses_dynamic_lds
    assert staged.scratch_bytes >= 256
    assert (accumulate.arch_vgpr, accumulate.accum_vgpr, accumulate.total_vgpr) == (100, 31, 131)


def kernel_of(read: CodeObjectFile, name: str) -> KernelInfo:
    kernel = read.kernel(name)
    assert kernel is not None
    return kernel


@pytest.mark.parametrize("options", [(), ("-compress",)], ids=["plain", "compressed"])
def test_bundles_of_clang_in_a_host_program(options: tuple[str, ...], tmp_path: Path) -> None:
    if options and compression._zstd_library() is None:
        pytest.skip("libzstd is not installed")
    targets = ("gfx942", "gfx1100")
    objects = [compile_kernels(tmp_path, target) for target in targets]
    (tmp_path / "empty").write_bytes(b"")
    fat_binary = tmp_path / "kernels.hipfb"
    run(
        "clang-offload-bundler-19", "-type=o", "-bundle-align=4096", *options,
        "-targets=host-x86_64-unknown-linux,"
        + ",".join(f"hipv4-amdgcn-amd-amdhsa--{target}" for target in targets),
        f"-input={tmp_path / 'empty'}", *(f"-input={path}" for path in objects),
        f"-output={fat_binary}",
    )  # fmt: skip
    assembly = tmp_path / "host.s"
    include = f'.p2align 12\n.incbin "{fat_binary}"\n'
    assembly.write_text(
        '.section .hip_fatbin,"a",@progbits\n' + include * 2 + ".text\n.globl _start\n_start: ret\n"
    )
    run("clang-19", "--target=x86_64-linux-gnu", "-c", str(assembly), "-o", f"{tmp_path}/host.o")
    run("ld.lld-19", f"{tmp_path}/host.o", "-o", f"{tmp_path}/host")
    read = read_code_objects(tmp_path / "host")
    assert [found.target for found in read] == [*targets, *targets]
    assert [found.data for found in read[:2]] == [path.read_bytes() for path in objects]


def test_machine_numbers_are_those_of_llvm(tmp_path: Path) -> None:
    source = tmp_path / "empty.ll"
    source.write_text("define amdgpu_kernel void @k() { ret void }\n")
    known = set(re.findall(r"^  (gfx\S+)", _processors(), re.MULTILINE))
    checked = 0
    for name in sorted(known & set(MACHINES.values())):
        output = tmp_path / f"{name}.o"
        version = ("--amdhsa-code-object-version=6",) if "generic" in name else ()
        run(
            "llc-19", "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={name}", *version, "-filetype=obj",
            str(source), "-o", str(output),
        )  # fmt: skip
        assert target_from_flags(ElfFile(output.read_bytes())).partition(":")[0] == name
        checked += 1
    assert checked > 40


def _processors() -> str:
    listed = subprocess.run(
        ["llc-19", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=help"],
        capture_output=True,
        text=True,
        input="",
        timeout=60,
    )
    return listed.stdout + listed.stderr
