"""A profile that was kept as JSON, read again."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.errors import RecordingError


def read_profile_file(path: Path) -> ProfileDocument:
    try:
        return ProfileDocument.model_validate_json(path.read_bytes())
    except OSError as error:
        raise RecordingError(
            f"cannot read {path}: {error.strerror}", "make it with rocm-perf profile --json"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise RecordingError(
            f"{path} is not a profile that this version reads: {where}: {first['msg']}",
            "make it with rocm-perf profile --json",
        ) from None
