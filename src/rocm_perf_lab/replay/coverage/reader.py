"""Reads the file of ``VROCM_COVERAGE``: one JSON object for each dispatch, nothing by half."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.replay.coverage.facts import (
    ALL_FACTS,
    REACHED,
    Covered,
    DispatchCoverage,
    Pair,
    Work,
)
from rocm_perf_lab.strict_json import NotStrict, Strict, read_strict

COVERAGE_VARIABLE = "VROCM_COVERAGE"

_MOST_PAIRS = 4
_WORD_LIMIT = 1 << 64
_AGAIN = f"remove it and run the program again with {COVERAGE_VARIABLE} set"


class _Line(Strict):
    kernel: str
    dispatch: int
    ended: bool
    read_bytes: int
    written_bytes: int
    written_hash: int
    flops: int
    executed: int
    longest_wave: int
    instructions: tuple[tuple[int, int, tuple[Pair, ...]], ...]


def read_coverage(path: Path) -> tuple[DispatchCoverage, ...]:
    """One for each line of the file. Raises ``RecordingError``."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise RecordingError(
            f"{path} is not there: nothing was dispatched, or not on the virtual device",
            f"run the program on the virtual ROCm with {COVERAGE_VARIABLE}={path}",
        ) from None
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {error.strerror}", _AGAIN) from None
    *lines, rest = data.split(b"\n")
    found = tuple(_read_line(line, f"{path}:{n}") for n, line in enumerate(lines, 1))
    if rest:
        raise RecordingError(f"{path}:{len(lines) + 1}: the line has no end", _AGAIN)
    return found


def _read_line(text: bytes, place: str) -> DispatchCoverage:
    try:
        line = read_strict(_Line, text)
    except (NotStrict, UnicodeDecodeError, RecursionError) as error:
        raise RecordingError(f"{place}: no line of coverage: {error}", _AGAIN) from None
    wrong = _what_is_wrong(line)
    if wrong is not None:
        raise RecordingError(f"{place}: {wrong}", _AGAIN)
    instructions = {
        offset: Covered(offset, facts, pairs) for offset, facts, pairs in line.instructions
    }
    work = Work(
        line.read_bytes,
        line.written_bytes,
        line.flops,
        line.executed,
        line.longest_wave,
        line.written_hash,
    )
    return DispatchCoverage(line.kernel, line.dispatch, line.ended, instructions, work)


def _what_is_wrong(line: _Line) -> Optional[str]:
    counts = (line.dispatch, line.read_bytes, line.written_bytes, line.flops, line.executed)
    if min(*counts, line.longest_wave) < 0:
        return "a number of the dispatch is negative"
    if not 0 <= line.written_hash < _WORD_LIMIT:
        return "the hash of what was written has more than 64 bits"
    offsets = [offset for offset, _, _ in line.instructions]
    if any(after <= before for before, after in zip(offsets, offsets[1:])):
        return "offsets do not ascend"
    for offset, facts, pairs in line.instructions:
        wrong = _wrong_instruction(offset, facts, pairs)
        if wrong is not None:
            return f"offset {offset}: {wrong}"
    return None


def _wrong_instruction(offset: int, facts: int, pairs: Sequence[Pair]) -> Optional[str]:
    if offset % 4:
        return "no instruction begins there"
    if facts & ~ALL_FACTS or not facts & REACHED:
        return f"facts {facts} are unknown, or not of an instruction that was reached"
    if len(pairs) > _MOST_PAIRS or len(set(pairs)) < len(pairs):
        return f"{len(pairs)} pairs of operands are too many, or one is there twice"
    if any(not 0 <= value < _WORD_LIMIT for pair in pairs for value in pair):
        return "an operand has more than 64 bits"
    return None
