"""Binaries that were linked with ROCm ask for functions with their version."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from profiler_support import BUILD

from rocm_perf_lab.vrocm.sources import source_root

LIBRARY = BUILD / "lib" / "libamdhip64.so.7"
TABLE = source_root() / "native" / "vgpu" / "hip" / "symbol_versions.txt"
pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(not LIBRARY.exists(), reason="HIP is not built (run `make native`)"),
]
# A library as ROCm 6 would have made it, in the part that the program below needs.
OLD_VERSIONS = """
hip_4.2 { global: hipInit; hipGetDeviceCount; local: *; };
hip_6.0 { global: hipGetDevicePropertiesR0600; } hip_4.2;
"""
OLD_LIBRARY = """
int hipInit(unsigned flags) { return flags; }
int hipGetDeviceCount(int* count) { return count != 0; }
int hipGetDevicePropertiesR0600(void* to, int device) { return to == 0 || device; }
"""
PROGRAM = """
#include <stdio.h>
int hipInit(unsigned);
int hipGetDeviceCount(int*);
int hipGetDevicePropertiesR0600(void*, int);
static char properties[8192];
int main(void) {
  int count = 0;
  int failed = hipInit(0) || hipGetDeviceCount(&count);
  failed |= hipGetDevicePropertiesR0600(properties, 0);
  printf("%d %d %s\\n", failed, count, properties);
  return 0;
}
"""


def test_functions_have_the_versions_of_the_table() -> None:
    table = dict(
        reversed(line.split()) for line in TABLE.read_text().splitlines() if line[0] != "#"
    )
    said = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True)
    found = dict(re.findall(r" [TW] (\w+)@@hip_([\d.]+)", said.stdout))
    assert {name: found.get(name) for name in table} == table
    unversioned = re.findall(r" [TW] (\w+)$", said.stdout, re.M)
    assert unversioned == []


def test_a_program_linked_with_the_library_of_rocm_6_runs(tmp_path: Path) -> None:
    (tmp_path / "old.map").write_text(OLD_VERSIONS)
    (tmp_path / "old.c").write_text(OLD_LIBRARY)
    (tmp_path / "program.c").write_text(PROGRAM)
    old = tmp_path / "libamdhip64.so.6"
    script = f"-Wl,--version-script={tmp_path / 'old.map'},-soname,{old.name}"
    compile_words = ("gcc", "-fPIC", "-shared", script, str(tmp_path / "old.c"), "-o", str(old))
    subprocess.run(compile_words, check=True)
    app = tmp_path / "program"
    subprocess.run(["gcc", tmp_path / "program.c", old, "-o", app], check=True)
    old.unlink()
    old.symlink_to(LIBRARY)
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{tmp_path}:{BUILD / 'lib'}"}
    done = subprocess.run([app], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "0 1 AMD Instinct MI300X (virtual)\n"
    assert "version" not in done.stderr
