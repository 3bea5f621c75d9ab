"""A profile that was kept as JSON, and what can still be said of it without its recordings."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.models import judge_profile
from rocm_perf_lab.prove.compare.profile_file import read_profile_file
from rocm_perf_lab.report.contents import Measured
from rocm_perf_lab.report.kinds import PROFILE_FILE
from rocm_perf_lab.trace.model import Trace


def read_profile(path: Path) -> Measured:
    file = path / PROFILE_FILE if path.is_dir() else path
    profile = read_profile_file(file)
    if not profile.kernels:  # wall times only
        return Measured(profile, None)
    verdicts = judge_profile(profile, Trace(source=str(file)))
    return Measured(profile, explanation_of(profile, verdicts))
