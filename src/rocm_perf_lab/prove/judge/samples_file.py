"""Samples as a file, version 1.0, so that anybody can judge again:

{"schema_version": "1.0", "unit": "ns",
 "blocks": [{"A": [..], "A2": [..], "B": [..]}, ...],
 "confirmation": [...]}                               (blocks too; may be left out)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Optional

from rocm_perf_lab.errors import SamplesError
from rocm_perf_lab.prove.judge.samples import Block, Samples

SCHEMA_VERSION = "1.0"
_KNOWN = {"schema_version", "unit", "blocks", "confirmation"}
_PROCESSES = ("A", "A2", "B")
_FORMAT = 'the format is {"schema_version": "1.0", "unit": "ns", "blocks": [{"A": [..], ...}]}'


@dataclass(frozen=True)
class SamplesFile:
    samples: Samples
    confirmation: Optional[Samples]
    not_used: tuple[str, ...]  # keys that the format does not have


def read_samples(path: Path) -> SamplesFile:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise SamplesError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SamplesError(f"{path} is not text: {error.reason}", _FORMAT) from error
    try:
        return parse_samples(text)
    except SamplesError as error:
        raise SamplesError(f"{path}: {error.cause}", error.next_step) from error


def parse_samples(text: str) -> SamplesFile:
    found = _json(text)
    if not isinstance(found, dict):
        raise SamplesError("the file holds no JSON object", _FORMAT)
    version = found.get("schema_version")
    if version != SCHEMA_VERSION:
        raise SamplesError(f"schema_version is {version!r}, not {SCHEMA_VERSION!r}", _FORMAT)
    unit = found.get("unit")
    if not isinstance(unit, str):
        raise SamplesError(f"the unit is {unit!r}", 'say it: "unit": "ns"')
    unused: set[str] = set(found) - _KNOWN
    samples = Samples(unit, _blocks(found, "blocks", unit, unused)).check()
    confirmation = None
    if "confirmation" in found:
        confirmation = Samples(unit, _blocks(found, "confirmation", unit, unused)).check()
    return SamplesFile(samples, confirmation, tuple(sorted(unused)))


def samples_text(samples: Samples, confirmation: Optional[Samples] = None) -> str:
    """One block a line; the same samples give the same bytes, and those the same samples."""
    parts = [f'"schema_version": "{SCHEMA_VERSION}"', f'"unit": "{samples.unit}"']
    parts.append('"blocks": ' + _block_lines(samples.blocks))
    if confirmation is not None:
        parts.append('"confirmation": ' + _block_lines(confirmation.blocks))
    return "{" + ",\n ".join(parts) + "}\n"


def _block_lines(blocks: Sequence[Block]) -> str:
    lines = [json.dumps(dict(zip(_PROCESSES, block.processes()))) for block in blocks]
    return "[\n  " + ",\n  ".join(lines) + "\n ]"


def _json(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise SamplesError(f"{constant} is no time", "measure again; no time may be made up")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise SamplesError(f"{name!r} stands twice in one object", _FORMAT)
        return dict(pairs)

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise SamplesError(f"no valid JSON: {error}", _FORMAT) from error


def _blocks(found: dict[str, Any], key: str, unit: str, unused: set[str]) -> tuple[Block, ...]:
    listed = found.get(key)
    if not isinstance(listed, list):
        raise SamplesError(f"{key!r} is not a list of blocks", _FORMAT)
    blocks = []
    for index, block in enumerate(listed):
        where = f"block {index}" if key == "blocks" else f"block {index} of the {key}"
        if not isinstance(block, dict):
            raise SamplesError(f"{where} is not an object", _FORMAT)
        if block.get("unit", unit) != unit:
            raise SamplesError(
                f"{where} is in {block['unit']!r}, the samples are in {unit!r}",
                "units are never mixed: convert the file",
            )
        unused |= set(block) - {*_PROCESSES, "unit"}
        blocks.append(Block(*(_times(block, name, where) for name in _PROCESSES)))
    return tuple(blocks)


def _times(block: dict[str, Any], name: str, where: str) -> tuple[float, ...]:
    if name not in block:
        raise SamplesError(
            f"{where} has no {name}", "a block is A, A2 (the baseline again) and B, in random order"
        )
    times = block[name]
    if not isinstance(times, list):
        raise SamplesError(f"{where}: {name} is not a list of times", _FORMAT)
    for place, time in enumerate(times):
        if isinstance(time, bool) or not isinstance(time, (int, float)):
            raise SamplesError(f"{where}: {name}[{place}] is {time!r:.60}, no number", _FORMAT)
    try:
        return tuple(float(time) for time in times)
    except OverflowError as error:
        raise SamplesError(f"{where}: {name} holds a number that is no time", _FORMAT) from error
