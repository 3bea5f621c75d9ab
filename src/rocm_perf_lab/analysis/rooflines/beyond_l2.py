"""What bytes beyond L2 take at least: counters do not tell Infinity Cache from HBM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class BeyondL2:
    hbm: float  # bytes per second
    cache_bytes: int = 0  # of Infinity Cache
    cache: Optional[float] = None  # bytes per second; None where nobody published them

    def least_seconds(self, moved: float) -> float:
        """As much as fits may lie in Infinity Cache, from what ran before or was copied; the rest
        comes from HBM meanwhile."""
        from_hbm = moved / self.hbm
        if not self.cache_bytes:
            return from_hbm
        from_cache = moved / self.cache if self.cache else 0.0
        return min(from_hbm, max(from_cache, (moved - self.cache_bytes) / self.hbm))
