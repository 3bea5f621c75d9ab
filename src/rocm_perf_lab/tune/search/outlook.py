"""What is expected of every candidate, and how much it promises over a time to beat."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

Vector = npt.NDArray[np.float64]

FAR = 4.0  # times the best: what is slower than that, and than most, is only slow


@dataclass(frozen=True)
class Outlook:
    mean: Vector  # of the logarithm of run time
    deviation: Vector
    works: Vector  # the chance that it runs at all, less where the answer is under way

    def promise(self, best: float) -> Vector:
        """Expected improvement of the logarithm over ``best``, times the chance that it works."""
        gain = best - self.mean
        z = gain / self.deviation
        density = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
        return np.asarray(np.maximum(gain * ndtr(z) + self.deviation * density, 0) * self.works)

    def hopeless(self, limit: float) -> npt.NDArray[np.bool_]:
        """Expected to be beyond the limit, and that fairly surely."""
        return np.asarray(self.mean - self.deviation > limit)


def told_apart(logarithms: Vector, limit: float) -> Vector:
    """The slower half counts as equally slow where it is far behind, and beyond ``limit``.

    Run times of one space go over factors of thirty and more. A model of all of it spends what it
    can learn on how bad the bad ones are, and has none left for the differences among the good. But
    where all times are of one order, the slow ones say what to leave out."""
    far = float(logarithms.min()) + math.log(FAR)
    return np.minimum(logarithms, max(float(np.median(logarithms)), far, limit))
