"""The same source built so that the compiler makes the fewest copies of it.

Unrolled, vectorised and versioned loops have code for counts and strides that no launch has, and
what can be reached of it does what the loop of the source does. Whether the code of a change was
executed is therefore asked of a build that leaves loops as they are written. It takes part in all
trials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

PLAIN_FLAGS = ("-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops")
SAID = "built without copies of loops"


@dataclass(frozen=True)
class PlainBuilds:
    """Code objects with the kernel under its captured name."""

    old: Path
    new: Path


PlainMaker = Callable[[], Optional[PlainBuilds]]
