"""What the checks of the virtual device find. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rocm_perf_lab.prove.oracle.outputs import Right

UNWRITTEN = "unwritten output"  # the trial with outputs that nobody wrote


def kind_of(finding: str) -> str:
    """Without lanes, addresses and lines, which differ between versions."""
    return re.sub(r"\d+", "#", finding.partition(":")[0])


def worth_checking(rights: Sequence[Right], shown: Collection[str]) -> list[Right]:
    """The checks take long: one trial of each kind, one with each size of a workgroup, the one with
    outputs that nobody wrote, and those whose names are ``shown``."""
    strict = [right for right in rights if not right.optional]
    kinds = {right.scene.kind: right.name for right in strict}
    shapes = [(right.scene.shape, right.name) for right in strict]
    blocks = {shape.block: name for shape, name in shapes if shape is not None}
    wanted = {*shown, *kinds.values(), *blocks.values(), UNWRITTEN}
    return [right for right in strict if right.name in wanted]
