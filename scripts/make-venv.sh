#!/usr/bin/env bash
# make-venv.sh PYTHON DIR: a virtual environment with this package, its extras and the test tools.
set -euo pipefail
python=$1 dir=$2
echo "Making the virtual environment $dir" >&2
"$python" -m venv "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade pip
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[all,dev]'
