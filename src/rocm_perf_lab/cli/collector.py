"""Python's search for circles among objects, put off.

It looks at everything that is alive again whenever a quarter more has been allocated. A profile of
100,000 kernels has a million objects and no circles: the search took a third of the whole command.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_rest() -> Iterator[None]:
    """What nobody refers to is freed as ever; only circles stay until the end."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
