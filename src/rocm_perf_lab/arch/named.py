"""The target of a GPU that is named as people and drivers name it: "AMD Instinct MI300X VF"."""

from __future__ import annotations

import re
from typing import Optional

from rocm_perf_lab.arch.product import Product
from rocm_perf_lab.arch.target import known_targets, load_target


def target_of_product(name: Optional[str]) -> Optional[str]:
    """The one target whose boards the name mentions, None when it mentions none."""
    found = {target for target, _ in boards_named(name)}
    return found.pop() if len(found) == 1 else None


def boards_named(name: Optional[str]) -> list[tuple[str, Product]]:
    """(target, board) for every board that the name mentions."""
    if not name:
        return []
    return [
        (target, product)
        for target in known_targets()
        for product in load_target(target).products
        if re.search(rf"(?<!\w){re.escape(product.name)}(?!\w)", name, re.IGNORECASE)
    ]
