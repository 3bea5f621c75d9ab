"""The ladder of walls of a captured launch, wherever it was captured."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.analysis.diagnosis.ladder import Climbed
from rocm_perf_lab.analysis.documents.schemas.explain import SCHEMA_VERSION, CaptureWallsDocument
from rocm_perf_lab.analysis.documents.walls import walls_model
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.rocprof.options import Progress
from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.measure.walls.climbing import ladder_of
from rocm_perf_lab.measure.walls.replayed import Replay, twice
from rocm_perf_lab.replay.capture import opened_capture

_ANY_LAUNCH = 2  # nobody knows how often it was launched: launching less often is worth a try


def explain_capture(folder: Path, rocm: Optional[Path], progress: Progress) -> CaptureWallsDocument:
    """With warm caches: what the launches before left is not in a capture."""
    prefix = find_prefix(rocm)
    if prefix.kind != "virtual":
        raise ToolMissing(
            f"{prefix.path} is a ROCm for GPUs, where no mechanism can be made free",
            'rocm-perf explain --from CAPTURE --rocm "$(rocm-perf vrocm path)"',
        )
    with opened_capture(folder) as capture:
        agent = twice(capture, prefix).agent
        ladder = ladder_of(Replay(capture, prefix, warm=True), progress)
        dispatch = capture.dispatch
    return CaptureWallsDocument(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        source=str(folder),
        kernel=dispatch.demangled_name,
        grid=list(dispatch.grid),
        block=list(dispatch.block),
        captured_on=dispatch.agent_product,
        device="" if agent is None else agent.product,
        walls=walls_model(dispatch.demangled_name, _ANY_LAUNCH, Climbed(ladder)),
    )
