"""A profile that was kept as JSON, and what can still be said of it without its recordings."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from rocm_perf_lab.analysis.documents.schemas.profile import SCHEMA_VERSION, ProfileDocument
from rocm_perf_lab.analysis.verdicts.explain import explain
from rocm_perf_lab.analysis.verdicts.kernels import judge_kernels
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.report.contents import Measured
from rocm_perf_lab.report.kinds import PROFILE_FILE
from rocm_perf_lab.trace.model import Trace


def read_profile(path: Path) -> Measured:
    file = path / PROFILE_FILE if path.is_dir() else path
    try:
        profile = ProfileDocument.model_validate_json(file.read_bytes())
    except OSError as error:
        raise RecordingError(f"cannot read {file}: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise RecordingError(
            f"{file} is no profile of version {SCHEMA_VERSION}: {place}: {first['msg']}",
            "write it again: rocm-perf profile --full --out DIR -- ./app",
        ) from None
    if not profile.kernels:  # wall times only
        return Measured(profile, None)
    verdicts = judge_kernels(profile, Trace(source=str(file)))
    return Measured(profile, explain(profile, verdicts))
