"""Lines of coverage: what is read, what is refused, and what several dispatches show together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.replay.coverage import (
    ACTIVE,
    FALSE,
    REACHED,
    TRUE,
    Covered,
    DispatchCoverage,
    Work,
    merged,
    read_coverage,
)

Json = dict[str, Any]
SHARED_FOLDER = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

words = st.integers(0, (1 << 64) - 1)
pairs = st.lists(st.tuples(words, words), max_size=2, unique=True)
facts = st.integers(0, 31).map(lambda others: others << 1 | REACHED)
offsets = st.integers(-(1 << 20), 1 << 20).map(lambda n: 4 * n)
instructions = st.dictionaries(offsets, st.tuples(facts, pairs), max_size=5)


@st.composite
def lines(draw: st.DrawFn) -> Json:
    seen = draw(instructions)
    return {
        "kernel": draw(st.text(st.characters(exclude_categories=["Cs"]))),
        "dispatch": draw(st.integers(0, 1 << 40)),
        "ended": draw(st.booleans()),
        "read_bytes": draw(st.integers(0, 1 << 40)),
        "written_bytes": draw(st.integers(0, 1 << 40)),
        "written_hash": draw(words),
        "flops": draw(st.integers(0, 1 << 60)),
        "executed": draw(st.integers(0, 1 << 60)),
        "longest_wave": draw(st.integers(0, 1 << 60)),
        "instructions": [[at, seen[at][0], seen[at][1]] for at in sorted(seen)],
    }


def _write(folder: Path, documents: list[Json]) -> Path:
    path = folder / "coverage"
    path.write_text("".join(json.dumps(one) + "\n" for one in documents), "utf-8")
    return path


LINE: Json = {
    "kernel": "scale(float*)",
    "dispatch": 0,
    "ended": True,
    "read_bytes": 8,
    "written_bytes": 4,
    "written_hash": (1 << 64) - 1,
    "flops": 2,
    "executed": 5,
    "longest_wave": 3,
    "instructions": [[-4, 1, []], [0, 3, []], [8, 51, [[1, 2], [3, (1 << 64) - 1]]]],
}


def test_a_line_is_read(tmp_path: Path) -> None:
    (read,) = read_coverage(_write(tmp_path, [LINE]))
    assert read == DispatchCoverage(
        "scale(float*)",
        0,
        True,
        {
            -4: Covered(-4, REACHED),
            0: Covered(0, REACHED | ACTIVE),
            8: Covered(8, REACHED | ACTIVE | TRUE | FALSE, ((1, 2), (3, (1 << 64) - 1))),
        },
        Work(8, 4, 2, 5, 3, (1 << 64) - 1),
    )
    assert read.instructions[8].has(TRUE | FALSE)
    assert not read.instructions[0].has(ACTIVE | TRUE)


@SHARED_FOLDER
@given(documents=st.lists(lines(), max_size=3))
def test_what_was_written_is_read(documents: list[Json], tmp_path: Path) -> None:
    read = read_coverage(_write(tmp_path, documents))
    assert [
        {
            "kernel": one.kernel,
            "dispatch": one.dispatch,
            "ended": one.ended,
            **vars(one.work),
            "instructions": [[c.offset, c.facts, list(c.pairs)] for c in one.instructions.values()],
        }
        for one in read
    ] == documents


def test_a_file_without_lines_is_no_dispatch(tmp_path: Path) -> None:
    assert read_coverage(_write(tmp_path, [])) == ()


def test_an_absent_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="is not there") as caught:
        read_coverage(tmp_path / "none")
    assert f"VROCM_COVERAGE={tmp_path / 'none'}" in str(caught.value.next_step)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot read"):
        read_coverage(tmp_path)


REFUSED: dict[str, Json] = {
    "no form": {"kernel": 3},
    "unknown key": {**LINE, "more": 1},
    "negative": {**LINE, "dispatch": -1},
    "negative flops": {**LINE, "flops": -1},
    "negative executed": {**LINE, "executed": -1},
    "negative longest wave": {**LINE, "longest_wave": -1},
    "negative hash": {**LINE, "written_hash": -1},
    "wide hash": {**LINE, "written_hash": 1 << 64},
    "no flops": {key: value for key, value in LINE.items() if key != "flops"},
    "descending": {**LINE, "instructions": [[4, 1, []], [0, 1, []]]},
    "twice": {**LINE, "instructions": [[4, 1, []], [4, 1, []]]},
    "inside an instruction": {**LINE, "instructions": [[2, 1, []]]},
    "never reached": {**LINE, "instructions": [[0, 2, []]]},
    "unknown fact": {**LINE, "instructions": [[0, 65, []]]},
    "negative facts": {**LINE, "instructions": [[0, -1, []]]},
    "five pairs": {**LINE, "instructions": [[0, 1, [[n, n] for n in range(5)]]]},
    "the same pair": {**LINE, "instructions": [[0, 1, [[1, 1], [1, 1]]]]},
    "negative operand": {**LINE, "instructions": [[0, 1, [[-1, 0]]]]},
    "wide operand": {**LINE, "instructions": [[0, 1, [[0, 1 << 64]]]]},
}


@pytest.mark.parametrize("document", REFUSED.values(), ids=REFUSED)
def test_a_wrong_line_is_named(document: Json, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"coverage:2: "):
        read_coverage(_write(tmp_path, [LINE, document, LINE]))


def test_a_cut_line_is_named(tmp_path: Path) -> None:
    path = _write(tmp_path, [LINE, LINE])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RecordingError, match=r"coverage:2: the line has no end"):
        read_coverage(path)


@SHARED_FOLDER
@given(document=lines(), where=st.floats(0, 1), byte=st.integers(0, 255), cut=st.booleans())
def test_damage_is_refused_or_reads(
    document: Json, where: float, byte: int, cut: bool, tmp_path: Path
) -> None:
    path = _write(tmp_path, [document])
    data = bytearray(path.read_bytes())
    at = int(where * (len(data) - 1))
    if cut:
        del data[at:]
    else:
        data[at] = byte
    path.write_bytes(data)
    try:
        read = read_coverage(path)
    except RecordingError:
        return
    assert len(read) == bool(data)


def _coverage(kernel: str, seen: dict[int, tuple[int, list[tuple[int, int]]]]) -> DispatchCoverage:
    covered = {at: Covered(at, known, tuple(found)) for at, (known, found) in seen.items()}
    return DispatchCoverage(kernel, 0, True, covered)


@settings(deadline=None)
@given(st.lists(instructions, max_size=4))
def test_merging_loses_and_adds_nothing(
    several: list[dict[int, tuple[int, list[tuple[int, int]]]]],
) -> None:
    together = merged(_coverage("k", seen) for seen in several)
    assert list(together) == sorted({at for seen in several for at in seen})
    for at, covered in together.items():
        known = [seen[at] for seen in several if at in seen]
        union = 0
        for one, _ in known:
            union |= one
        assert covered.facts == union
        assert set(covered.pairs) == {pair for _, found in known for pair in found}
        assert len(set(covered.pairs)) == len(covered.pairs)


def test_different_kernels_do_not_merge() -> None:
    with pytest.raises(ValueError, match="a and b cannot be merged"):
        merged([_coverage("a", {}), _coverage("b", {})])
