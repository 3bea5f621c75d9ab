#!/usr/bin/env bash
# Everything that is checked without running the program. The argument is the environment's bin/.
set -euo pipefail
cd "$(dirname "$0")/.."

"$1/ruff" check .
"$1/ruff" format --check .
find native -name '*.cpp' -o -name '*.h' | xargs "$1/clang-format" --dry-run --Werror
"$1/mypy"
"$1/python" scripts/check-layers.py
"$1/python" scripts/prose.py
if git grep -nE '^(<{7}|>{7}) '; then
  echo 'markers of a merge that was not finished' >&2
  exit 1
fi
