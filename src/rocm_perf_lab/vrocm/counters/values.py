"""Values of counters, from what the virtual runtime delivers for a dispatch.

The runtime delivers the sum over all instances of a hardware counter under its name,
``accumulate(X)`` for a counter added up every cycle, and ``max(X)`` or ``min(X)`` where it knows
the instances. An expression is computed from sums where that gives what the instances would give;
where it does not, there is no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.vrocm.counters.definitions import Block, Catalogue
from rocm_perf_lab.vrocm.counters.expressions import (
    Accumulate,
    Expression,
    Number,
    Operation,
    Reduce,
    Reference,
    Select,
)


@dataclass(frozen=True)
class Device:
    """The properties of an agent that expressions and numbers of instances depend on."""

    properties: Mapping[str, object]

    def number(self, name: str) -> Optional[float]:
        value = self.properties.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return float(value) if is_number else None  # type: ignore[arg-type]

    def dimensions(self, block: Block) -> Optional[dict[str, int]]:
        """How many instances of a block there are; None when the agent does not tell."""
        xccs, arrays, per_engine = (
            self.number(name) for name in ("num_xcc", "array_count", "simd_arrays_per_engine")
        )
        if not xccs or not arrays or not per_engine:
            return None
        found = {"DIMENSION_INSTANCE": block.instances}
        if block.per_shader_engine:
            found["DIMENSION_SHADER_ENGINE"] = int(arrays / per_engine / xccs)
        if xccs > 1:
            found["DIMENSION_XCC"] = int(xccs)
        return found


class NotDelivered(Exception):
    """A value needs something that the virtual device does not count; says what."""


@dataclass(frozen=True)
class _Value:
    number: float  # of several instances: their sum
    spread: bool  # whether it stands for several instances


@dataclass(frozen=True)
class Evaluator:
    """Counters of one dispatch."""

    catalogue: Catalogue
    device: Device
    delivered: Mapping[str, object]

    def value(self, name: str) -> float:
        """The value that rocprofv3 shows. Raises ``NotDelivered``."""
        return self._reference(name).number

    def _evaluate(self, tree: Expression) -> _Value:
        if isinstance(tree, Number):
            return _Value(float(tree.value), False)
        if isinstance(tree, Reference):
            return self._reference(tree.name)
        if isinstance(tree, Accumulate):
            return self._accumulate(tree)
        if isinstance(tree, Reduce):
            return self._reduce(tree)
        if isinstance(tree, Select):
            raise NotDelivered("values of single instances")
        return self._operation(tree)

    def _reference(self, name: str) -> _Value:
        counter = self.catalogue.counters[name]
        if counter.is_derived:
            return self._evaluate(self.catalogue.tree(name))
        if counter.is_constant:
            number = self.device.number(name)
            if number is None:
                raise NotDelivered(name)
            return _Value(number, False)
        return _Value(self._key(name), True)

    def _key(self, key: str) -> float:
        value = self.delivered.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise NotDelivered(key)
        return float(value)

    def _accumulate(self, tree: Accumulate) -> _Value:
        if tree.resolution == "NONE":
            return self._reference(tree.name)
        return _Value(self._key(f"accumulate({tree.name})") / _cycles_per_addition(tree), True)

    def _reduce(self, tree: Reduce) -> _Value:
        if tree.operation == "sum":
            return _Value(self._evaluate(tree.of).number, bool(tree.dimensions))
        of = tree.of
        if not isinstance(of, (Reference, Accumulate)) or self._is_scalar(of):
            value = self._evaluate(of)
            if value.spread:
                raise NotDelivered(f"the {tree.operation} of an expression over instances")
            return value
        if tree.dimensions:
            raise NotDelivered(f"the {tree.operation} of {of.name} over some dimensions")
        if tree.operation == "avr":
            return self._average(of)
        return self._extreme(tree.operation, of)

    def _extreme(self, operation: str, of: Reference | Accumulate) -> _Value:
        if isinstance(of, Accumulate) and of.resolution != "NONE":
            key = f"{operation}(accumulate({of.name}))"
            return _Value(self._key(key) / _cycles_per_addition(of), False)
        return _Value(self._key(f"{operation}({of.name})"), False)

    def _is_scalar(self, of: Reference | Accumulate) -> bool:
        return self.catalogue.counters[of.name].block is None

    def _average(self, of: Reference | Accumulate) -> _Value:
        block = self.catalogue.counters[of.name].block
        dimensions = self.device.dimensions(block) if block else None
        if dimensions is None:
            raise NotDelivered(f"the number of instances of {of.name}")
        instances = 1
        for size in dimensions.values():
            instances *= size
        return _Value(self._evaluate(of).number / instances, False)

    def _operation(self, tree: Operation) -> _Value:
        left, right = self._evaluate(tree.left), self._evaluate(tree.right)
        if not _works_on_sums(tree.operator, left, right):
            raise NotDelivered(f"{tree.operator} between values of single instances")
        spread = left.spread or right.spread
        if tree.operator == "+":
            return _Value(left.number + right.number, spread)
        if tree.operator == "-":
            return _Value(left.number - right.number, spread)
        if tree.operator == "*":
            return _Value(left.number * right.number, spread)
        # As in rocprofiler-sdk: a ratio to nothing is 0.
        return _Value(left.number / right.number if right.number else 0.0, spread)


def _works_on_sums(operator: str, left: _Value, right: _Value) -> bool:
    """Whether the sum over instances of the result follows from the sums of the operands."""
    if not left.spread and not right.spread:
        return True
    if operator in "+-":
        return left.spread and right.spread
    if operator == "*":
        return not (left.spread and right.spread)
    return not right.spread


def _cycles_per_addition(tree: Accumulate) -> int:
    """SQ_ACCUM_PREV adds every fourth cycle, SQ_ACCUM_PREV_HIRES every cycle."""
    return 4 if tree.resolution == "LOW_RES" else 1
