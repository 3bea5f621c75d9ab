"""The answer of such a program: its lines, or the error with the next step."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Callable

from rocm_perf_lab.errors import PerfLabError

_EXIT_FAILED = 1


def print_lines(program: str, lines: Callable[[], Iterable[str]]) -> int:
    """Nothing reaches stdout unless all of it is there."""
    try:
        text = "".join(f"{line}\n" for line in lines())
    except PerfLabError as error:
        print(f"{program}: error: {error.cause}", file=sys.stderr)
        if error.next_step:
            print(f"  next: {error.next_step}", file=sys.stderr)
        return _EXIT_FAILED
    sys.stdout.write(text)
    return 0
