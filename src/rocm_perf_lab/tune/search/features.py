"""What a model may know of a configuration before it is measured: numbers made of its parameters.

Every parameter gives one number between 0 and 1: the logarithm of values that grow by factors, the
value itself otherwise, the place in the list for words. Whole numbers give a second one: how often
two divides them. Hardware is made of powers of two (waves of 64, banks, cache lines), so that 128
behaves like 64 and 256 and not like 112 or 144.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.tune.space import Codes, Parameter

Features = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StaticFeatures:
    """What is known of every configuration beside its parameters, between 0 and 1. Those that are
    not among ``rows`` cannot work: they are never asked for."""

    names: tuple[str, ...]
    rows: Mapping[bytes, Sequence[float]]

    def allows(self, codes: Codes) -> npt.NDArray[np.bool_]:
        return np.array([row.tobytes() in self.rows for row in codes], bool)

    def __call__(self, codes: Codes) -> Features:
        nothing = [0.0] * len(self.names)  # of what was asked for first although it cannot work
        found = [self.rows.get(row.tobytes(), nothing) for row in np.ascontiguousarray(codes)]
        return np.array(found, dtype=float).reshape(len(codes), len(self.names))


class FeatureMap:
    """From codes to features. A parameter with one value has none."""

    def __init__(
        self, parameters: Sequence[Parameter], static: Optional[StaticFeatures] = None
    ) -> None:
        self._static = static if static is not None and static.names else None
        self._tables: list[tuple[int, npt.NDArray[np.float64]]] = []
        self.names: list[str] = []
        self.owners: list[str] = []  # the parameter behind each feature
        for place, parameter in enumerate(parameters):
            for name, table in _tables_of(parameter):
                self._tables.append((place, table))
                self.names.append(name)
                self.owners.append(parameter.name)

    def __call__(self, codes: Codes) -> Features:
        columns = [table[codes[:, place]] for place, table in self._tables]
        found = np.array(columns or [np.zeros(len(codes))], dtype=float).T
        if self._static is not None:
            found = np.hstack([found, self._static(codes)])
        return np.ascontiguousarray(found)


def _tables_of(parameter: Parameter) -> list[tuple[str, npt.NDArray[np.float64]]]:
    count = len(parameter.values)
    if count < 2:
        return []
    if not parameter.is_numeric:
        return [
            (f"{parameter.name} = {v}", np.eye(count)[i]) for i, v in enumerate(parameter.values)
        ]
    values = np.array(parameter.values, dtype=float)
    grows = (values > 0).all() and count > 2 and values.max() >= 4 * values.min()
    found = [(parameter.name, unit(np.log2(values) if grows else values))]
    twos = _factors_of_two(parameter)
    # Where the values are powers of two themselves, that is the same number again.
    if len(set(twos)) > 1 and not np.allclose(unit(twos), found[0][1]):
        found.append((f"factors of two of {parameter.name}", unit(twos)))
    return found


def _factors_of_two(parameter: Parameter) -> npt.NDArray[np.float64]:
    """Up to 2^8: beyond a workgroup's 256 threads, more of them mean nothing new."""
    found = []
    for value in parameter.values:
        whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
        number = int(value) if whole else 1
        found.append(min(8, (number & -number).bit_length() - 1))
    return np.array(found, dtype=float)


def unit(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    span = values.max() - values.min()
    return (values - values.min()) / span if span > 0 else np.zeros_like(values)
