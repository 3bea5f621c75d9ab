"""The IR of all kernels of ``changed_kernels``, compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_kernels import source

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.prove.symbolic import device_ir


@pytest.fixture(scope="session")
def forms(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("forms")
    found = {}
    rocm = Prefix(path=virtual_rocm, kind="virtual", found_by="test")
    for which in ("body", "right", "wrong"):
        file = folder / f"{which}.hip"
        file.write_text(source(which))
        found[which] = device_ir(rocm, file, ["-O3"])
    return found
