"""The device libraries of the prefix: the distribution's, plus what they lack for gfx942 and HIP 7.

Debian's rocm-device-libs end at gfx940 and before some functions that the HIP 7 headers call. The
compiler links ``hip.bc`` before all others, so what stands in ours takes precedence.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.vrocm.toolchain import Toolchain, run_tool

# The targets that are missing in the distribution, by the one that they are derived from:
# oclc_isa_version_* holds nothing but the number major * 1000 + minor * 100 + stepping.
DERIVED_TARGETS = {"942": ("940", "i32 9400", "i32 9402")}
ISA_FILE = "oclc_isa_version_{target}.bc"
OPENCL_FLAGS = shlex.split(
    "-x cl -cl-std=CL2.0 -Xclang -finclude-default-header -target amdgcn-amd-amdhsa "
    "-nogpulib -O2 -emit-llvm -c"
)


def build_bitcode(sources: Path, toolchain: Toolchain, to: Path) -> None:
    """Fill the folder ``to`` with everything that clang's HIP driver links."""
    to.mkdir(parents=True)
    for file in sorted(toolchain.bitcode.glob("*.bc")):
        shutil.copyfile(file, to / file.name)
    for target, (origin, number, replacement) in DERIVED_TARGETS.items():
        derived = to / ISA_FILE.format(target=target)
        if not derived.exists():
            _derive(toolchain, to / ISA_FILE.format(target=origin), number, replacement, derived)
    _link_own(sources, toolchain, to)


def _derive(toolchain: Toolchain, origin: Path, number: str, replacement: str, to: Path) -> None:
    if not origin.exists():
        raise ToolMissing(
            f"{origin.name} is not among the device libraries in {toolchain.bitcode}",
            "apt-get install -y rocm-device-libs (5.2 or newer)",
        )
    text = run_tool(toolchain.tool("llvm-dis"), origin, "-o", "-")
    run_tool(toolchain.tool("llvm-as"), "-o", to, text=text.replace(number, replacement))


def _link_own(sources: Path, toolchain: Toolchain, to: Path) -> None:
    modules = []
    for source in sorted(sources.glob("*.cl")):
        module = to / f"{source.stem}.part"
        run_tool(toolchain.tool("clang"), *OPENCL_FLAGS, source, "-o", module)
        modules.append(module)
    library = to / "hip.bc"
    linked = to / "hip.part"
    first = [library] if library.exists() else []
    run_tool(toolchain.tool("llvm-link"), *first, *modules, "-o", linked)
    linked.replace(library)
    for module in modules:
        module.unlink()
