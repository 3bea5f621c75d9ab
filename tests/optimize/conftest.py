"""What the tests of the source model and the guards share: one parsed program for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from source_support import MAIN, Project

from rocm_perf_lab.collect.prefix import Prefix, find_prefix


@pytest.fixture(scope="session")
def rocm(virtual_rocm: Path) -> Prefix:
    return find_prefix(virtual_rocm)


@pytest.fixture(scope="session")
def project(rocm: Prefix, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The files of ``source_support`` on disk, parsed once."""
    made = Project(rocm, tmp_path_factory.mktemp("project"), MAIN)
    yield made
    made.parser.close()
