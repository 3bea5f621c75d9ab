#!/usr/bin/env bash
# Runs the pure-Python tests that go through every verb and every reader on the oldest supported
# interpreter, and those of the verbs on the newest, as far as this machine has them: what a Python
# lacks is missed on import. The workflow runs all of them on each.
#
#     scripts/other-pythons.sh --install    only makes the environments
set -euo pipefail

declare -A tests=(
  [3.9]='tests/cli tests/measure tests/reporters tests/setup tests/trace tests/tune'
  [3.11]='tests/cli tests/measure'
  [3.13]='tests/cli tests/measure'
)

interpreter() {
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import venv' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

install() {
  local venv=.venv-$1
  if [[ ! -e $venv/.ready || pyproject.toml -nt $venv/.ready ]]; then
    "$2" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[terminal]' \
      pytest pytest-xdist pytest-timeout hypothesis jsonschema pyelftools zstandard
    touch "$venv/.ready"
  fi
}

main=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in 3.9 3.11 3.13; do
  [[ $version == "$main" ]] && continue
  python=$(interpreter "$version")
  if [[ -z $python ]]; then
    echo "Python $version: not on this machine, skipped"
    continue
  fi
  install "$version" "$python"
  [[ ${1:-} == --install ]] && continue
  echo "Python $version:"
  # shellcheck disable=SC2086 # several folders
  ".venv-$version/bin/python" -m pytest -q -n auto --dist worksteal -m 'not native and not slow' \
    -p no:cacheprovider ${tests[$version]}
done
