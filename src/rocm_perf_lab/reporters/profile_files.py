"""A profile as files: the document, and each part that other programs read on its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.reporters.json_document import to_json, write_document

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.path.run_path import RunPath


def write_profile(folder: Path, profile: ProfileDocument, path: Optional[RunPath]) -> None:
    """The graph behind the critical path is too large for the profile and becomes dag.json."""
    if path is not None:
        from rocm_perf_lab.analysis.documents.dag import dag_document

        document = dag_document(path, profile.tool_version)
        write_document(folder / "dag.json", to_json(document))
    write_document(folder / "profile.json", to_json(profile))
    if profile.rooflines is not None:
        write_document(folder / "roofline.json", to_json(profile.rooflines))
    if profile.analysis is not None:
        write_document(folder / "analysis.json", to_json(profile.analysis))
