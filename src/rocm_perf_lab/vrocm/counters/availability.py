"""Which of the counters of its target the virtual device really counts."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from rocm_perf_lab.vrocm.counters.definitions import TARGET, Catalogue
from rocm_perf_lab.vrocm.counters.values import Device, Evaluator, NotDelivered

_DATA = Path(__file__).parent / "data"


@cache
def delivered_keys(target: str = TARGET) -> frozenset[str]:
    """The names under which the virtual runtime delivers values."""
    data = json.loads((_DATA / f"delivered-{target}.json").read_text(encoding="utf-8"))
    return frozenset(data["delivered"])


def available_names(catalogue: Catalogue, device: Device) -> list[str]:
    """The counters that have a value on this device, in the order of the catalogue."""
    evaluator = Evaluator(catalogue, device, dict.fromkeys(delivered_keys(catalogue.target), 1))
    return [name for name in catalogue.counters if _has_value(evaluator, name)]


def _has_value(evaluator: Evaluator, name: str) -> bool:
    try:
        evaluator.value(name)
    except NotDelivered:
        return False
    return True
