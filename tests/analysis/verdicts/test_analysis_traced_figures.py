"""What a thread trace adds to the numbers that advice is chosen by."""

from __future__ import annotations

from typing import Optional

import pytest

from rocm_perf_lab.analysis.thread_traces.causes import GLOBAL, LDS
from rocm_perf_lab.analysis.thread_traces.signs import Signs
from rocm_perf_lab.analysis.verdicts.figures import _traced
from rocm_perf_lab.analysis.verdicts.measured import TracedWaits

_SIGNS = Signs(None, None, None, lds_queue=0.05, tail=None, memory_queue=0.02, sequences=0.1)


def _found(roles: dict[str, float], deciding: Optional[float] = None) -> dict[str, float]:
    waiting = {GLOBAL: 0.5, LDS: 0.25}
    return _traced(TracedWaits("", None, waiting, 0.4, _SIGNS, 0.1, roles, deciding))


def test_waiting_goes_with_narrow_loads_and_with_accesses_of_the_lds() -> None:
    """What they stand in line for is in their own time, and is not counted twice."""
    found = _found({"narrow_loads": 0.1, "lds": 0.15, "lds_addresses": 0.05, "rest": 0.7})
    assert found["narrow_time"] == pytest.approx(0.1 + 0.5 * 0.4)
    assert found["lds_time"] == pytest.approx(0.2 + 0.25 * 0.4)
    assert found["traced_vector"] == pytest.approx(0.2 + 0.02)
    assert found["traced_lds"] == pytest.approx(0.1 + 0.05)
    assert found["time_rest"] == pytest.approx(0.7)
    assert not {"narrow_time", "lds_time"} & set(_found({"rest": 1.0}))


def test_steps_of_polynomials_are_parts_of_functions() -> None:
    assert _found({"polynomials": 0.2, "rest": 0.5})["sequences"] == pytest.approx(0.1 + 0.2 / 0.5)
    assert _found({"rest": 0.5})["sequences"] == pytest.approx(0.1)


def test_loads_that_decide_are_known_or_not() -> None:
    assert _found({}, 0.5)["deciding_loads"] == pytest.approx(0.5)
    assert "deciding_loads" not in _found({})
