#!/usr/bin/env bash
# Builds everything native with AddressSanitizer and UndefinedBehaviorSanitizer and runs its tests.
# usage: sanitize.sh BIN BUILD [pytest arguments]
set -euo pipefail

bin=$1 build=$2
shift 2
log=$build.log
trap 'rm -f "$log"' EXIT
configure=(cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DVGPU_SANITIZE=ON
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
"${configure[@]}" >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build "$build" -j "$(nproc)" >>"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }

# The libraries are loaded into programs that know nothing of sanitizers (Python, what hipcc made):
# their runtime has to be there first. Those programs' leaks are not ours to find.
runtime=$(<"$build/sanitizer_runtime.txt")
LD_LIBRARY_PATH=$(dirname "$runtime")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # for the linker of hipcc
export LD_LIBRARY_PATH
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export ROCM_PERF_NATIVE_BUILD
ROCM_PERF_NATIVE_BUILD=$(realpath "$build")
LD_PRELOAD=$runtime "$bin/python" -m pytest -n auto "$@" tests/native
