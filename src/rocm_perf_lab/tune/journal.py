"""The journal: every measurement, one JSON object a line, on the disk before the next one starts.

The first line says what is tuned. A line that was torn by a sudden end is left out when reading; a
configuration that stands there twice (two workers, a resumed run) counts once, the first time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.evidence.durable import append_durable
from rocm_perf_lab.tune.measurement import CodeFacts, Configuration, Measurement
from rocm_perf_lab.tune.space import Space

SCHEMA_VERSION = "1.0"
_NO_JOURNAL = "a journal is what rocm-perf autotune --journal FILE wrote"


def key_of(configuration: Configuration) -> str:
    return json.dumps(dict(configuration), sort_keys=True)


_DEFAULT = "default"


def header_of(space: Space, objective: str, command: Mapping[str, Any]) -> dict[str, Any]:
    """What two runs must have in common to share measurements; and the default, for reports."""
    row = space.default
    return {
        "journal": SCHEMA_VERSION,
        "parameters": {p.name: list(p.values) for p in space.parameters},
        "conditions": [condition.text for condition in space.conditions],
        "objective": objective,
        "command": dict(command),
        _DEFAULT: None if row is None else space.configuration(row),
    }


@dataclass
class Journal:
    """Measurements by configuration. Without a path nothing is written."""

    header: dict[str, Any]
    path: Optional[Path] = None
    known: dict[str, Measurement] = field(default_factory=dict)
    torn: int = 0

    @staticmethod
    def open(path: Path, header: dict[str, Any], *, resume: bool) -> Journal:
        """A journal that is there is only continued when asked, and only of the same tuning."""
        if not path.exists():
            append_durable(path, _line(header))
            return Journal(header, path)
        if not resume:
            raise UsageError(f"the journal {path} is there already", "--resume goes on with it")
        found = read_journal(path)
        asked = [word for word in header if word != _DEFAULT]
        odd = [word for word in asked if found.header.get(word) != header[word]]
        if odd:
            raise UsageError(
                f"the journal {path} is of another tuning: its {odd[0]} differs",
                "give this one a journal of its own",
            )
        return Journal(header, path, found.known, found.torn)

    def add(self, measurement: Measurement) -> bool:
        """Whether it was new."""
        key = key_of(measurement.configuration)
        if key in self.known:
            return False
        if self.path is not None:
            append_durable(self.path, _line(_content(measurement)))
        self.known[key] = measurement
        return True


def read_journal(path: Path) -> Journal:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", _NO_JOURNAL) from None
    header = _object(lines[0])
    if header is None or header.get("journal") != SCHEMA_VERSION:
        raise UsageError(f"{path} is not a journal of version {SCHEMA_VERSION}", _NO_JOURNAL)
    journal = Journal(header)
    for line in filter(None, lines[1:]):
        content = _object(line)
        measurement = None if content is None else _measurement(content)
        if measurement is None:
            journal.torn += 1
        else:
            journal.known.setdefault(key_of(measurement.configuration), measurement)
    return journal


def _content(measurement: Measurement) -> dict[str, Any]:
    return {
        "configuration": dict(measurement.configuration),
        "status": measurement.status,
        "value": measurement.value,
        "times": list(measurement.times),
        "reason": measurement.reason,
        "unstable": measurement.unstable,
        "second": measurement.second,
        "machine": measurement.machine,
        "code": None if measurement.code is None else asdict(measurement.code),
        "parts": dict(measurement.parts),
    }


def _measurement(content: Mapping[str, Any]) -> Optional[Measurement]:
    try:
        return Measurement(
            dict(content["configuration"]),
            content["status"],
            None if content["value"] is None else float(content["value"]),
            tuple(map(float, content["times"])),
            str(content["reason"]),
            bool(content["unstable"]),
            None if content.get("second") is None else float(content["second"]),
            str(content.get("machine", "")),
            None if content.get("code") is None else CodeFacts(**content["code"]),
            {str(key): float(ms) for key, ms in content.get("parts", {}).items()},
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, allow_nan=False).encode()


def _object(line: bytes) -> Optional[dict[str, Any]]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
