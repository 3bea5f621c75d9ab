"""The hipconfig of the virtual ROCm: where things are, in the words that build systems ask with.

It is next to hipcc.py in the prefix and, like it, needs the standard library only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SETTINGS = "toolchain.json"
# The long names, and the short ones that go with them.
SHORT_NAMES = {
    "-p": "--path",
    "-R": "--rocmpath",
    "-C": "--cpp_config",
    "-c": "--compiler",
    "-P": "--platform",
    "-r": "--runtime",
    "-l": "--hipclangpath",
    "-v": "--version",
    "-f": "--full",
    "-h": "--help",
    "-n": "--newline",
    "-m": "--check",
}


def answers(prefix: Path, settings: dict[str, str]) -> dict[str, str]:
    llvm = prefix / "llvm" if settings["llvm"] else ""
    return {
        "--version": f"{settings['hip_version']}-virtual",
        "--path": str(prefix),
        "--rocmpath": str(prefix),
        "--cpp_config": f"-D__HIP_PLATFORM_AMD__=1 -I{prefix}/include",
        "--compiler": "clang",
        "--platform": "amd",
        "--runtime": "rocclr",
        "--hipclangpath": f"{llvm}/bin",
    }


def full_report(known: dict[str, str]) -> str:
    lines = [f"HIP version: {known['--version']}", "", "==hipconfig"]
    names = ("path", "rocmpath", "compiler", "platform", "runtime", "cpp_config", "hipclangpath")
    return "\n".join(lines + [f"{name:<13}: {known['--' + name]}" for name in names])


def main(argv: list[str]) -> int:
    script = Path(__file__).resolve()
    settings = json.loads((script.parent / SETTINGS).read_text())
    known = answers(script.parents[2], settings)
    asked = [SHORT_NAMES.get(word, word) for word in argv] or ["--full"]
    for word in asked:
        if word in ("--newline", "--check"):
            print()
        elif word == "--help":
            print("usage: hipconfig [" + "|".join(sorted(known)) + "|--full]")
        elif word == "--full":
            print(full_report(known))
        elif word in known:
            # Build systems paste the answer into a command line: no line end.
            sys.stdout.write(known[word])
        else:
            print(f"hipconfig: error: unknown option {word}", file=sys.stderr)
            print("  next: hipconfig --help", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
