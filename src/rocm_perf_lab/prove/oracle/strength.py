"""Is the oracle strong enough? Impostors that any oracle must catch. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

from rocm_perf_lab.prove.oracle.buffers import Buffer
from rocm_perf_lab.prove.oracle.comparison import Before, Images, parts_of
from rocm_perf_lab.prove.oracle.element_type import Bytes
from rocm_perf_lab.prove.oracle.report import Stage

IMPOSTORS = ("zeros", "a copy of the input", "one precision lower", "the last block dropped")


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
    image = images[one.region]
    place = slice(one.begin, one.end)
    if name == "zeros":
        image[place] = 0
        return True
    if name == "the last block dropped":
        size = max(1, (one.end - one.begin) // max(1, blocks))
        last = slice(one.end - size, one.end)
        image[last] = trial.before(one.region)[last]
        return True
    if name == "a copy of the input":
        source = _input_for(one, trial, buffers)
        if source is None:
            return False
        image[place] = np.resize(source, one.end - one.begin)
        return True
    return _lower(image, one, buffers)


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
