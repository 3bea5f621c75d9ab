#!/usr/bin/env bash
# system-packages.sh [--tests]: installs the system packages that are missing, or prints the one
# command that does. With --tests also what only the tests need. Silent and quick when there is
# nothing to do.
set -euo pipefail

for_tests=
case "${1-}" in
  "") ;;
  --tests) for_tests=yes ;;
  *) echo "usage: system-packages.sh [--tests]" >&2; exit 2 ;;
esac

missing=()
need() { # need COMMAND-OR-FILE PACKAGE
  if [[ "$1" == /* ]]; then compgen -G "$1" >/dev/null || missing+=("$2")
  else command -v "$1" >/dev/null || missing+=("$2"); fi
}

llvm=19 # the reference; the newest older one that the distribution has is taken instead
if ! command -v clang-19 >/dev/null; then
  for version in 20 18 17; do
    if command -v "clang-$version" >/dev/null; then llvm=$version; break; fi
  done
fi

need g++ g++
need cmake cmake
need "clang-$llvm" "clang-$llvm"
need "ld.lld-$llvm" "lld-$llvm"
need "llvm-mc-$llvm" "llvm-$llvm"
need "clang-offload-bundler-$llvm" "clang-tools-$llvm"
need "/usr/lib/llvm-$llvm/lib/clang/*/lib/linux/libclang_rt.builtins-*.a" "libclang-rt-$llvm-dev"
need "/usr/lib/llvm-$llvm/lib/libomp.so" "libomp-$llvm-dev"
need "/usr/lib/*/amdgcn/bitcode/ocml.bc" rocm-device-libs
need rocminfo rocminfo
if [[ -n $for_tests ]]; then # reports are tested in a browser
  command -v google-chrome >/dev/null || need chromium chromium
  need chromedriver chromium-driver
fi
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)

[[ ${#missing[@]} -eq 0 ]] && exit 0

install="apt-get install -y --no-install-recommends ${missing[*]}"
if [[ $(id -u) -ne 0 ]]; then
  echo "These system packages are missing. Install them, then run make again:" >&2
  echo "  sudo apt-get update && sudo $install" >&2
  exit 3
fi
echo "Installing system packages: ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -qq && $install; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "apt-get could not install them; the command was: $install" >&2
  exit 3
fi
