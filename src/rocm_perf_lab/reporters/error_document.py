"""An error as the one JSON document that ``--json`` promises, version 1.0."""

from __future__ import annotations

from typing import Final, Literal, Optional

from rocm_perf_lab.strict_json import Strict

SCHEMA_VERSION: Final = "1.0"


class ErrorModel(Strict):
    kind: str  # the name of the class in errors.py; InternalError for an error of rocm-perf itself
    cause: str
    next_step: Optional[str]
    exit_code: int


class ErrorDocument(Strict):
    schema_version: Literal["1.0"] = SCHEMA_VERSION
    error: ErrorModel
