"""Which buffer did a candidate damage? Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from rocm_perf_lab.prove.oracle.comparison import Before, Images
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer

_NOT_NEAR = 1 << 20


def place_of(address: int, buffers: Sequence[Buffer]) -> str:
    """An address outside of all buffers, by the nearest one."""
    near = []
    for buffer in buffers:
        behind, ahead = address - buffer.address - buffer.size, buffer.address - address
        if behind >= 0:
            near.append((behind, f"{behind} bytes behind the end of {buffer.name}"))
        else:
            near.append((ahead, f"{ahead} bytes before {buffer.name}"))
    distance, text = min(near, default=(_NOT_NEAR, ""))
    return text if distance < _NOT_NEAR else f"to 0x{address:x}, which belongs to no buffer"


def overwritten(
    read_only: Sequence[Buffer], before: Before, expected: Images, found: Images
) -> Optional[str]:
    """The first of the buffers that the captured code only reads and the candidate changes."""
    for buffer in read_only:
        image = found.get(buffer.region)
        if image is None:
            continue
        old = before(buffer.region)
        stray = (image != old) & (expected.get(buffer.region, old) == old)
        count = int(np.count_nonzero(stray[buffer.offset : buffer.offset + buffer.size]))
        if count:
            return f"{count} bytes of {buffer.name}, which is only read, are changed"
    return None
