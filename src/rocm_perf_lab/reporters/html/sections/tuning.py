"""A tuning in words: the best configuration, and the best that each value of a parameter saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.report.contents import Tuning


@dataclass(frozen=True)
class ParameterView:
    name: str
    values: tuple[tuple[str, str], ...]  # value of the parameter, best with it


@dataclass(frozen=True)
class TuningView:
    anchor: str
    name: str
    is_virtual: bool
    text: str
    best: tuple[tuple[str, str], ...]
    chart: Optional[str]  # None: one measurement, which the text tells
    parameters: tuple[ParameterView, ...]
    machines: tuple[str, ...]


def tuning_view(tuning: Tuning, anchor: str, chart: Optional[str]) -> TuningView:
    best = tuning.best
    failed = sum(one.value is None for one in tuning.measurements)
    count = len(tuning.measurements)
    text = f"{count} configuration{' was' if count == 1 else 's were'} measured"
    text += f", {failed} did not work." if failed else "."
    if best is not None:
        text += f" The best {tuning.objective} is {_value(tuning, best.value)}"
        text += f"{_against_default(tuning)}, as measured in the search."
    chosen = best.configuration if best is not None else {}
    return TuningView(
        anchor,
        tuning.name,
        tuning.is_virtual,
        text,
        tuple(_chosen(tuning, name, value) for name, value in chosen.items()),
        chart,
        tuple(
            _parameter(tuning, name)
            for name, values in tuning.parameters.items()
            if len(values) > 1
        ),
        tuning.machines or ("measured on: not recorded",),
    )


def _value(tuning: Tuning, value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.6g} {tuning.unit}".rstrip()


def _against_default(tuning: Tuning) -> str:
    if tuning.speedup is None or tuning.default is None:
        return ""
    if tuning.default == tuning.best:
        return ", that of the default configuration"
    default = _value(tuning, tuning.default.value)
    return f", {tuning.speedup:.3g}x faster than the default configuration ({default})"


def _chosen(tuning: Tuning, name: str, value: object) -> tuple[str, str]:
    default = None if tuning.default is None else tuning.default.configuration.get(name)
    text = str(value)
    return name, text if default is None or default == value else f"{text} (default {default})"


def _parameter(tuning: Tuning, name: str) -> ParameterView:
    rows = []
    for value in tuning.parameters[name]:
        seen = [
            one.value
            for one in tuning.measurements
            if one.value is not None and one.configuration.get(name) == value
        ]
        rows.append((str(value), _value(tuning, min(seen)) if seen else "not measured"))
    return ParameterView(name, tuple(rows))
