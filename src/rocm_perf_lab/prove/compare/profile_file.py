"""A profile that was kept as JSON, read again."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.strict_json import NotStrict, read_strict


def read_profile_file(path: Path) -> ProfileDocument:
    try:
        return read_strict(ProfileDocument, path.read_bytes())
    except OSError as error:
        raise RecordingError(
            f"cannot read {path}: {error.strerror}", "make it with rocm-perf profile --json"
        ) from None
    except NotStrict as error:
        raise RecordingError(
            f"{path} is not a profile that this version reads: {error}",
            "make it with rocm-perf profile --json",
        ) from None
