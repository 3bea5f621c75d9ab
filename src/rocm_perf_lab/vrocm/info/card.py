"""What the runtime knows of each device, as the system management programs call it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.info.hsa import Hsa, open_runtime

VENDOR = "Advanced Micro Devices Inc. [AMD/ATI]"
VENDOR_ID = "0x1002"
# Where programs look for a reading of a sensor, of which a virtual device has none.
NO_READING = "N/A"

_U32 = ctypes.c_uint32
# Numbers of attributes in hsa.h and hsa_ext_amd.h.
_NAME, _PRODUCT, _CHIP, _UNITS, _NODE = 0, 0xA009, 0xA000, 0xA002, 0xA004
_BDF, _REVISION, _UUID, _POOL_BYTES = 0xA006, 0xA012, 0xA011, 2


@dataclass(frozen=True)
class Card:
    index: int
    target: str
    name: str
    chip: int
    revision: int
    node: int
    units: int
    location: int  # bus, device and function
    uuid: str
    memory_bytes: int

    @property
    def bdf(self) -> str:
        place = self.location
        return f"0000:{place >> 8:02x}:{place >> 3 & 31:02x}.{place & 7}"


def cards(root: Optional[Path], wanted: Optional[list[int]] = None) -> list[Card]:
    """All devices, or those with these numbers."""
    found = list(_read(open_runtime(root)))
    absent = [number for number in wanted or () if number >= len(found)]
    if absent:
        raise UsageError(
            f"there is no GPU {absent[0]}; there are {len(found)}", "leave the number out"
        )
    return [card for card in found if wanted is None or card.index in wanted]


def _read(hsa: Hsa) -> Iterator[Card]:
    agents = [agent for agent in hsa.agents() if hsa.is_gpu(agent)]
    for index, agent in enumerate(agents):
        pools = [hsa.pool(pool, _POOL_BYTES, ctypes.c_uint64) for pool in hsa.pools(agent)]
        yield Card(
            index=index,
            target=hsa.agent(agent, _NAME, bytes),
            name=hsa.agent(agent, _PRODUCT, bytes),
            chip=hsa.agent(agent, _CHIP, _U32),
            revision=hsa.agent(agent, _REVISION, _U32),
            node=hsa.agent(agent, _NODE, _U32),
            units=hsa.agent(agent, _UNITS, _U32),
            location=hsa.agent(agent, _BDF, _U32),
            uuid=hsa.agent(agent, _UUID, bytes),
            memory_bytes=max(pools, default=0),
        )
