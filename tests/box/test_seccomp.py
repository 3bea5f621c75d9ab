"""The filter's numbers of system calls, against the C library's headers of this machine."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

import pytest

from rocm_perf_lab.supervisor import seccomp


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.skipif(not seccomp.is_supported(), reason="no filter for this processor")
def test_numbers_are_those_of_this_machine() -> None:
    source = "#include <sys/syscall.h>\n"
    said = subprocess.run(
        ["cc", "-E", "-dM", "-"], input=source, capture_output=True, text=True, check=True
    ).stdout
    numbers = {name: int(value) for name, value in re.findall(r"__NR_(\w+) (\d+)$", said, re.M)}
    denied = seccomp.denied_calls(platform.machine())
    assert {name: numbers.get(name) for name in denied} == denied


def test_every_processor_denies_the_same_calls() -> None:
    assert list(seccomp.denied_calls("x86_64")) == list(seccomp.denied_calls("aarch64"))
