"""A roofline as lines and points, for whatever draws it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.schemas.roofline import (
    KernelRooflineModel,
    RooflineDocument,
)

LEVELS = {"fabric": "HBM (what leaves L2)", "l2": "L2", "l1": "L1", "lds": "LDS"}
_ROOF_OF_LEVEL = {"fabric": "hbm", "l2": "l2", "l1": "l1", "lds": "lds"}
_TITLES = {"hbm": "HBM", "infinity_cache": "Infinity Cache", "l2": "L2", "l1": "L1", "lds": "LDS"}
_LEAST_SPAN = (0.01, 1000.0)  # FLOP per byte that are always shown


@dataclass(frozen=True)
class Point:
    kernel: str
    number: int  # of the kernel, by time
    level: str
    intensity: float
    flop_rate: float
    reached: Optional[float]  # of the roof of this level
    share: float  # of the time of all kernels
    binding: Optional[str]


@dataclass(frozen=True)
class Roof:
    name: str
    text: str
    is_memory: bool
    line: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class RooflinePicture:
    target: str
    roofs: tuple[Roof, ...]
    points: tuple[Point, ...]
    left_out: tuple[str, ...]  # kernels without floating point work that is known
    x_range: tuple[float, float]
    y_range: tuple[float, float]


def roof_title(name: str) -> str:
    """As people write it: ``HBM``, ``vector FP32``."""
    unit, _, kind = name.partition(".")
    return f"{unit} {kind.upper()}" if kind else _TITLES.get(name, name)


def roofline_picture(profile: ProfileDocument) -> Optional[RooflinePicture]:
    document = profile.rooflines
    if document is None or not document.roofs or not document.kernels:
        return None
    shares = {row.name: row.share for row in profile.kernels}
    points = [
        point
        for number, kernel in enumerate(document.kernels)
        for point in _points(kernel, number, shares.get(kernel.kernel, 0.0))
    ]
    placed = {point.kernel for point in points}
    x_range = _around([point.intensity for point in points], *_LEAST_SPAN)
    roofs = _roofs(document, x_range)
    heights = [y for roof in roofs for _, y in roof.line] + [p.flop_rate for p in points]
    return RooflinePicture(
        document.target,
        roofs,
        tuple(points),
        tuple(k.kernel for k in document.kernels if k.kernel not in placed),
        x_range,
        (min(heights) / 2, max(heights) * 3),
    )


def _points(kernel: KernelRooflineModel, number: int, share: float) -> list[Point]:
    if not kernel.flops or not kernel.flop_rate:
        return []
    utilised = {ceiling.name: ceiling.utilisation for ceiling in kernel.ceilings}
    return [
        Point(
            kernel.kernel,
            number,
            level.level,
            kernel.flops / level.bytes,
            kernel.flop_rate,
            utilised.get(_ROOF_OF_LEVEL[level.level]),
            share,
            kernel.binding,
        )
        for level in kernel.levels
        if level.bytes
    ]


def _around(values: list[float], low: float, high: float) -> tuple[float, float]:
    return min([low, *(v / 2 for v in values)]), max([high, *(v * 2 for v in values)])


def _roofs(document: RooflineDocument, x_range: tuple[float, float]) -> tuple[Roof, ...]:
    """All memory levels; of the units those that a kernel uses, and vector FP32 in any case."""
    used = {c.name for k in document.kernels for c in k.ceilings if c.work > 0}
    compute = {
        roof.name: roof.value
        for roof in document.roofs
        if "." in roof.name and (roof.name in used or roof.name == "vector.fp32")
    }
    top = max(compute.values(), default=None)
    found = []
    for roof in document.roofs:
        text = f"{roof_title(roof.name)} {_rate(roof.value, '.' in roof.name)} ({roof.source})"
        left, right = x_range
        if roof.name in compute:
            line = ((left, roof.value), (right, roof.value))
            found.append(Roof(roof.name, text, False, line))
        elif "." not in roof.name and top is not None:
            end = min(right, top / roof.value)
            found.append(
                Roof(roof.name, text, True, ((left, left * roof.value), (end, end * roof.value)))
            )
    return _merged(found)


def _merged(roofs: list[Roof]) -> tuple[Roof, ...]:
    """One line and one text for levels of the same rate."""
    by_line: dict[tuple[tuple[float, float], tuple[float, float]], Roof] = {}
    for roof in roofs:
        same = by_line.get(roof.line)
        by_line[roof.line] = (
            roof if same is None else replace(same, text=f"{roof_title(roof.name)}, {same.text}")
        )
    return tuple(by_line.values())


def _rate(value: float, is_compute: bool) -> str:
    unit = "FLOP/s" if is_compute else "B/s"
    return f"{value / 1e12:.3g} T{unit}" if value >= 1e12 else f"{value / 1e9:.3g} G{unit}"
