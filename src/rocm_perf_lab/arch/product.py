"""The boards that carry a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from msgspec import Struct

from rocm_perf_lab.arch.fact import Fact, number, parse_facts, whole_number

WHOLE_DEVICE = "SPX"


class Product(Struct, frozen=True):
    """One board (or one die of a board that shows each die as a device)."""

    name: str  # "MI300X"
    device_ids: tuple[int, ...]
    partitions: Mapping[str, int]  # mode -> XCCs of one partition; empty when it has no modes
    facts: Mapping[str, Fact]
    published_tflops: Mapping[str, float]  # "matrix.fp16" -> printed figure of the whole board

    def number(self, name: str) -> Optional[float]:
        return number(self.facts, name)

    def count(self, name: str) -> int:
        value = whole_number(self.facts, name)
        if value is None:
            raise KeyError(f"{self.name} has no {name}")
        return value

    @property
    def cu_count(self) -> int:
        return self.count("cu_count")

    @property
    def xcc_count(self) -> int:
        return self.count("xcc_count")

    def partition_mode(self, cu_count: int, xcc_count: Optional[int] = None) -> Optional[str]:
        """The mode in which one device of this product has so many CUs, ``None`` when none fits."""
        cus_per_xcc = self.cu_count // self.xcc_count
        modes = self.partitions or {WHOLE_DEVICE: self.xcc_count}
        for mode, xccs in modes.items():
            if cu_count == cus_per_xcc * xccs and xcc_count in (None, xccs):
                return mode
        return None


def parse_product(raw: Mapping[str, Any]) -> Product:
    published = raw.get("published_tflops", {"values": {}})
    return Product(
        name=raw["name"],
        device_ids=tuple(raw["device_ids"]),
        partitions=dict(raw["partitions"]),
        facts=parse_facts(raw["facts"]),
        published_tflops=dict(published["values"]),
    )
