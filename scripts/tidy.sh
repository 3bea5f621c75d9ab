#!/usr/bin/env bash
# What clang-tidy says of native/, by the checks of .clang-tidy; fails where it says anything.
# usage: tidy.sh BIN BUILD [files]: all that the build compiles, if none are named
set -euo pipefail
cd "$(dirname "$0")/.."

bin=$1 build=$2/tidy
shift 2
"$bin/python" -m pip install --quiet --disable-pip-version-check -e '.[tidy]'
# The compiler's precompiled headers are not clang-tidy's.
cmake -S . -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DCMAKE_BUILD_TYPE=Release >/dev/null
listed='import json, sys; print(*sorted({c["file"] for c in json.load(sys.stdin)}), sep="\n")'
if (($# == 0)); then
    mapfile -t files < <("$bin/python" -c "$listed" <"$build/compile_commands.json")
    set -- "${files[@]}"
fi
# It counts on stderr what it found in the system's headers and does not show.
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 "$bin/clang-tidy" -p "$build" --quiet 2>/dev/null
echo "Result: clang-tidy finds nothing in $# files"
