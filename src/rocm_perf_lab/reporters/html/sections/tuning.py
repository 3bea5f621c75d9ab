"""A tuning in words: the best configuration, and the best that each value of a parameter saw."""

from __future__ import annotations

from dataclasses import dataclass

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
    chart: str
    parameters: tuple[ParameterView, ...]
    machines: tuple[str, ...]


def tuning_view(tuning: Tuning, anchor: str, chart: str) -> TuningView:
    best = tuning.best
    failed = sum(one.value is None for one in tuning.measurements)
    text = f"{len(tuning.measurements)} configurations were measured, {failed} did not work."
    if best is not None:
        text += f" The best {tuning.objective} is {best.value:.6g}, as measured in the search."
    return TuningView(
        anchor,
        tuning.name,
        tuning.is_virtual,
        text,
        tuple((name, str(value)) for name, value in (best.configuration if best else {}).items()),
        chart,
        tuple(_parameter(tuning, name) for name in tuning.parameters),
        tuning.machines or ("measured on: not recorded",),
    )


def _parameter(tuning: Tuning, name: str) -> ParameterView:
    rows = []
    for value in tuning.parameters[name]:
        seen = [
            one.value
            for one in tuning.measurements
            if one.value is not None and one.configuration.get(name) == value
        ]
        rows.append((str(value), f"{min(seen):.6g}" if seen else "not measured"))
    return ParameterView(name, tuple(rows))
