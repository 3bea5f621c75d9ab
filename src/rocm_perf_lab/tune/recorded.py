"""Recorded search spaces: T4 results, Kernel Tuner's cache files, our own journals; also gzipped.

Every recorded configuration is part of the space; what is not recorded is not.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.journal import key_of, read_journal
from rocm_perf_lab.tune.measurement import Configuration, Measurement
from rocm_perf_lab.tune.space import Space
from rocm_perf_lab.tune.space.space_file import explicit_space

_KNOWN = "T4 results, a Kernel Tuner cache file, or a journal of rocm-perf autotune"


@dataclass(frozen=True)
class Recorded:
    """A space with all of its answers: an evaluator that runs nothing."""

    space: Space
    answers: Mapping[str, Measurement]

    def measure(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        del best
        return self.answers[key_of(configuration)]


def read_recorded(path: Path) -> Recorded:
    data = _read(path)
    answers: dict[str, Measurement] = {}
    for measurement in _measurements(path, data):
        answers.setdefault(key_of(measurement.configuration), measurement)
    if not answers:
        raise UsageError(f"{path} holds no measured configuration", f"give {_KNOWN}")
    space = explicit_space([dict(answer.configuration) for answer in answers.values()])
    return Recorded(space, answers)


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror or error}", f"give {_KNOWN}"
        ) from None
    except (EOFError, zlib.error):
        raise UsageError(
            f"{path} is damaged: its compression ends early", "copy it again"
        ) from None


def _measurements(path: Path, data: bytes) -> Iterator[Measurement]:
    first = data.split(b"\n", 1)[0]
    if b'"journal"' in first:
        yield from read_journal(path).known.values()
        return
    content = _json(path, data)
    try:
        if isinstance(content.get("results"), list):
            yield from map(_t4, content["results"])
        elif isinstance(content.get("cache"), dict):
            keys = content["tune_params_keys"]
            yield from (_cached(entry, keys) for entry in content["cache"].values())
        else:
            raise UsageError(f"{path} is not a recorded space", f"give {_KNOWN}")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"an entry of {path} is not understood: {error!r}", f"give {_KNOWN}"
        ) from None


def _json(path: Path, data: bytes) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        try:  # a cache file of a run that was stopped lacks its end
            content = json.loads(data.rstrip().rstrip(b",") + b"}}")
        except (ValueError, RecursionError):
            raise UsageError(f"{path} is not JSON", f"give {_KNOWN}") from None
    if not isinstance(content, dict):
        raise UsageError(f"{path} is not a recorded space", f"give {_KNOWN}")
    return content


def _t4(entry: Mapping[str, Any]) -> Measurement:
    configuration = dict(entry["configuration"])
    if entry["invalidity"] != "correct":
        reason = str(entry["invalidity"])
        return Measurement(
            configuration, "build-failed" if reason == "compile" else "failed", reason=reason
        )
    times = tuple(map(float, entry.get("times", {}).get("runtimes", ())))
    objective = (entry.get("objectives") or ["time"])[0]
    named = {m["name"]: m["value"] for m in entry.get("measurements", ())}
    return _answer(configuration, named.get(objective), times)


def _cached(entry: Mapping[str, Any], keys: list[str]) -> Measurement:
    """A failed configuration has a word instead of a time."""
    configuration = {key: entry[key] for key in keys}
    return _answer(configuration, entry["time"], tuple(map(float, entry.get("times", ()))))


def _answer(configuration: dict[str, Any], value: object, times: tuple[float, ...]) -> Measurement:
    if value is None and times:
        value = sum(times) / len(times)
    is_number = isinstance(value, (int, float)) and math.isfinite(value) and value > 0
    if not is_number:
        status = "build-failed" if "ompil" in str(value) else "failed"
        return Measurement(configuration, status, reason=str(value))  # type: ignore[arg-type]
    return Measurement(configuration, "ok", float(value), times)  # type: ignore[arg-type]
