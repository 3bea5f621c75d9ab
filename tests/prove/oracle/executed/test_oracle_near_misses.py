"""Which trials the search for unseen code goes on from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from rocm_perf_lab.prove.oracle.executed.stage import ExecutedCode
from rocm_perf_lab.prove.oracle.executed.unseen import SECOND_IDLE, Unseen
from rocm_perf_lab.prove.oracle.scene import Scene
from rocm_perf_lab.replay.coverage import ACTIVE, FALSE, REACHED, TRUE, Covered

QUESTION = 0x40
ONE, OTHER = REACHED | ACTIVE | TRUE, REACHED | ACTIVE | FALSE


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> ExecutedCode:
    """Twelve trials come to a question; its first condition holds in two of them, in the middle."""
    nothing = cast(Any, None)
    found = ExecutedCode(nothing, nothing, nothing)
    open_question = Unseen(QUESTION, SECOND_IDLE, "s_and_b64 s[2:3], vcc, s[0:1]", "", ("", ""))
    monkeypatch.setattr(found, "new_unseen", lambda: (open_question,))
    for number in range(12):
        seen = {QUESTION: Covered(QUESTION, ONE if number in (5, 6) else OTHER)}
        found._by_scene.append((Scene(f"trial {number}"), seen))
        found._executed.update(seen)
    return found


def names(scenes: list[Scene]) -> list[str]:
    return [scene.name for scene in scenes]


def test_trials_that_show_a_question_differently_come_in_turns(executed: ExecutedCode) -> None:
    assert names(executed.near_misses(4)) == ["trial 11", "trial 5", "trial 10", "trial 6"]


def test_the_turns_go_on_in_the_next_round(executed: ExecutedCode) -> None:
    assert names(executed.near_misses(1)) == ["trial 11"]
    assert names(executed.near_misses(1)) == ["trial 6"]


def test_each_trial_is_told_once_and_all_are(executed: ExecutedCode) -> None:
    rounds = [names(executed.near_misses(5)) for _ in range(4)]
    told = [name for one in rounds for name in one]
    assert sorted(told) == sorted(f"trial {number}" for number in range(12))
    assert rounds[-1] == []


def coverage_in(folder: Path, offset: int) -> Path:
    """What one scene executed: a single instruction."""
    folder.mkdir()
    line = {
        "kernel": "k",
        "dispatch": 0,
        "ended": True,
        "read_bytes": 0,
        "written_bytes": 0,
        "written_hash": 0,
        "flops": 0,
        "executed": 1,
        "longest_wave": 1,
        "instructions": [[offset, REACHED | ACTIVE, []]],
    }
    (folder / "coverage").write_text(json.dumps(line) + "\n")
    return folder


ODD, MORE = "odd blocks", "more of n"


@pytest.mark.parametrize("first", ["it ran", "it differed"])
@pytest.mark.parametrize(
    ("differed", "left"),
    [
        ([ODD], {0, 8}),
        ([MORE], {0, 4}),
        ([ODD, MORE], {0, 4, 8}),  # either of them may be why
        (["pointers meet"], {0, 4, 8, 12}),
    ],
)
def test_nothing_counts_of_launches_in_which_the_candidate_may_differ(
    differed: list[str], left: set[int], first: str, tmp_path: Path
) -> None:
    """No host launches so: it is not wrong for that, but other content may be right by chance."""
    nothing = cast(Any, None)
    executed = ExecutedCode(nothing, nothing, nothing)
    ways = {0: frozenset[str](), 4: {ODD}, 8: {MORE}, 12: {ODD, MORE}}
    ran = [
        (Scene(f"trial {at}", departures=frozenset(why)), coverage_in(tmp_path / str(at), at))
        for at, why in ways.items()
    ]
    if first == "it ran":
        executed.ran(ran)
        assert set(executed._executed) == set(ways)
    executed.differed(frozenset(differed))
    if first == "it differed":
        executed.ran(ran)
    assert set(executed._executed) == left
    assert {one.name for one in executed.that_show_all()} == {f"trial {at}" for at in left}
