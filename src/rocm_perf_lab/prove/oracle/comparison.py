"""Memory that two runs left: where it differs, and whether that counts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes, Numbers
from rocm_perf_lab.prove.oracle.numbers.error_budget import (
    ElementFinding,
    Expectation,
    judge_elements,
)
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.report import Stage, StageVerdict, Worst

Images = Mapping[int, Bytes]  # regions that a run changed, by base
Before = Callable[[int], Bytes]  # a region as it was before both runs


@dataclass(frozen=True)
class Sharpness:
    """What the baseline's numbers allow: nothing when both are empty, which means bit by bit."""

    moved: Mapping[int, Numbers]  # by argument: how far rounding moves the baseline's results
    reference: Mapping[int, Numbers]  # by argument: results of higher precision
    rounded: bool = False  # its own operations were rounded otherwise, not the inputs alone


EXACT = Sharpness({}, {})


@dataclass(frozen=True)
class Part:
    """A piece of a region: a buffer with a type, or bytes that only can be the same."""

    region: int
    begin: int
    end: int
    buffer: Optional[Buffer]

    @property
    def name(self) -> str:
        return f"memory at 0x{self.region:x}" if self.buffer is None else self.buffer.name


@dataclass(frozen=True)
class PartFinding:
    part: Part
    different: int
    over: int
    worst: Worst
    elements: Optional[ElementFinding]


def compare(
    name: str,
    expected: Images,
    found: Images,
    before: Before,
    buffers: Sequence[Buffer],
    sharpness: Optional[Sharpness] = None,
) -> Stage:
    """``sharpness`` None: every byte counts."""
    findings, compared = [], 0
    for region in sorted({*expected, *found}):
        old = before(region)
        left, right = expected.get(region, old), found.get(region, old)
        compared += len(old)
        if np.array_equal(left, right):
            continue
        for part in parts_of(region, len(old), buffers):
            finding = _compare_part(part, left, right, sharpness)
            if finding is not None:
                findings.append(finding)
    return _stage(name, findings, compared)


def parts_of(region: int, size: int, buffers: Sequence[Buffer]) -> Iterator[Part]:
    at = 0
    for buffer in (one for one in buffers if one.region == region):
        if buffer.offset > at:
            yield Part(region, at, buffer.offset, None)
        at = buffer.offset + buffer.size
        yield Part(region, buffer.offset, at, buffer)
    if at < size:
        yield Part(region, at, size, None)


def _compare_part(
    part: Part, left: Bytes, right: Bytes, sharpness: Optional[Sharpness]
) -> Optional[PartFinding]:
    expected, found = left[part.begin : part.end], right[part.begin : part.end]
    if np.array_equal(expected, found):
        return None
    buffer = part.buffer
    if buffer is None or buffer.element is None or not buffer.element.is_float:
        return _bytes_differ(part, expected, found)
    if sharpness is None:
        sharpness = EXACT
        exact = True
    else:
        exact = False
    kind = buffer.element
    whole = len(expected) // kind.size * kind.size
    if not np.array_equal(expected[whole:], found[whole:]):
        return _bytes_differ(part, expected, found)
    expectation = Expectation(
        kind.decode(expected),
        sharpness.moved.get(buffer.place),
        sharpness.reference.get(buffer.place),
        sharpness.rounded,
    )
    result = judge_elements(expectation, found[:whole], kind)
    over = result.different if exact else result.over_budget
    return PartFinding(part, result.different, over, _worst(part, result), result)


def _bytes_differ(part: Part, expected: Bytes, found: Bytes) -> PartFinding:
    buffer = part.buffer
    size = 1 if buffer is None or buffer.element is None else buffer.element.size
    wrong = np.flatnonzero(expected != found) // size
    index = int(wrong[0])
    place = slice(index * size, index * size + size)
    if buffer is not None and buffer.element is not None and len(expected[place]) == size:
        values = [float(buffer.element.decode(side[place])[0]) for side in (expected, found)]
    else:
        values = [float(expected[index]), float(found[index])] if size == 1 else [0.0, 0.0]
    text = f"{values[1]:.9g} instead of {values[0]:.9g}"
    expected_value, found_value = values
    error = _number(abs(found_value - expected_value))
    worst = Worst(part.name, index, _number(expected_value), _number(found_value), error, 0.0, text)
    count = len(np.unique(wrong))
    return PartFinding(part, count, count, worst, None)


def _number(value: float) -> Optional[float]:
    """JSON knows neither NaN nor infinity."""
    return value if np.isfinite(value) else None


def _worst(part: Part, result: ElementFinding) -> Worst:
    return Worst(
        part.name,
        result.worst_index or 0,
        _number(result.worst_expected),
        _number(result.worst_found),
        _number(result.worst_error),
        result.worst_allowed,
        f"{result.worst_found:.9g} instead of {result.worst_expected:.9g}",
    )


def _stage(name: str, findings: Sequence[PartFinding], compared: int) -> Stage:
    different = sum(one.different for one in findings)
    if not different:  # what is left may be the payload of a NaN, which is nobody's result
        return Stage(name, "pass", "the same bit by bit", True, compared)
    over = sum(one.over for one in findings)
    failing = [one for one in findings if one.over]
    worst = max(failing or findings, key=lambda one: _excess(one.worst))
    numbers = [one.elements for one in findings if one.elements is not None]
    verdict: StageVerdict = "fail" if failing else "pass"
    ulps = [one.max_ulp for one in numbers if one.max_ulp is not None]
    means = [one.mean_ulp for one in numbers if one.mean_ulp is not None]
    shares = [one.max_relative for one in numbers if one.max_relative is not None]
    return Stage(
        name,
        verdict,
        _detail(worst, different, over, bool(failing)),
        False,
        compared,
        different,
        over,
        max(shares, default=None),
        max(ulps, default=None),
        max(means, default=None),
        worst.worst,
    )


def _excess(worst: Worst) -> float:
    if worst.error is None:
        return float("inf")
    return worst.error / worst.allowed if worst.allowed else float("inf")


def _detail(finding: PartFinding, different: int, over: int, failed: bool) -> str:
    worst, buffer = finding.worst, finding.part.buffer
    what = "byte" if buffer is None or buffer.element is None else "element"
    where = f"{worst.where}, {what} {worst.index}: {worst.text}"
    if not failed:
        return f"{different} differ within the budget, at most {where}"
    return f"{over} of {different} that differ are wrong, at most {where}"
