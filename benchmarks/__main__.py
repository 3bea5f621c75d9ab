"""Runs the ``main`` of every benchmark module, or of those named on the command line."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence

import benchmarks


def run(names: Sequence[str]) -> int:
    """Exit code 1 when a benchmark misses its target."""
    known = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name != "__main__"]
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    worst = 0
    for name in names or known:
        main = getattr(importlib.import_module(f"benchmarks.{name}"), "main", None)
        if main is not None:
            print(f"== {name}")
            worst = max(worst, int(main([]) or 0))
            print()
    return worst


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
