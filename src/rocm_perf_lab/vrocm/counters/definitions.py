"""The counters of a device: what exists, where it is counted, and what a derived one needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.vrocm.counters.expressions import (
    Accumulate,
    Expression,
    ExpressionError,
    Number,
    Operation,
    Reduce,
    Reference,
    parse_expression,
)

TARGET = "gfx942"  # the one that the virtual device has
_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Block:
    """A hardware block: how many counters it counts at a time, and how often the chip has it."""

    name: str
    registers: int
    instances: int  # in each shader engine, or in each XCC
    per_shader_engine: bool


@dataclass(frozen=True)
class Counter:
    """One name that can be asked for."""

    name: str
    description: str
    block: Optional[Block] = None  # of a hardware counter
    expression: str = ""  # of a derived counter
    is_constant: bool = False  # a property of the agent

    @property
    def is_derived(self) -> bool:
        return bool(self.expression)


@dataclass(frozen=True, order=True)
class Event:
    """What a register of a block counts. An accumulated one needs the plain one beside it."""

    name: str
    accumulated: bool = False


class DefinitionError(ValueError):
    """A definition of counters makes no sense; says which."""


@dataclass(frozen=True)
class Catalogue:
    """All counters of one target, by name."""

    target: str
    counters: Mapping[str, Counter]

    def find(self, name: str) -> Optional[Counter]:
        return self.counters.get(name)

    def tree(self, name: str) -> Expression:
        """The expression of a derived counter."""
        return _parsed(self.counters[name].expression)

    def events(self, names: Iterable[str]) -> frozenset[Event]:
        """Everything that hardware has to count for these counters, duplicates shared."""
        return frozenset(event for name in names for event in self._events_of(name))

    def block_of_instances(self, name: str) -> Optional[Block]:
        """The block over whose instances the values of a counter are spread; None for one value."""
        counter = self.counters[name]
        return self._spread(self.tree(name)) if counter.is_derived else counter.block

    def _spread(self, tree: Expression) -> Optional[Block]:
        if isinstance(tree, (Reference, Accumulate)):
            return self.block_of_instances(tree.name)
        if isinstance(tree, Operation):
            return self._spread(tree.left) or self._spread(tree.right)
        if isinstance(tree, Number) or (isinstance(tree, Reduce) and not tree.dimensions):
            return None
        return self._spread(tree.of)

    def extended(self, counters: Iterable[Counter]) -> Catalogue:
        """With more counters, which must be new and refer to known ones."""
        merged = dict(self.counters)
        for counter in counters:
            if counter.name in merged:
                raise DefinitionError(f"counter {counter.name} is defined already")
            merged[counter.name] = counter
        catalogue = replace(self, counters=merged)
        catalogue.check()
        return catalogue

    def check(self) -> None:
        """Raises ``DefinitionError`` for names that are unknown or defined by themselves."""
        finished: set[str] = set()
        for name in self.counters:
            self._check(name, (), finished)

    def _check(self, name: str, path: tuple[str, ...], finished: set[str]) -> None:
        if name in finished:
            return
        if name in path:
            raise DefinitionError(f"counter {name} is defined by itself")
        counter = self.counters.get(name)
        if counter is None:
            raise DefinitionError(f"counter {path[-1]} refers to {name}, which is unknown")
        if counter.is_derived:
            try:
                tree = self.tree(name)
            except ExpressionError as error:
                raise DefinitionError(f"counter {name}: {error}") from error
            for part in _leaves(tree):
                self._check(part.name, (*path, name), finished)
                if isinstance(part, Accumulate):
                    self._check_accumulated(name, part)
        finished.add(name)

    def _check_accumulated(self, name: str, part: Accumulate) -> None:
        block = self.counters[part.name].block
        if part.resolution != "NONE" and (block is None or block.name != "SQ"):
            raise DefinitionError(
                f"counter {name}: only counters of the SQ block accumulate, not {part.name}"
            )

    def _events_of(self, name: str) -> Iterator[Event]:
        counter = self.counters[name]
        if counter.block is not None:
            yield Event(name)
        if counter.is_derived:
            for part in _leaves(self.tree(name)):
                if isinstance(part, Accumulate) and part.resolution != "NONE":
                    yield Event(part.name, accumulated=True)
                yield from self._events_of(part.name)


@cache
def load_catalogue(target: str = TARGET) -> Catalogue:
    """The counters that rocprofiler-sdk knows for this target."""
    data = json.loads((_DATA / f"counters-{target}.json").read_text(encoding="utf-8"))
    counters = [*_constants(data["constants"])]
    for name, block in data["blocks"].items():
        counters += _block_counters(name, block)
    counters += [
        Counter(name, entry["description"], expression=entry["expression"])
        for name, entry in data["derived"].items()
    ]
    constants = len(data["constants"])
    ordered = [*counters[:constants], *sorted(counters[constants:], key=lambda c: c.name)]
    return Catalogue(target, {counter.name: counter for counter in ordered})


def extra_counters(document: Any, target: str = TARGET) -> list[Counter]:
    """Definitions of a user (``-E``), in the layout of rocprofiler-sdk's counter_defs.yaml.

    Those of other targets are left out. Raises ``DefinitionError``.
    """
    root = document.get("rocprofiler-sdk") if isinstance(document, dict) else None
    entries = root.get("counters") if isinstance(root, dict) else None
    if not isinstance(entries, list):
        raise DefinitionError("there is no list rocprofiler-sdk: counters:")
    return [counter for entry in entries for counter in _extra_counter(entry, target)]


def _constants(names: Sequence[str]) -> Iterator[Counter]:
    for name in names:
        yield Counter(name, f"Constant value {name} from agent properties", is_constant=True)


def _block_counters(name: str, entry: Mapping[str, Any]) -> Iterator[Counter]:
    block = Block(name, entry["registers"], entry["instances"], entry["per_shader_engine"])
    without = entry.get("without_sum", ())
    for counter, description in entry["counters"].items():
        yield Counter(counter, description, block)
        if counter in entry["sums"] or (entry["sums"] == "all" and counter not in without):
            total = f"{description} Sum over all instances."
            yield Counter(f"{counter}_sum", total, expression=f"reduce({counter},sum)")


def _extra_counter(entry: Any, target: str) -> Iterator[Counter]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise DefinitionError("a counter has no name")
    name, definitions = entry["name"], entry.get("definitions")
    for definition in definitions if isinstance(definitions, list) else ():
        targets = definition.get("architectures") if isinstance(definition, dict) else None
        if isinstance(targets, list) and target in targets:
            expression = definition.get("expression")
            if expression is None:
                raise DefinitionError(
                    f"counter {name} has no expression: the virtual device cannot count new events"
                )
            yield Counter(name, str(entry.get("description") or ""), expression=str(expression))


@cache
def _parsed(expression: str) -> Expression:
    return parse_expression(expression)


def _leaves(tree: Expression) -> Iterator[Reference | Accumulate]:
    """The counters that an expression names."""
    if isinstance(tree, (Reference, Accumulate)):
        yield tree
    elif isinstance(tree, Operation):
        yield from _leaves(tree.left)
        yield from _leaves(tree.right)
    elif not isinstance(tree, Number):
        yield from _leaves(tree.of)
