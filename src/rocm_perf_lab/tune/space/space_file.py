"""Reading a space: a list of configurations, lists of values, ranges, or a T1 definition.

[{"BM": 32, "BN": 64}, {"BM": 64, "BN": 64}]                 every configuration by itself
{"BM": [32, 64], "BN": {"from": 16, "to": 128, "step": 16}}  all combinations
{"parameters": {...}, "conditions": ["BM * BN <= 4096"], "default": {"BM": 32}}
{"ConfigurationSpace": {"TuningParameters": [...], "Conditions": [...]}}   Kernel Tuner's T1
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

import numpy as np

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.space.condition import read_condition
from rocm_perf_lab.tune.space.parameter import Parameter, Value
from rocm_perf_lab.tune.space.space import Space

_MOST_VALUES = 100_000  # of one range
_SHAPES = "a list of configurations, or an object of lists: see rocm-perf autotune --help"


def read_space(path: Path) -> Space:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the space {path}: {error.strerror}", _SHAPES) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}", _SHAPES) from None
    return space_of(content)


def space_of(content: object) -> Space:
    if isinstance(content, list):
        return explicit_space(content)
    if not isinstance(content, dict) or not content:
        raise UsageError("the space is neither a list nor an object", _SHAPES)
    if "ConfigurationSpace" in content:
        return _t1_space(content["ConfigurationSpace"])
    if "parameters" in content:
        unknown = sorted(set(content) - {"parameters", "conditions", "default"})
        if unknown:
            raise UsageError(f"the space has no place for '{unknown[0]}'", _SHAPES)
        return _product(
            content["parameters"], content.get("conditions", ()), content.get("default", {})
        )
    return _product(content, (), {})


def explicit_space(rows: list[Any]) -> Space:
    """A list of configurations. All have the same parameters; equal ones count once."""
    if not rows:
        raise UsageError("the list of configurations is empty", _SHAPES)
    for place, row in enumerate(rows):
        if not isinstance(row, dict) or not all(_is_value(value) for value in row.values()):
            raise UsageError(f"entry {place} of the space is not a configuration", _SHAPES)
        if set(row) != set(rows[0]):
            odd = sorted(set(row) ^ set(rows[0]))
            raise UsageError(
                f"entry {place} of the space has other parameters than the first: {odd[0]}",
                "give every configuration the same ones",
            )
    parameters = tuple(_seen(name, rows) for name in rows[0])
    codes = [[p.code_of(row[p.name]) for p in parameters] for row in rows]
    _, first = np.unique(np.array(codes, np.int32), axis=0, return_index=True)
    return Space(parameters, rows=np.array(codes, np.int32)[np.sort(first)])


def _seen(name: str, rows: list[dict[str, Value]]) -> Parameter:
    """Numbers in their order, so that near codes are near values; the first row is the default."""
    values = list({(type(row[name]), row[name]): row[name] for row in rows}.values())
    if all(isinstance(value, (int, float)) for value in values):
        values.sort()
    return Parameter(name, tuple(values), rows[0][name])


def _product(parameters: object, conditions: object, default: object) -> Space:
    if not isinstance(parameters, dict) or not isinstance(default, dict):
        raise UsageError("the parameters of the space are no object", _SHAPES)
    if not isinstance(conditions, (list, tuple)):
        raise UsageError("the conditions of the space are no list", 'such as ["BM * BN <= 4096"]')
    unknown = sorted(set(default) - set(parameters))
    if unknown:
        raise UsageError(f"the default names {unknown[0]}, which is not a parameter")
    found = tuple(
        Parameter(name, _values(name, words), default.get(name))
        for name, words in parameters.items()
    )
    return _conditioned(found, [str(condition) for condition in conditions])


def _values(name: str, words: object) -> tuple[Value, ...]:
    if isinstance(words, dict):
        return _range(name, words)
    if not isinstance(words, list):
        words = [words]
    if not all(_is_value(word) for word in words):
        raise UsageError(f"parameter {name} has values that are not numbers or words", _SHAPES)
    return tuple(words)


def _range(name: str, words: Mapping[str, Any]) -> tuple[Value, ...]:
    """``{"from": 16, "to": 128, "step": 16}``, or ``"times": 2`` instead of a step; both ends."""
    numbers = all(isinstance(w, (int, float)) and not isinstance(w, bool) for w in words.values())
    if (
        not numbers
        or not {"from", "to"} <= set(words)
        or set(words) - {"from", "to", "step", "times"}
    ):
        raise UsageError(
            f"the range of {name} is not understood",
            'such as {"from": 16, "to": 128, "step": 16} or {"from": 1, "to": 8, "times": 2}',
        )
    low, high, times = words["from"], words["to"], words.get("times")
    step = words.get("step", 1)
    grows = times > 1 and low > 0 if times is not None else step > 0
    if not grows or high < low:
        raise UsageError(f"the range of {name} has no values", "let it grow from 'from' to 'to'")
    found = [low]
    while len(found) <= _MOST_VALUES:
        following = found[-1] * times if times is not None else low + step * len(found)
        if following > high + 1e-9 * abs(high):
            return tuple(found)
        found.append(following)
    raise UsageError(f"the range of {name} has more than {_MOST_VALUES} values", "widen its step")


def _t1_space(content: object) -> Space:
    """Values are Python literals in strings; conditions are Python expressions."""
    try:
        assert isinstance(content, dict)
        parameters = tuple(
            Parameter(entry["Name"], tuple(_literal(entry["Values"])), _t1_default(entry))
            for entry in content["TuningParameters"]
        )
        conditions = [entry["Expression"] for entry in content.get("Conditions", ())]
    except (AssertionError, KeyError, TypeError, ValueError, SyntaxError) as error:
        raise UsageError(f"the T1 definition is not understood: {error!r}", _SHAPES) from None
    return _conditioned(parameters, conditions)


def _literal(words: object) -> list[Value]:
    values = ast.literal_eval(words) if isinstance(words, str) else words
    if not isinstance(values, (list, tuple)) or not all(_is_value(value) for value in values):
        raise ValueError(f"values {words!r}")
    return list(values)


def _t1_default(entry: Mapping[str, Any]) -> Optional[Value]:
    """A default that is none of the values is left out: files in the wild have them."""
    default = entry.get("Default")
    return default if _is_value(default) and default in _literal(entry["Values"]) else None


def _conditioned(parameters: tuple[Parameter, ...], conditions: list[str]) -> Space:
    known = frozenset(parameter.name for parameter in parameters)
    return Space(parameters, tuple(read_condition(text, known) for text in conditions))


def _is_value(value: object) -> bool:
    return isinstance(value, (bool, int, float, str))
