from __future__ import annotations

from collections.abc import Iterator

import pytest
from oracle_support import BUILD, Workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCM_PERF_NATIVE_BUILD", str(BUILD))
        yield Workshop(tmp_path_factory)
