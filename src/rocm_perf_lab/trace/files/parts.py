"""Which parts of a recording to read; agents, kernels, queues and dispatches always are."""

from __future__ import annotations

import enum


class Parts(enum.Flag):
    """Parts that cost time on large recordings, so that a caller can leave them out."""

    DISPATCHES = 0
    LINKS = enum.auto()  # stack_id of dispatches: the API call that launched each
    COPIES = enum.auto()
    ALLOCATIONS = enum.auto()
    API_CALLS = enum.auto()
    MARKERS = enum.auto()
    COUNTERS = enum.auto()
    OPERATORS = enum.auto()  # of a framework on the host, and which of them launched what
    SAMPLES = enum.auto()  # of program counters
    EVERYTHING = LINKS | COPIES | ALLOCATIONS | API_CALLS | MARKERS | COUNTERS | OPERATORS | SAMPLES
