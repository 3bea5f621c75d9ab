"""``rocm-perf prompt``: what would be sent first. Nothing is."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from rocm_perf_lab.errors import NothingRecorded
from rocm_perf_lab.optimize.prompt import PromptDocument, PromptStyle, build_prompt
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.search.session import opened_session
from rocm_perf_lab.trace.files.temporary import temporary_folder


def first_prompt(request: OptimizeRequest, style: PromptStyle) -> PromptDocument:
    """Builds and profiles the application as ``llm-optimize`` does, and keeps nothing."""
    with contextlib.ExitStack() as opened:
        folder = opened.enter_context(temporary_folder("prompt"))
        private = replace(request, evidence=Path(folder, "evidence"), hot_lines=True)
        session = opened.enter_context(opened_session(private))
        gate = session.next_gate()
        if gate is None:
            why = "; ".join(f"{one.kernel}: {one.why}" for one in session.left_alone)
            raise NothingRecorded(
                f"there is no kernel to ask about{': ' + why if why else ''}",
                "name the source with the kernels, and --kernel",
            )
        return build_prompt(gate, request, style)
