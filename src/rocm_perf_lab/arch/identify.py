"""Which board a device is.

A device is a whole board, one die of a board (MI250X) or a partition of it: a CPX partition of an
MI300X has 38 CUs and 1 XCC, and so has one of an MI300A. CU counts alone therefore often leave
several candidates; the product name or the PCI device id then decides.
"""

from __future__ import annotations

import re
from typing import Optional

from rocm_perf_lab.arch.product import Product
from rocm_perf_lab.arch.target import Target


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
    # Recordings name a wrong number of XCCs more often than one of CUs.
    fitting = _fitting(named, cu_count, xcc_count) or _fitting(named, cu_count, None)
    # A name is stronger than a CU count, which masking and faulty recordings change.
    return fitting or (named if len(named) < len(target.products) else ())


def _fitting(
    products: tuple[Product, ...], cu_count: Optional[int], xcc_count: Optional[int]
) -> tuple[Product, ...]:
    return tuple(
        product
        for product in products
        if cu_count is None or product.partition_mode(cu_count, xcc_count) is not None
    )


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
