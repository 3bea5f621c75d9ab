"""An error as the one JSON document that ``--json`` promises, version 1.0."""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION: Final = "1.0"


class ErrorModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str  # the name of the class in errors.py; InternalError for a defect of ours
    cause: str
    next_step: Optional[str]
    exit_code: int


class ErrorDocument(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal["1.0"] = SCHEMA_VERSION
    error: ErrorModel
