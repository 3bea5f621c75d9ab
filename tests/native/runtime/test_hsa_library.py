"""The library file: its name, versions and exports; and the real rocminfo on top of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerSymSection
from elftools.elf.sections import SymbolTableSection
from hsa_support import LIBRARY, ROOT, needs_runtime, preloaded

pytestmark = needs_runtime

HEADERS = ROOT / "native" / "include" / "hsa"

# ROCm's headers declare these, ROCm's library does not export them: tools use the tables.
ONLY_IN_TABLES = {
    "hsa_amd_queue_intercept_create",
    "hsa_amd_queue_intercept_register",
    "hsa_amd_runtime_queue_create_register",
}


def exports_by_version() -> dict[str, set[str]]:
    with LIBRARY.open("rb") as file:
        elf = ELFFile(file)
        symbols, versions = (
            elf.get_section_by_name(".dynsym"),
            elf.get_section_by_name(".gnu.version"),
        )
        definitions = elf.get_section_by_name(".gnu.version_d")
        assert isinstance(symbols, SymbolTableSection)
        assert isinstance(versions, GNUVerSymSection)
        assert isinstance(definitions, GNUVerDefSection)
        names = {
            definition["vd_ndx"]: next(iter(auxiliaries)).name
            for definition, auxiliaries in definitions.iter_versions()
        }
        exported: dict[str, set[str]] = {}
        for index, symbol in enumerate(symbols.iter_symbols()):
            version = versions.get_symbol(index)["ndx"]
            if symbol["st_shndx"] != "SHN_UNDEF" and isinstance(version, int):
                exported.setdefault(names[version & 0x7FFF], set()).add(symbol.name)
        return exported


def declared_functions() -> set[str]:
    """Every hsa_* function of our headers, by the preprocessor."""
    includes = "".join(f"#include <hsa/{h.name}>\n" for h in sorted(HEADERS.glob("hsa*.h")))
    text = subprocess.run(
        ["g++", "-x", "c++", "-E", "-P", "-I", str(HEADERS.parent), "-"],
        input=includes,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return set(
        re.findall(
            r"(?:hsa_status_t|hsa_signal_value_t|uint64_t|uint32_t|void)\s+(hsa_\w+)\(", text
        )
    ) - {"hsa_flag_set64"}


@pytest.mark.parametrize(
    ("compiler", "language", "is_c"),
    [
        ("gcc", "c", True),
        ("g++", "c++", False),
        ("clang-19", "c", True),
        ("clang-19", "c++", False),
    ],
)
def test_every_header_compiles_by_itself(compiler: str, language: str, is_c: bool) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is missing")
    for header in sorted(HEADERS.glob("*.h")):
        if is_c and header.name == "hsa_api_trace.h":
            continue  # the tables exist in C++ only
        if header.name == "hsa_memory_order.h":
            continue  # a part of hsa.h
        warnings = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
        compiled = subprocess.run(
            [compiler, "-x", language, *warnings, "-I", str(HEADERS.parent), "-"],
            input=f"#include <hsa/{header.name}>\n",
            capture_output=True,
            text=True,
        )
        assert compiled.returncode == 0, f"{header.name}: {compiled.stderr}"


def test_the_soname_is_the_one_that_programs_ask_for() -> None:
    with LIBRARY.open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        sonames = [tag.soname for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_SONAME"]
    assert sonames == ["libhsa-runtime64.so.1"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is missing")
def test_every_declared_function_is_exported_in_version_rocr_1() -> None:
    declared = declared_functions()
    assert len(declared) > 250
    assert declared - exports_by_version()["ROCR_1"] == set()


def test_nothing_else_is_exported() -> None:
    exported = exports_by_version()
    assert all(name.startswith("hsa_") for name in exported["ROCR_1"] - {"ROCR_1"})
    own = exported["VROCM_1"] - {"VROCM_1"}
    assert all(name.startswith(("vrocm_", "rocprofiler_")) for name in own)
    assert set(exported) <= {"ROCR_1", "VROCM_1", LIBRARY.name}


REDIRECT_KFD = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
typedef int (*open_type)(const char *, int, int);
static int redirect(const char *symbol, const char *path, int flags, int mode) {
  const char *real = strcmp(path, "/dev/kfd") == 0 ? "/dev/null" : path;
  return ((open_type)dlsym(RTLD_NEXT, symbol))(real, flags, mode);
}
int open(const char *path, int flags, int mode) { return redirect("open", path, flags, mode); }
int open64(const char *path, int flags, int mode) { return redirect("open64", path, flags, mode); }
"""


@pytest.mark.skipif(
    shutil.which("rocminfo") is None or shutil.which("gcc") is None,
    reason="rocminfo or gcc is missing",
)
def test_the_real_rocminfo_shows_the_virtual_device(tmp_path: Path) -> None:
    """rocminfo looks for the kernel driver first: lsmod and /dev/kfd stand in for it."""
    lsmod = tmp_path / "lsmod"
    lsmod.write_text("#!/bin/sh\necho amdgpu 1 0\n")
    lsmod.chmod(0o755)
    source, preload = tmp_path / "kfd.c", tmp_path / "kfd.so"
    source.write_text(REDIRECT_KFD)
    subprocess.run(["gcc", "-shared", "-fPIC", str(source), "-o", str(preload)], check=True)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        **preloaded(preload),
        "LD_LIBRARY_PATH": str(LIBRARY.parent),
    }
    shown = subprocess.run(
        ["rocminfo"], env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert "AMD Instinct MI300X (virtual)" in shown
    assert re.search(r"Compute Unit: +304\b", shown)
    assert "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-" in shown
    assert shown.rstrip().endswith("*** Done ***")
