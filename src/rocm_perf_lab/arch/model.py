"""The constants of the timing model of the virtual device, read from ``data/model/<target>.json``.

A constant is a number of its own, or points to a fact of the target or of the board so that no
hardware number is written down twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Optional, Union

from rocm_perf_lab.arch.data_file import read_data_file
from rocm_perf_lab.arch.fact import Fact, parse_fact
from rocm_perf_lab.arch.target import DATA_DIRECTORY, Target, load_target

MODEL_DIRECTORY = DATA_DIRECTORY / "model"


@dataclass(frozen=True)
class ModelConstant:
    """A whole value is counted in steps, a ``float`` is not; the generated C++ type follows it."""

    name: str  # snake_case; kCamelCase in C++
    value: Union[int, float]
    unit: str
    source: tuple[str, ...]  # keys of TimingModel.sources
    confidence: str
    note: Optional[str]
    wide: bool  # needs 64 bits where it is multiplied


@dataclass(frozen=True)
class TimingModel:
    target: str
    product: str
    sources: Mapping[str, str]
    sections: Mapping[str, tuple[ModelConstant, ...]]  # heading -> constants, in file order

    def value(self, name: str) -> float:
        for constants in self.sections.values():
            for constant in constants:
                if constant.name == name:
                    return constant.value
        raise KeyError(f"the model of {self.target} has no constant {name}")


@cache
def modelled_targets() -> frozenset[str]:
    return frozenset(path.stem for path in MODEL_DIRECTORY.glob("*.json"))


@cache
def load_timing_model(target_name: str = "gfx942") -> TimingModel:
    raw = read_data_file(MODEL_DIRECTORY / f"{target_name}.json")
    target = load_target(target_name)
    (product,) = (p for p in target.products if p.name == raw["product"])
    facts = {**target.facts, **product.facts}
    return TimingModel(
        target=target_name,
        product=product.name,
        sources=_all_sources(target, raw["sources"]),
        sections={
            heading: tuple(_constant(name, entry, facts) for name, entry in constants.items())
            for heading, constants in raw["sections"].items()
        },
    )


def _all_sources(target: Target, own: Mapping[str, str]) -> dict[str, str]:
    twice = set(own) & set(target.sources)
    if twice:
        raise ValueError(f"the sources {sorted(twice)} are defined twice for {target.name}")
    return {**target.sources, **own}


def _constant(name: str, raw: Mapping[str, Any], facts: Mapping[str, Fact]) -> ModelConstant:
    fact = facts[raw["fact"]] if "fact" in raw else parse_fact(raw)
    value = _divided(fact, raw.get("per"), facts)
    return ModelConstant(
        name=name,
        value=value,
        unit=raw.get("unit", fact.unit),
        source=fact.source,
        confidence=fact.confidence,
        note=raw.get("note", fact.note),
        wide=raw.get("type") == "int64_t",
    )


def _divided(
    fact: Fact, per: Union[str, float, None], facts: Mapping[str, Fact]
) -> Union[int, float]:
    value = _plain(fact)
    if per is None:
        return value
    if isinstance(per, float):
        return value / per
    whole, rest = divmod(value, _plain(facts[per]))
    if rest:
        raise ValueError(f"{value} {fact.unit} are not a multiple of {per}")
    return whole


def _plain(fact: Fact) -> Union[int, float]:
    if isinstance(fact.value, (int, float)):
        return fact.value
    raise TypeError(f"{fact.value!r} is not a number")
