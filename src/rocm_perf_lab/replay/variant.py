"""Other code for a captured dispatch: ``--hsaco FILE``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.codeobject.model import CodeObjectFile, KernelInfo
from rocm_perf_lab.codeobject.reader import read_code_objects
from rocm_perf_lab.errors import CodeObjectError, ForeignDevice, UsageError
from rocm_perf_lab.replay.capture import Capture


@dataclass(frozen=True)
class VariantCode:
    """One code object with the captured kernel in it, as a file of its own."""

    source: Path  # as the user named it
    file: Path
    symbol: str  # of the kernel's descriptor
    private_bytes: int
    group_bytes: int  # with the dynamic LDS of the captured dispatch


def variant_code(
    source: Path, capture: Capture, folder: Path, name: Optional[str] = None
) -> VariantCode:
    """Take the captured kernel's code out of ``source``: a code object, a bundle or a program.

    ``folder`` gets the code object; ``name`` is the kernel's, if it has another there. Raises when
    the code cannot take the place of the captured one.
    """
    if not source.is_file():
        raise UsageError(f"{source} is not a file", "give --hsaco a code object")
    code, kernel = _matching(source, capture, name)
    _check(source, capture, kernel)
    number = sum(1 for _ in folder.iterdir())
    file = folder / f"variant_{number}.hsaco"
    file.write_bytes(code.data)
    captured = capture.kernel
    dynamic_lds = capture.dispatch.group_segment_size - captured.lds_bytes
    return VariantCode(
        source=source,
        file=file,
        symbol=kernel.symbol,
        private_bytes=_private_bytes(capture, kernel),
        group_bytes=kernel.lds_bytes + max(0, dynamic_lds),
    )


def _private_bytes(capture: Capture, kernel: KernelInfo) -> int:
    """What the application would put into the packet: HIP gives kernels whose stack has no known
    size at least the one that the program asked for, and others what they say."""
    captured, given = capture.kernel, capture.dispatch.private_segment_size
    if kernel.uses_dynamic_stack:
        return max(kernel.scratch_bytes, given)
    more = 0 if captured.uses_dynamic_stack else given - captured.scratch_bytes
    return kernel.scratch_bytes + max(0, more)


def _matching(
    source: Path, capture: Capture, wanted: Optional[str]
) -> tuple[CodeObjectFile, KernelInfo]:
    name = wanted or capture.dispatch.mangled_name
    try:
        found = read_code_objects(source)
    except CodeObjectError as error:
        raise UsageError(f"{source}: {error.cause}", "give --hsaco a code object") from error
    alike = [code for code in found if code.target_name == capture.code.target_name]
    if not alike:
        targets = ", ".join(sorted({code.target for code in found}))
        raise ForeignDevice(
            f"{source} is for {targets}, the capture for {capture.code.target}",
            f"compile it with --offload-arch={capture.code.target_name}",
        )
    for code in alike:
        kernel = code.kernel(name) or _by_identifier(code, name)
        if kernel is not None:
            return code, kernel
    kernels = ", ".join(k.name for code in alike for k in code.kernels) or "none"
    raise UsageError(f"{source} has no kernel {name}; its kernels: {kernels}")


def _by_identifier(code: CodeObjectFile, name: str) -> Optional[KernelInfo]:
    """``scale`` for ``_Z5scalePfPKfif``: a plain function name, if only one kernel has it."""
    found = [k for k in code.kernels if k.name.startswith(f"_Z{len(name)}{name}")]
    return found[0] if len(found) == 1 else None


def _check(source: Path, capture: Capture, kernel: KernelInfo) -> None:
    # A kernel that uses fewer hidden arguments than the captured one reads less of the same layout.
    if _visible_size(kernel) != _visible_size(capture.kernel):
        raise UsageError(
            f"{source}: its kernel takes other arguments "
            f"({_visible_size(kernel)} instead of {_visible_size(capture.kernel)} bytes)"
        )
    if kernel.kernarg_size > len(capture.kernarg):
        raise UsageError(
            f"{source}: its kernel reads {kernel.kernarg_size} bytes of arguments, the capture "
            f"holds {len(capture.kernarg)}",
            "compile it with the same code object version as the application",
        )
    x, y, z = capture.dispatch.block
    if kernel.max_workgroup_size and x * y * z > kernel.max_workgroup_size:
        raise UsageError(
            f"{source}: its kernel allows {kernel.max_workgroup_size} work-items per workgroup, "
            f"the dispatch has {x * y * z}"
        )


def _visible_size(kernel: KernelInfo) -> int:
    return max((a.offset + a.size for a in kernel.visible_arguments), default=0)
