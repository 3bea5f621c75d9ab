"""Why a field of a document is absent, and what would provide it."""

from __future__ import annotations

from typing import Optional

from pydantic import BaseModel, ConfigDict, Field


class UnavailableModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    field: str
    reason: str
    next: Optional[str] = Field(description="the command or change that would provide it")
