"""Why something is not proven. It is an answer, not an error."""

from __future__ import annotations

from typing import Optional


class NotProven(Exception):
    """What could not be shown, in words for the user, and the line of the source that it is at.
    Where several ways of pairing loops fail, the reason with the highest ``rank`` came furthest."""

    def __init__(self, why: str, line: Optional[int] = None, rank: int = 0) -> None:
        super().__init__(why)
        self.rank = rank
        self.why = why
        self.line = line

    def told(self) -> str:
        return f"line {self.line}: {self.why}" if self.line else self.why
