"""The boards that carry a target, and which of them a device is.

A device is a whole board, one die of a board (MI250X) or a partition of it: a CPX partition of an
MI300X has 38 CUs and 1 XCC, and so has one of an MI300A. CU counts alone therefore often leave
several candidates; the product name or the PCI device id then decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from rocm_perf_lab.arch.fact import Fact, number, parse_facts, whole_number

if TYPE_CHECKING:
    from rocm_perf_lab.arch.target import Target

WHOLE_DEVICE = "SPX"


@dataclass(frozen=True)
class Product:
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


def candidate_products(
    target: Target,
    cu_count: Optional[int],
    xcc_count: Optional[int],
    product_name: Optional[str] = None,
    device_id: Optional[int] = None,
) -> tuple[Product, ...]:
    """Every product that the device may be; empty when none of the known ones fits."""
    named = _named(target.products, product_name)
    if named is None:
        return ()
    by_id = tuple(product for product in named if device_id in product.device_ids)
    if by_id:
        return by_id
    fitting = tuple(
        product
        for product in named
        if cu_count is None or product.partition_mode(cu_count, xcc_count) is not None
    )
    # A name is stronger than a CU count, which masking and faulty recordings change.
    return fitting or (named if len(named) < len(target.products) else ())


def identify_product(
    target: Target,
    cu_count: Optional[int],
    xcc_count: Optional[int],
    product_name: Optional[str] = None,
    device_id: Optional[int] = None,
) -> Optional[Product]:
    """The product, or ``None`` when it is unknown or more than one fits."""
    candidates = candidate_products(target, cu_count, xcc_count, product_name, device_id)
    return candidates[0] if len(candidates) == 1 else None


def _named(
    products: tuple[Product, ...], product_name: Optional[str]
) -> Optional[tuple[Product, ...]]:
    """The products that the name mentions; all when it names no model; None for a foreign model.

    One name may mention two: the driver calls both boards "AMD Instinct MI250X/MI250".
    """
    if not product_name or not re.search(r"\d{3}", product_name):
        return products
    mentioned = tuple(
        product
        for product in products
        if re.search(rf"(?<!\w){re.escape(product.name)}(?!\w)", product_name, re.IGNORECASE)
    )
    return mentioned or None
