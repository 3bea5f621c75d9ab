"""Collects why a field of a document is absent: one reason per field and cause."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel


class Reasons:
    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], UnavailableModel] = {}

    def add(self, field: str, reason: str, next_step: Optional[str]) -> None:
        if (field, reason) not in self._entries:  # asked once for each of maybe 100,000 kernels
            self._entries[field, reason] = UnavailableModel(
                field=field, reason=reason, next=next_step
            )

    def listed(self) -> list[UnavailableModel]:
        return list(self._entries.values())
