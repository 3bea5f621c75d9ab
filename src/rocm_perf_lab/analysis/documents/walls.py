"""The ladder of walls of an explanation."""

from __future__ import annotations

from typing import Union

from rocm_perf_lab.analysis.diagnosis.ladder import Ladder, Wall
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.analysis.documents.schemas.explain import (
    ExplanationDocument,
    WallModel,
    WallsModel,
)
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.arch.ideal import load_mechanisms
from rocm_perf_lab.strict_json import replace


def with_walls(document: ExplanationDocument, found: Union[Ladder, Missing]) -> ExplanationDocument:
    if isinstance(found, Missing):
        absent = UnavailableModel(field="walls", reason=found.reason, next=found.next_step)
        return replace(document, unavailable=[*document.unavailable, absent])
    walls = WallsModel(
        basis="model of the virtual device",
        kernel=document.kernel,
        now_us=found.now_ns / 1e3,
        walls=[_wall(wall) for wall in found.walls],
    )
    return replace(document, walls=walls)


def _wall(wall: Wall) -> WallModel:
    mechanisms = load_mechanisms()
    return WallModel(
        free=list(wall.together),
        us=wall.ns / 1e3,
        without=" and ".join(mechanisms[name].without for name in wall.together),
        meaning="; ".join(mechanisms[name].meaning for name in wall.together),
    )
