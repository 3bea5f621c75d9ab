"""The log of the shim: which configurations there are, and what was launched with which key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.tune.space import Value


@dataclass(frozen=True)
class TritonConfig:
    """``row``: its parameters for the search, the same ones in every configuration."""

    row: Mapping[str, Value]
    kwargs: Mapping[str, Optional[Value]]
    options: Mapping[str, Optional[Value]]
    exact: bool  # nothing of it but plain values


@dataclass(frozen=True)
class Key:
    """What Triton tells launches apart by."""

    values: Mapping[str, Optional[Value]]
    dtypes: tuple[str, ...]
    allowed: tuple[int, ...]  # configurations that the program's own pruning leaves

    @property
    def text(self) -> str:
        return json.dumps([dict(self.values), self.dtypes], sort_keys=True)


@dataclass(frozen=True)
class Launch:
    key: str  # its text
    chosen: bool  # with the configuration that was asked for


@dataclass(frozen=True)
class Report:
    started: bool = False  # Python started the shim
    no_triton: bool = False
    autotuned: tuple[str, ...] = ()  # kernels of the program
    key_names: tuple[str, ...] = ()
    configs: tuple[TritonConfig, ...] = ()
    keys: tuple[Key, ...] = ()
    launches: tuple[Launch, ...] = ()


def read_report(path: Path) -> Report:
    """Of a run that wrote nothing: empty."""
    lines = list(_lines(path))
    keys = {line["name"]: _key(line) for line in lines if "allowed" in line}
    told = next((line for line in lines if "configs" in line), None)
    return Report(
        any("python" in line for line in lines),
        any("missing" in line for line in lines),
        tuple(dict.fromkeys(line["autotuned"] for line in lines if "autotuned" in line)),
        () if told is None else tuple(told["key_names"]),
        () if told is None else tuple(map(_config, told["configs"], told["rows"])),
        tuple(keys.values()),
        tuple(
            Launch(keys[line["launch"]].text, line["chosen"])
            for line in lines
            if line.get("launch") in keys
        ),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Without one that was torn when its process ended."""
    try:
        content = path.read_text(encoding="utf-8")
    except OSError:
        return
    for line in content.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def _key(line: Mapping[str, Any]) -> Key:
    return Key(dict(line["key"]), tuple(line["dtypes"]), tuple(line["allowed"]))


def _config(told: Mapping[str, Any], row: Mapping[str, Value]) -> TritonConfig:
    return TritonConfig(dict(row), told["kwargs"], told["options"], told["exact"])
