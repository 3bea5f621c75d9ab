"""``rocm-perf vrocm``: the virtual ROCm, for machines without an AMD GPU."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from rocm_perf_lab.cli import options

EXAMPLES = """\
examples:
  rocm-perf vrocm path                     # build it on first use, print where it is
  rocm-perf vrocm rebuild                  # build it again, if it is damaged
  eval "$(rocm-perf vrocm env)"            # then hipcc and the profiler are those of the prefix
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "vrocm",
        help="the virtual ROCm: hipcc and a virtual MI300X, no GPU needed",
        description=__doc__,
        epilog=EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    path = actions.add_parser(
        "path",
        help="print the prefix, building it on first use",
        epilog="example:\n  rocm-perf vrocm path",
    )
    _add_location(path)
    path.add_argument("--rebuild", action="store_true", help="build it again")
    rebuild = actions.add_parser(
        "rebuild",
        help="build the prefix again and print where it is",
        epilog="example:\n  rocm-perf vrocm rebuild",
    )
    _add_location(rebuild)
    env = actions.add_parser(
        "env",
        help="print shell commands that put the prefix on the PATH",
        epilog='example:\n  eval "$(rocm-perf vrocm env)"',
    )
    _add_location(env)
    parser.set_defaults(run=run)


def _add_location(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--prefix", type=Path, metavar="DIR", help="folder to build in (the user's cache)"
    )


def run(arguments: argparse.Namespace) -> int:
    prefix = _ensure(arguments)
    if arguments.action != "env":
        options.say_to_program(f"{prefix}\n")
        return 0
    quoted = shlex.quote(str(prefix))
    options.say_to_program(
        f"export ROCM_PATH={quoted}\nexport HIP_PATH={quoted}\nexport HIP_PLATFORM=amd\n"
        f"{_compiler(prefix)}"
        f'export PATH={shlex.quote(str(prefix / "bin"))}:"$PATH"\n'
        # Python packages (Triton, CuPy) load the runtime by its name.
        f"export LD_LIBRARY_PATH={shlex.quote(str(prefix / 'lib'))}"
        '"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"\n'
    )
    return 0


def _compiler(prefix: Path) -> str:
    """CMake would take the clang++ beside the C++ compiler for HIP before that of the prefix."""
    clang = prefix / "llvm" / "bin" / "clang++"
    return f"export HIPCXX={shlex.quote(str(clang))}\n" if clang.exists() else ""


def _ensure(arguments: argparse.Namespace) -> Path:
    from rocm_perf_lab.reporters.progress import BuildProgress
    from rocm_perf_lab.vrocm.prefix import ensure_prefix

    return ensure_prefix(
        BuildProgress("building the virtual ROCm").now,
        at=arguments.prefix,
        rebuild=arguments.action == "rebuild" or getattr(arguments, "rebuild", False),
    )
