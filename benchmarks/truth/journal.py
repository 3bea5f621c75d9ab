"""What was run, one JSON object a line. Appended as rows end, so that a run can be interrupted."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.truth.programs import Outcome


class Journal:
    """Keyed by the arguments of a row. A last line that was cut off is as if it were not there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: dict[str, Outcome] = {}
        if not path.exists():
            return
        text = path.read_text()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            path.write_text(whole)
        for line in whole.splitlines():
            entry = json.loads(line)
            self.known[entry["row"]] = Outcome(entry["time"], entry.get("reason", ""))

    def add(self, key: str, outcome: Outcome) -> None:
        self.known[key] = outcome
        self._path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"row": key, "time": outcome.time, "reason": outcome.reason}
        with self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
