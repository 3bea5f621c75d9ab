"""Why a field of a document is absent, and what would provide it."""

from __future__ import annotations

from typing import Annotated, Optional

from rocm_perf_lab.strict_json import Strict, says


class UnavailableModel(Strict):
    field: str
    reason: str
    next: Annotated[Optional[str], says("the command or change that would provide it")]
