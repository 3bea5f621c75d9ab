"""The tables that a run prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from benchmarks.truth.figures import NEAR, Figures, Pair, figures_of, within
from benchmarks.truth.table import Table
from rocm_perf_lab.arch.fidelity import RecordedTable

HEAD = (
    "| {} | rows | ratio, median | within 25 % | within 50 % | rank correlation | choice |\n"
    "|---|---|---|---|---|---|---|"
)


def _line(name: str, found: Figures) -> str:
    correlation = "-" if found.correlation is None else f"{found.correlation:.3f}"
    choice = "-" if found.choice is None else f"{found.choice:.2f}"
    return (
        f"| {name} | {found.count} | {found.ratio:.2f} | {100 * found.near:.0f} % | "
        f"{100 * found.far:.0f} % | {correlation} | {choice} |"
    )


def _grouped(pairs: Sequence[Pair], name: Callable[[Pair], str]) -> dict[str, list[Pair]]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(name(pair), []).append(pair)
    return groups


def _competing(table: Table, pairs: Sequence[Pair]) -> dict[str, Figures]:
    groups = _grouped(pairs, lambda pair: " x ".join(pair.row.values[n] for n in table.group_by))
    return {name: figures_of(group) for name, group in groups.items()}


def by_group(table: Table, pairs: Sequence[Pair]) -> str:
    """The rows that compete, group by group, and what of it holds over all groups."""
    found = _competing(table, pairs)
    lines = [HEAD.format(table.group_name), *(_line(name, one) for name, one in found.items())]
    lines.append(_summary(pairs, list(found.values())))
    return "\n".join(lines)


def _summary(pairs: Sequence[Pair], found: Sequence[Figures]) -> str:
    every = figures_of(pairs)
    known, choices = _correlations(found), _choices(found)
    worst = f"{min(known):.3f} at worst" if known else "-"
    chosen = f"{median(choices):.2f} in the median, {max(choices):.2f} at worst" if choices else "-"
    return (
        f"| **all** | {every.count} | {every.ratio:.2f} | {100 * every.near:.0f} % | "
        f"{100 * every.far:.0f} % | {worst} | {chosen} |"
    )


def _correlations(found: Iterable[Figures]) -> list[float]:
    return [one.correlation for one in found if one.correlation is not None]


def _choices(found: Iterable[Figures]) -> list[float]:
    return [one.choice for one in found if one.choice is not None]


def published(table: Table, pairs: Sequence[Pair], of: int, kind: str) -> RecordedTable:
    found = _competing(table, pairs).values()
    correlations, choices = _correlations(found), _choices(found)
    return RecordedTable(
        kind,
        len(pairs),
        of,
        sum(within(pair.ratio, NEAR) for pair in pairs),
        round(min(correlations), 2) if correlations else None,
        round(median(choices), 2) if choices else None,
        round(max(choices), 2) if choices else None,
    )


def by_kind(pairs: Sequence[Pair], column: str) -> str:
    """``column``: of the table, or ``time`` for the recorded time in powers of two."""
    groups = _grouped(pairs, lambda pair: kind_of(pair, column))
    lines = [f"| {column} | rows | ratio, median | within 25 % |", "|---|---|---|---|"]
    for name in sorted(groups, key=lambda text: (len(text), text)):
        one = figures_of(groups[name])
        lines.append(f"| {name} | {one.count} | {one.ratio:.2f} | {100 * one.near:.0f} % |")
    return "\n".join(lines)


def kind_of(pair: Pair, column: str) -> str:
    if column != "time":
        return pair.row.values[column]
    floor = 1
    while floor * 2 <= pair.row.recorded:
        floor *= 2
    return f"{floor} to {2 * floor}"


def misses(table: Table, pairs: Sequence[Pair], most: int) -> str:
    """The rows that are furthest off."""
    worst = sorted(pairs, key=lambda pair: -abs(pair.ratio - 1))[:most]
    lines = ["| row | recorded | modelled | ratio |", "|---|---|---|---|"]
    for pair in worst:
        row = pair.row
        lines.append(
            f"| {row.key(table.columns)} | {row.recorded:g} | {pair.modelled:g} | "
            f"{pair.ratio:.2f} |"
        )
    return "\n".join(lines)
