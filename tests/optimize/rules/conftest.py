"""One parser for all tests of rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rule_support import Bench

from rocm_perf_lab.collect.prefix import Prefix


@pytest.fixture(scope="session")
def bench(rocm: Prefix, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(rocm, tmp_path_factory.mktemp("bench"))
    yield made
    made.parser.close()
