"""The table of the corpus, half by half."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.verdicts.measure import Answer
from benchmarks.verdicts.pairs import BLIND_SETS, SEEN

_HEAD = (
    "| pair | what the mend changes | mend | advised | measured | promised at most | |\n"
    "|---|---|---|---|---|---|---|"
)

_TITLES = {
    **{name: f"The {name} blind set" for name in reversed(BLIND_SETS)},
    "blind": "The blind set",
    "unseen": "The half not looked at",
    "seen": "The half looked at",
}


def table(answers: Sequence[Answer]) -> str:
    """Each set with its counts."""
    parts: dict[str, list[Answer]] = {}
    for found in answers:
        parts.setdefault(_part(found), []).append(found)
    return "\n\n".join(
        f"**{title}: {counts(parts[name])}**\n\n{_HEAD}\n" + "\n".join(map(_row, parts[name]))
        for name, title in _TITLES.items()
        if name in parts
    )


def _part(found: Answer) -> str:
    for name, pairs in BLIND_SETS.items():
        if found.pair in pairs:
            return name
    return "seen" if found.pair.name in SEEN else "unseen"


def counts(half: Sequence[Answer]) -> str:
    first = sum(found.is_first for found in half)
    among = sum(found.is_among for found in half)
    holds = sum(found.bound_holds for found in half)
    return (
        f"the first advice is the mend in {first} of {len(half)}, among the three in {among}, "
        f"the bound holds in {holds}"
    )


def _row(found: Answer) -> str:
    bound = "-" if found.bound is None else f"{found.bound:.2f}x"
    wrong = [] if found.is_among else ["**not advised**"]
    if found.is_among and not found.is_first:
        wrong.append("**not first**")
    if not found.bound_holds:
        wrong.append("**bound**")
    cells = (
        found.pair.name,
        found.pair.changed,
        found.pair.mend,
        ", ".join(found.mends),
        f"{found.gain:.2f}x",
        bound,
        " ".join(wrong),
    )
    return f"| {' | '.join(cells)} |"
