"""What waves wait for at vector loads: the way to the data and back, or the requests before theirs.

The way takes as long as a load does in an idle memory system, by who answers it; what a traced load
took beyond that, it stood in line. More waves and more loads in flight hide the way. Only fewer
requests and fewer bytes make the line shorter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.launch_floor import LoadLatencies

_COALESCED = 4.0  # pieces of 64 bytes for 64 lanes of 4
_REQUESTED = 2.0  # of them in one request to L2


def way_and_line(
    figures: Mapping[str, Union[float, str]], idle: Optional[LoadLatencies]
) -> dict[str, float]:
    """Shares of the time of the traced waves; nothing where a number is not known.

    ``traced_apart`` is the share that loads would save if their lanes were neighbours.
    """
    known = {name: value for name, value in figures.items() if isinstance(value, float)}
    took, lines = known.get("load_latency"), known.get("lines_per_access")
    if idle is None or not took or not lines or "traced_vector" not in known:
        return {}
    issue = known.get("memory_queue", 0.0)  # stall before a load is even taken
    waits = max(0.0, known["traced_vector"] - issue)
    scalar = max(0.0, known.get("traced_memory", 0.0) - waits)
    way = min(1.0, _cycles(known, idle, lines, known.get("requests_per_access", 0.0)) / took)
    near = _cycles(known, idle, _COALESCED, _COALESCED / _REQUESTED) / took
    return {
        "traced_way": waits * way + scalar,
        "traced_line": issue + waits * (1.0 - way),
        "traced_apart": issue * max(0.0, 1.0 - _COALESCED / lines) + waits * max(0.0, 1.0 - near),
    }


def _cycles(
    known: Mapping[str, float], idle: LoadLatencies, lines: float, requests: float
) -> float:
    """Of a load in an idle memory system. A wave goes on when the last of its lines is there: all
    have to be found in a cache for the cache to have answered."""
    near = math.pow(known.get("l1_hits", 0.0), max(1.0, lines / _REQUESTED))
    far = math.pow(known.get("l2_hits", 0.0), max(1.0, requests))
    return near * idle.l1 + (1.0 - near) * (far * idle.l2 + (1.0 - far) * idle.memory)
