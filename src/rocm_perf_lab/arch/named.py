"""The target of a GPU that is named as people and drivers name it: "AMD Instinct MI300X VF"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.arch.product import Product
from rocm_perf_lab.arch.target import known_targets, load_target
from rocm_perf_lab.errors import UsageError

_MAKERS = re.compile(r"amd|instinct|radeon|[\s_-]")


@dataclass(frozen=True)
class NamedGpu:
    """What somebody says that a GPU is: a board, or only its target."""

    target: str
    product: Optional[Product] = None

    def __str__(self) -> str:
        return self.product.name if self.product else self.target


def gpu_named(name: str) -> NamedGpu:
    """The GPU called "mi300x", "AMD Instinct MI300X" or "gfx942"; an error with all names else."""
    boards = [
        (target, board) for target in known_targets() for board in load_target(target).products
    ]
    wanted = _MAKERS.sub("", name.lower())
    for target, board in boards:
        if wanted and wanted == _MAKERS.sub("", board.name.lower()):
            return NamedGpu(target, board)
    if wanted in known_targets():
        return NamedGpu(wanted)
    raise UsageError(
        f"--gpu {name}: no such GPU is known here",
        f"name one of {', '.join(board.name for _, board in boards)}, or a target: "
        f"{', '.join(known_targets())}",
    )


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
