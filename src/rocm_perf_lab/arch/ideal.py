"""Mechanisms of the virtual device that can be made free with ``VROCM_IDEAL``: one table for the
device, for what the program says about them, and for the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from rocm_perf_lab.arch.data_file import read_data_file
from rocm_perf_lab.arch.target import DATA_DIRECTORY

MECHANISMS_FILE = DATA_DIRECTORY / "ideal" / "mechanisms.json"
VARIABLE = "VROCM_IDEAL"


@dataclass(frozen=True)
class Mechanism:
    name: str  # as VROCM_IDEAL has it
    meaning: str  # what costs nothing
    limits: str  # what stays, and what is only estimated; may be empty
    without: str  # for "100 us, 55 without LDS conflicts"
    lifts: tuple[str, ...]  # lower bounds of a time that do not hold then, as the device names them
    parts: tuple[str, ...]  # narrower ones, which may be most of what it costs
    may_slow: bool  # free, it may make a kernel slower: waves evict each other's lines


@dataclass(frozen=True)
class Place:
    """Instructions that can be made free by where they are, whatever they do."""

    variable: str
    form: str
    meaning: str
    limits: str
    lifts: tuple[str, ...]


@cache
def load_place() -> Place:
    raw = read_data_file(MECHANISMS_FILE)["place"]
    return Place(**{**raw, "lifts": tuple(raw["lifts"])})


@cache
def load_mechanisms() -> Mapping[str, Mechanism]:
    """In the order of the table."""
    raw = read_data_file(MECHANISMS_FILE)["mechanisms"]
    return {
        name: Mechanism(
            name,
            entry["meaning"],
            entry["limits"],
            entry["without"],
            tuple(entry["lifts"]),
            tuple(entry.get("parts", ())),
            entry.get("may_slow", False),
        )
        for name, entry in raw.items()
    }
