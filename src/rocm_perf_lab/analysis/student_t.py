"""Student's t distribution for whole degrees of freedom, by its finite series."""

from __future__ import annotations

import math


def t_inside(t: float, freedom: int) -> float:
    """Probability that a variable lies between -t and t (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    theta = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(theta), math.sin(theta)
    odd = freedom % 2
    term = total = cosine if odd else 1.0
    for step in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    if not odd:
        return sine * total
    return 2 / math.pi * (theta + (sine * total if freedom > 1 else 0.0))


def t_quantile(inside: float, freedom: int) -> float:
    """The t between whose negative and itself a variable lies with probability `inside`."""
    low, high = 0.0, 1.0
    while t_inside(high, freedom) < inside:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if t_inside(middle, freedom) < inside:
            low = middle
        else:
            high = middle
    return (low + high) / 2
