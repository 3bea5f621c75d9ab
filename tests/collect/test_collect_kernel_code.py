"""Where the code of kernels is found, and why it is not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from llvm_support import LLVM, NEEDS_LLVM, llvm_prefix

from rocm_perf_lab.collect.kernel_code import (
    CodeObjects,
    KernelCode,
    disassemble_kernels,
    find_code_objects,
)
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import PerfLabError, ToolMissing

pytestmark = NEEDS_LLVM


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Prefix:
    return llvm_prefix(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("code")
    source, output = folder / "k.cl", folder / "k.co"
    source.write_text("kernel void k(global int* x) { *x = 1; }")
    target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-cl-std=CL2.0"]
    subprocess.run([str(LLVM / "bin" / "clang"), *target, str(source), "-o", output], check=True)
    return output


def copy_beside_a_trace(image: Path, folder: Path) -> Path:
    target = folder / "host" / "7_gfx942_code_object_id_2.out"
    target.parent.mkdir()
    shutil.copyfile(image, target)
    return target


def test_copies_of_a_thread_trace_come_first(image: Path, tmp_path: Path) -> None:
    copy = copy_beside_a_trace(image, tmp_path)
    found = find_code_objects([tmp_path], [image.as_uri()], image)
    sources = [f"{tmp_path.name}/host/{copy.name}", image.as_uri(), str(image)]
    assert [code.source for code in found.readable] == sources
    assert found.troubles == ()


def test_a_kernel_is_disassembled_wherever_it_is(prefix: Prefix, image: Path) -> None:
    code = find_code_objects(program=image)
    found = disassemble_kernels(prefix, code, {"k(int*)": "k.kd", "other": "other.kd"}, "gfx942")
    kernel = found["k(int*)"]
    assert isinstance(kernel, KernelCode)
    assert (kernel.source, kernel.kernel.name) == (str(image), "k")
    assert kernel.listing[-1].text == "s_endpgm"
    missing = found["other"]
    assert isinstance(missing, PerfLabError)
    assert missing.cause == "its code object was not found"
    assert "--deep-analysis" in (missing.next_step or "")


def cause(found: object) -> str:
    assert isinstance(found, PerfLabError)
    return found.cause


def test_code_for_another_target_is_not_taken(prefix: Prefix, image: Path) -> None:
    code = find_code_objects(program=image)
    found = disassemble_kernels(prefix, code, {"k": "k.kd"}, "gfx90a")
    assert cause(found["k"]) == "its code object was not found"


def test_a_file_that_is_gone_is_the_reason(prefix: Prefix, tmp_path: Path) -> None:
    code = find_code_objects(uris=[(tmp_path / "gone").as_uri()])
    assert "cannot read" in cause(disassemble_kernels(prefix, code, {"k": "k.kd"})["k"])


def test_a_script_that_starts_the_application_is_nothing_wrong(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("#!/bin/sh\n")
    assert find_code_objects(program=script) == CodeObjects(())


def test_no_symbol_and_no_prefix(image: Path) -> None:
    code = find_code_objects(program=image)
    error = ToolMissing("no ROCm installation", "rocm-perf doctor")
    found = disassemble_kernels(error, code, {"k": "k.kd", "gone": "gone.kd", "unnamed": None})
    assert found["k"] is error
    assert cause(found["gone"]) == "its code object was not found"
    assert cause(found["unnamed"]) == "the recording does not name its symbol"
