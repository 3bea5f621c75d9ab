"""Is the oracle strong enough? Impostors that any oracle must catch. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np
from numpy.typing import NDArray

from rocm_perf_lab.prove.oracle.comparison import Before, Images, parts_of
from rocm_perf_lab.prove.oracle.numbers.element_type import TYPES, Bytes, ElementType
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.report import Stage

Flags = NDArray[np.bool_]
_BYTE = TYPES["u8"]
COPY = "a copy of the input"
IMPOSTORS = ("zeros", COPY, "one precision lower", "the last block dropped")
# Bytes of so many values tell a copy from a constant or a clamp that happens to leave its input.
_TELLING_VALUES = 16


@dataclass(frozen=True)
class Trial:
    """One comparison that a candidate has to pass, with the right answer."""

    right: Images
    before: Before
    passes: Callable[[Images], bool]


@dataclass(frozen=True)
class Written:
    """Bytes of a region that the baseline writes."""

    region: int
    begin: int
    end: int


def strength(
    trials: Sequence[Trial],
    written: Sequence[Written],
    buffers: Sequence[Buffer],
    blocks: int,
) -> Stage:
    """A candidate must pass all trials; an impostor that does shows that they prove too little."""
    survivors, tried = [], []
    for name in IMPOSTORS:
        made = [(trial, _impostor(name, trial, written, buffers, blocks)) for trial in trials]
        known = [(trial, images) for trial, images in made if images is not None]
        if not known:
            continue
        if name == COPY and _copying_is_right(known, written):
            continue
        tried.append(name)
        if all(trial.passes(images) for trial, images in known):
            survivors.append(name)
    if survivors:
        return Stage(
            "strength",
            "unverified",
            f"the comparison is too weak: {' and '.join(survivors)} would pass",
        )
    if not tried:
        return Stage("strength", "unverified", "no impostor could be made: there is no output")
    return Stage("strength", "pass", f"caught as they must be: {', '.join(tried)}")


def _copying_is_right(known: Sequence[tuple[Trial, Images]], written: Sequence[Written]) -> bool:
    """The kernel itself copies: bit by bit in every trial, of which two have data of their own."""
    seen = set()
    for trial, images in known:
        for one in written:
            if one.region not in images:
                continue
            right = trial.right[one.region][one.begin : one.end]
            if not np.array_equal(right, images[one.region][one.begin : one.end]):
                return False
            if len(np.unique(right)) >= _TELLING_VALUES:
                seen.add(right.tobytes())
    return len(seen) > 1


def _impostor(
    name: str, trial: Trial, written: Sequence[Written], buffers: Sequence[Buffer], blocks: int
) -> Optional[Images]:
    images = {region: image.copy() for region, image in trial.right.items()}
    made = [
        _pretend(name, images, one, trial, buffers, blocks)
        for one in written
        if one.region in images
    ]
    return images if any(made) else None


def _pretend(
    name: str,
    images: Mapping[int, Bytes],
    one: Written,
    trial: Trial,
    buffers: Sequence[Buffer],
    blocks: int,
) -> bool:
    """Change what was written in ``images``; False if this impostor makes no sense here."""
    image, before = images[one.region], trial.before(one.region)
    place = slice(one.begin, one.end)
    fake = _fake(name, image, before, one, trial, buffers, blocks)
    if fake is None:
        return False
    # Other sizes write less than the captured one: what is not written, nobody pretends to write.
    written = _whole_elements(image[place] != before[place], one, buffers)
    image[place] = np.where(written, fake, image[place])
    return bool(written.any())


def _fake(
    name: str,
    image: Bytes,
    before: Bytes,
    one: Written,
    trial: Trial,
    buffers: Sequence[Buffer],
    blocks: int,
) -> Optional[Bytes]:
    """What the impostor has where the output should be."""
    size = one.end - one.begin
    if name == "zeros":
        return np.zeros(size, dtype=np.uint8)
    if name == "the last block dropped":
        kind = _element_of(one, buffers)
        return _without_last_block(
            image[one.begin : one.end], before[one.begin : one.end], kind, blocks
        )
    if name == COPY:
        source = _input_for(one, trial, buffers)
        return None if source is None else np.resize(source, size).astype(np.uint8)
    lowered = image.copy()
    return lowered[one.begin : one.end] if _lower(lowered, one, buffers) else None


def _without_last_block(right: Bytes, before: Bytes, kind: ElementType, blocks: int) -> Bytes:
    """Blocks that write elements of their own leave the last elements as they were. Where there are
    more blocks than elements, each adds to what others add to: then every element lacks its share,
    at least one unit."""
    elements = len(right) // kind.size
    if blocks <= elements:
        fake: Bytes = right.copy()
        last = -(-elements // max(1, blocks)) * kind.size
        fake[len(right) - last :] = before[len(right) - last :]
        return fake
    after = kind.decode(right)
    with np.errstate(all="ignore"):
        share = (after - kind.decode(before)) / blocks
        unit = kind.ulp(after) if kind.is_float else np.ones(elements)
        least = np.copysign(np.maximum(np.abs(share), unit), share)
        return kind.encode(after - (least if kind.is_float else np.trunc(least)))


def _element_of(one: Written, buffers: Sequence[Buffer]) -> ElementType:
    """Bytes where the type is not known, or what is written is no whole number of elements."""
    for buffer in buffers:
        inside = buffer.region == one.region and 0 <= one.begin - buffer.offset < buffer.size
        if inside and buffer.element is not None:
            return buffer.element if (one.end - one.begin) % buffer.element.size == 0 else _BYTE
    return _BYTE


def _whole_elements(changed: Flags, one: Written, buffers: Sequence[Buffer]) -> Flags:
    """Elements of which any byte is changed."""
    size = _element_of(one, buffers).size
    return np.repeat(changed.reshape(-1, size).any(axis=1), size)


def _input_for(one: Written, trial: Trial, buffers: Sequence[Buffer]) -> Optional[Bytes]:
    """The first input that is not what is written; an update in place is its own input."""
    for buffer in buffers:
        content = trial.before(buffer.region)[buffer.offset : buffer.offset + buffer.size]
        inside = buffer.region == one.region and buffer.offset < one.end
        if len(content) and not (inside and buffer.offset + buffer.size > one.begin):
            return content
    own = trial.before(one.region)[one.begin : one.end]
    return own if len(own) else None


def _lower(image: Bytes, one: Written, buffers: Sequence[Buffer]) -> bool:
    changed = False
    for part, begin, end in _float_parts(image, one, buffers):
        kind = part.element
        assert kind is not None
        changed = True
        image[begin:end] = kind.encode(kind.lowered(kind.decode(image[begin:end])))
    return changed


def _float_parts(
    image: Bytes, one: Written, buffers: Sequence[Buffer]
) -> Iterator[tuple[Buffer, int, int]]:
    for part in parts_of(one.region, len(image), buffers):
        buffer = part.buffer
        if buffer is None or buffer.element is None or not buffer.element.is_float:
            continue
        size = buffer.element.size
        first = max(0, one.begin - part.begin) // size * size
        last = -(-(min(one.end, part.end) - part.begin) // size) * size
        begin, end = part.begin + first, min(part.begin + last, part.end)
        if begin < end and (end - begin) % size == 0:
            yield buffer, begin, end
