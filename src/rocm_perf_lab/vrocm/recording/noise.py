"""Noise that was asked of the virtual device, as the name of the device says it.

Recordings with and without it are of different devices, in every format that we write. The seed is
not part of the name: two processes of one series are of the same device.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

VARIABLE = "VROCM_NOISE"  # SEED, SEED:LEVEL or SEED:NAME[:FILE]; see native/vgpu/model/noise.h
_MARK = "(virtual"


def noise_of(environment: Mapping[str, str]) -> Optional[str]:
    """The level or the name; None without noise."""
    words = environment.get(VARIABLE, "").split(":")
    if not words[0]:
        return None
    return words[1] if len(words) > 1 else "1"


def with_noise(product: Optional[str], noise: Optional[str]) -> Optional[str]:
    """``AMD Instinct MI300X (virtual, noise typical)``; a host processor has no such mark."""
    if product is None or noise is None:
        return product
    return product.replace(_MARK, f"{_MARK}, noise {noise}")
