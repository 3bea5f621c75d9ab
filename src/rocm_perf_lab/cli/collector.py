"""What a short-lived command does not need: Python's search for circles among objects
is put off, what was freed is kept for the next column, and NumPy's linear algebra has one thread.

The search looks at everything that is alive again whenever a quarter more has been allocated. A
profile of 100,000 kernels has a million objects and no circles: the search took a third of the
whole command. A freed column goes back to the system, which clears every page that it hands out
again: a tenth of the critical path of a million dispatches. Threads of OpenBLAS spin when they have
begun, 0.1 s of each processor, and find no matrix to work on.
"""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# Options of mallopt in glibc's malloc.h.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_KEPT_BYTES = 1 << 30  # at the end of the heap before any is given back
_STEP_BYTES = 64 << 20  # by which the heap grows
_LARGEST_BYTES = 32 << 20  # that come from the heap: the most that glibc allows
_THREADS = "OPENBLAS_NUM_THREADS"


@contextmanager
def at_rest() -> Iterator[None]:
    """What nobody refers to is freed as ever; only circles stay until the end."""
    was_enabled = gc.isenabled()
    gc.disable()
    atexit.register(gc.freeze)  # Python searches all modules at its end: 40 ms, and finds nothing
    _keep_freed_memory()
    _load_numpy()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _keep_freed_memory() -> None:
    """For as long as the process lives. Another C library than glibc does as it likes."""
    import ctypes  # NumPy needs it anyway; --help does not

    with suppress(OSError, AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGEST_BYTES)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_TOP_PAD, _STEP_BYTES)


def _load_numpy() -> None:
    """OpenBLAS asks the environment once, when it is loaded; applications never see the answer."""
    is_ours = _THREADS not in os.environ
    if is_ours:
        os.environ[_THREADS] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        if is_ours:
            del os.environ[_THREADS]
