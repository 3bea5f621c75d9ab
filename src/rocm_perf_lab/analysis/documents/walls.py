"""The ladder of walls of an explanation, and what it means for the advice there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

from rocm_perf_lab.analysis.diagnosis.ladder import Climbed, Place, Wall
from rocm_perf_lab.analysis.diagnosis.remedies import REMEDIES, Remedy
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.analysis.documents.schemas.explain import (
    AdviceModel,
    ExplanationDocument,
    GainModel,
    RankedKernelModel,
    WallModel,
    WallsModel,
)
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.arch.ideal import load_mechanisms
from rocm_perf_lab.strict_json import replace

_MOST_ADVICE = 3


def with_walls(
    document: ExplanationDocument, found: Union[Climbed, Missing]
) -> ExplanationDocument:
    if isinstance(found, Missing):
        absent = UnavailableModel(field="walls", reason=found.reason, next=found.next_step)
        return replace(document, unavailable=[*document.unavailable, absent])
    kernel = next(row for row in document.kernels if row.kernel == document.kernel)
    walls = walls_model(document.kernel, kernel.launches, found)
    document = replace(document, walls=walls, gain=_gain(document.gain, walls, kernel))
    advice = [_not_below(one, walls, kernel) for one in document.advice]
    return replace(document, advice=_led(advice, walls, kernel, document.limit == "kernel"))


def walls_model(kernel: str, launches: int, found: Climbed) -> WallsModel:
    return WallsModel(
        basis="model of the virtual device",
        kernel=kernel,
        now_us=found.ladder.now_ns / 1e3,
        walls=[
            _wall(wall, launches, None if number else found.place)
            for number, wall in enumerate(found.ladder.walls)
        ],
        launch=found.launch,
        complete=found.ladder.whole,
    )


def hot_lines(profile: ProfileDocument, kernel: str) -> list[str]:
    """Where a traced kernel spends most; of code that was inlined, where that is written."""
    traced = profile.analysis.kernels if profile.analysis else []
    att = next((one.att for one in traced if one.kernel == kernel), None)
    return [hot.source for hot in att.hot_sources] if att else []


def _wall(wall: Wall, launches: int, place: Optional[Place]) -> WallModel:
    mechanisms = load_mechanisms()
    remedy = remedy_of(wall.together, launches)
    return WallModel(
        free=list(wall.together),
        us=wall.ns / 1e3,
        without=" and ".join(mechanisms[name].without for name in wall.together),
        meaning="; ".join(mechanisms[name].meaning for name in wall.together),
        advice=None if remedy is None else remedy.what,
        line=None if place is None else place.line,
        line_share=None if place is None else place.share,
    )


def remedy_of(together: Sequence[str], launches: int) -> Optional[Remedy]:
    """Of the first of them that a change of the source can take away."""
    for name in together:
        if launches >= REMEDIES[name].least_launches:
            return REMEDIES[name]
    return None


def worth(walls: WallsModel, number: int) -> float:
    """Times faster the kernel gets with this wall free, on top of those before it."""
    before = walls.walls[number - 1].us if number else walls.now_us
    us = walls.walls[number].us
    return before / us if us > 0 else float("inf")


def _removes(mend: str, wall: WallModel, launches: int) -> bool:
    remedy = remedy_of(wall.free, launches)
    return remedy is not None and mend in remedy.mends


def _end_to_end(kernel_gain: float, kernel: RankedKernelModel) -> float:
    left = 1.0 - kernel.criticality * (1.0 - 1.0 / kernel_gain)
    return 1.0 / left if left > 0 else float("inf")


def _gain(
    gain: Optional[GainModel], walls: WallsModel, kernel: RankedKernelModel
) -> Optional[GainModel]:
    """A ceiling that the ladder passes does not bound the kernel."""
    if gain is None or not walls.walls:
        return gain
    measured = walls.now_us / walls.walls[-1].us if walls.walls[-1].us > 0 else gain.kernel
    if measured <= gain.kernel:
        return gain
    application = max(gain.application, _end_to_end(measured, kernel))
    return replace(gain, kernel=measured, application=application)


def _not_below(advice: AdviceModel, walls: WallsModel, kernel: RankedKernelModel) -> AdviceModel:
    """What takes a wall away gains at most what was measured without it, or more."""
    measured = max(
        (
            worth(walls, n)
            for n, wall in enumerate(walls.walls)
            if _removes(advice.mend, wall, kernel.launches)
        ),
        default=1.0,
    )
    if advice.kernel_gain is None or advice.gain is None or measured <= advice.kernel_gain:
        return advice
    gain = max(advice.gain, _end_to_end(measured, kernel))
    return replace(advice, kernel_gain=measured, gain=gain)


def _led(
    advice: list[AdviceModel], walls: WallsModel, kernel: RankedKernelModel, leads: bool
) -> list[AdviceModel]:
    """First what takes the first wall away that a change of the source can."""
    first = next((n for n, wall in enumerate(walls.walls) if wall.advice), None)
    if first is None or not leads:
        return advice
    wall = walls.walls[first]
    same = [one for one in advice if _removes(one.mend, wall, kernel.launches)]
    leading = same[0] if same else _advice(walls, first, kernel)
    return [leading, *(one for one in advice if one is not leading)][:_MOST_ADVICE]


def _advice(walls: WallsModel, number: int, kernel: RankedKernelModel) -> AdviceModel:
    wall, gain = walls.walls[number], worth(walls, number)
    remedy = remedy_of(wall.free, kernel.launches)
    assert remedy is not None
    before = walls.walls[number - 1].us if number else walls.now_us
    return AdviceModel(
        mend=remedy.mends[0],
        what=remedy.what,
        why=f"the kernel takes {wall.us:.4g} us {wall.without}, measured on the model, not "
        f"{before:.4g} us",
        kernel_gain=gain,
        gain=_end_to_end(gain, kernel),
    )
