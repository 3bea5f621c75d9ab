"""Our HIP headers have the layout, the numbers and the functions of HIP 7.1.

hip7_abi.txt lists them, one fact per line:
  S type size alignment    F type.field offset size    T typedef size    E constant value
  P function
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from rocm_perf_lab.vrocm.sources import source_root

FACTS = Path(__file__).with_name("hip7_abi.txt").read_text().splitlines()
COMPILERS = {
    "c": ["gcc", "-x", "c", "-std=c11"],
    "c++": [
        "g++",
        "-x",
        "c++",
        "-std=c++17",
        "-D_Static_assert=static_assert",
        "-D_Alignof=alignof",
    ],
}


def assertion(fact: str) -> str:
    """One fact as one static assertion, with the fact as its message."""
    kind, rest = fact.split(" ", 1)
    if kind == "P":
        return f"static void* use_{rest}(void) {{ return (void*)&{rest}; }}"
    numbers = re.findall(r" (-?\d+)", rest)
    name = re.sub(r"( -?\d+)+$", "", rest)
    if kind == "S":
        claim = f"sizeof({name}) == {numbers[0]} && _Alignof({name}) == {numbers[1]}"
    elif kind == "F":
        owner, member = name.rsplit(".", 1)
        claim = f"offsetof({owner}, {member}) == {numbers[0]}"
    elif kind == "T":
        claim = f"sizeof({name}) == {numbers[0]}"
    else:
        claim = f"(long long){name} == {numbers[0]}ll"
    return f'_Static_assert({claim}, "{fact}");'


@pytest.mark.native
@pytest.mark.parametrize("language", sorted(COMPILERS))
def test_layout_numbers_and_functions(language: str, tmp_path: Path) -> None:
    lines = ["#include <hip/hip_runtime_api.h>", "#include <stddef.h>"]
    # In C++ some functions are overloaded and have no single address.
    facts = [fact for fact in FACTS if language == "c" or not fact.startswith("P ")]
    lines += [assertion(fact) for fact in facts]
    source = tmp_path / "abi.txt"
    source.write_text("\n".join(lines) + "\n")
    include = source_root() / "native" / "include"
    command = [*COMPILERS[language], "-fsyntax-only", "-Wno-unused-function"]
    command += ["-D__HIP_PLATFORM_AMD__=1", f"-I{include}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]


def test_the_fact_list_is_whole() -> None:
    assert sum(fact.startswith("P ") for fact in FACTS) == 495
    assert "S struct hipDeviceProp_tR0600 1472 8" in FACTS
