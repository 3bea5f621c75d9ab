"""``python -m benchmarks.cheats fuzz``, ``honest`` or ``verdict``."""

from __future__ import annotations

import sys

from benchmarks.cheats import fuzz, honest, verdict

COMMANDS = {"fuzz": fuzz.main, "honest": honest.main, "verdict": verdict.main}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        print(f"name one of: {', '.join(COMMANDS)}", file=sys.stderr)
        sys.exit(2)
    sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:]))
