#!/usr/bin/env bash
# Runs the pure-Python tests that go through every verb and every reader on the oldest and the newest
# supported interpreter, as far as this machine has them: what a Python lacks is missed on import.
# The workflow runs all of them on each.
set -euo pipefail

main=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in 3.9 3.11 3.13; do
  tests=(tests/cli tests/measure tests/reporters tests/setup tests/trace tests/tune)
  [[ $version == "$main" ]] && continue
  python=
  for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import venv' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  if [[ -z $python ]]; then
    echo "Python $version: not on this machine, skipped"
    continue
  fi
  venv=.venv-$version
  if [[ ! -e $venv/.ready || pyproject.toml -nt $venv/.ready ]]; then
    "$python" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.' \
      pytest pytest-xdist pytest-timeout hypothesis jsonschema pyelftools zstandard
    touch "$venv/.ready"
  fi
  echo "Python $version:"
  "$venv/bin/python" -m pytest -q -n auto --dist worksteal -m 'not native and not slow' -p no:cacheprovider \
    "${tests[@]}"
done
