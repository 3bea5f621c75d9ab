"""A curve over sizes as a small SVG file: logarithmic axis, published values as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from xml.sax.saxutils import escape

from benchmarks.calibrate.latency import size_text
from benchmarks.calibrate.quantity import Published, text_of

WIDTH, HEIGHT = 760, 360
LEFT, RIGHT, TOP, BOTTOM = 62, 28, 36, 44
INK, GRID, CURVE, MEASURED = "#333333", "#dddddd", "#1f6fb2", "#d9822b"


@dataclass(frozen=True)
class Curve:
    title: str
    unit: str
    modelled: Mapping[int, float]  # size in KiB -> value
    published: Mapping[int, Published]
    ticks: Sequence[float]  # of the vertical axis, from its lower to its upper end
    logarithmic: bool = False  # the vertical axis; the horizontal one always is


def svg(curve: Curve) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(curve.title)}</text>',
        *_vertical_axis(curve),
        *_horizontal_axis(curve),
        *_published(curve),
        *_modelled(curve),
        *_legend(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(curve: Curve, size: int) -> float:
    first, last = log2(min(curve.modelled)), log2(max(curve.modelled))
    return LEFT + (WIDTH - LEFT - RIGHT) * (log2(size) - first) / (last - first)


def _y(curve: Curve, value: float) -> float:
    low, high = curve.ticks[0], curve.ticks[-1]
    if curve.logarithmic:
        value, low, high = log2(value), log2(low), log2(high)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)


def _vertical_axis(curve: Curve) -> list[str]:
    parts = []
    for tick in curve.ticks:
        y = _y(curve, tick)
        parts.append(
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{GRID}"/>'
        )
        parts.append(
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text_of(tick)}</text>'
        )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        f'<text x="14" y="{middle:.1f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {middle:.1f})">{escape(curve.unit)}</text>'
    )
    return parts


def _horizontal_axis(curve: Curve) -> list[str]:
    parts = []
    size = min(curve.modelled)
    while size <= max(curve.modelled):
        x = _x(curve, size)
        bottom = HEIGHT - BOTTOM
        parts.append(
            f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 5}" stroke="{INK}"/>'
        )
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{size_text(size)}</text>'
        )
        size *= 4
    return parts


def _published(curve: Curve) -> list[str]:
    """A bar from the lowest to the highest published value, at least as high as it is visible."""
    parts = []
    for size, published in curve.published.items():
        top, bottom = _y(curve, published.high), _y(curve, published.low)
        height = max(bottom - top, 4)
        parts.append(
            f'<rect x="{_x(curve, size) - 9:.1f}" y="{(top + bottom - height) / 2:.1f}" width="18" '
            f'height="{height:.1f}" fill="{MEASURED}" fill-opacity="0.75"/>'
        )
    return parts


def _modelled(curve: Curve) -> list[str]:
    points = [(_x(curve, size), _y(curve, value)) for size, value in sorted(curve.modelled.items())]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return [
        f'<polyline points="{line}" fill="none" stroke="{CURVE}" stroke-width="2"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{CURVE}"/>' for x, y in points),
    ]


def _legend() -> list[str]:
    x = WIDTH - RIGHT - 210
    return [
        f'<circle cx="{x}" cy="16" r="3" fill="{CURVE}"/><text x="{x + 8}" y="20">modelled</text>',
        f'<rect x="{x + 90}" y="10" width="18" height="12" fill="{MEASURED}" fill-opacity="0.75"/>'
        f'<text x="{x + 114}" y="20">published</text>',
    ]
