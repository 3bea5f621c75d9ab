"""The rocm_agent_enumerator of the virtual ROCm: the targets that its HSA runtime has."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.info.hsa import Hsa, open_runtime
from rocm_perf_lab.vrocm.info.printing import print_lines

_NAME = 0  # HSA_AGENT_INFO_NAME
_HOST = "gfx000"  # stands for the host
_TARGET = re.compile(r"gfx[0-9a-f]+")
# A file of targets instead of the devices, for containers that have none.
_LIST_VARIABLE = "ROCM_TARGET_LST"


def target_names(hsa: Hsa, *, isa_names: bool) -> Iterator[str]:
    """By agent; with ``isa_names`` the features of a target are named too, and the host is not."""
    for agent in hsa.agents():
        if not hsa.is_gpu(agent):
            if not isa_names:
                yield _HOST
        elif isa_names:
            yield hsa.isa_names(agent)[0].rpartition("--")[2]
        else:
            yield hsa.agent(agent, _NAME, bytes)


def listed_targets(file: Path) -> Iterator[str]:
    """The target at the beginning of each line."""
    try:
        lines = file.read_text().splitlines()
    except OSError as error:
        raise ToolMissing(
            f"{_LIST_VARIABLE} names {file}, which cannot be read: {error.strerror}",
            f"unset {_LIST_VARIABLE}",
        ) from error
    yield _HOST
    for line in lines:
        target = _TARGET.match(line)
        if target:
            yield target.group()


def answer(root: Optional[Path], kind: str, *, isa_names: bool) -> Iterator[str]:
    file = os.environ.get(_LIST_VARIABLE)
    if file and not isa_names:
        names = listed_targets(Path(file))
    else:
        names = target_names(open_runtime(root), isa_names=isa_names)
    for name in names:
        if kind == "ALL" or (name == _HOST) == (kind == "CPU"):
            yield name


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="rocm_agent_enumerator", description=__doc__)
    parser.add_argument("--rocm-root", type=Path, metavar="PATH", help="the ROCm prefix")
    parser.add_argument("-name", action="store_true", help="targets with their features")
    parser.add_argument(
        *("-t", "--type"),
        choices=("GPU", "CPU", "ALL"),
        default="ALL",
        type=str.upper,
        help=f"only agents of this kind; the host is called {_HOST} (ALL)",
    )
    parser.add_argument("--devices", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    kind = "GPU" if options.devices else options.type
    return print_lines(
        "amdgpu-arch" if options.devices else parser.prog,
        lambda: answer(options.rocm_root, kind, isa_names=options.name),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
