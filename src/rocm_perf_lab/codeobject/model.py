"""What a code object says about itself and its kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.codeobject.descriptor import KernelDescriptor
from rocm_perf_lab.codeobject.notes import KernelArgument


@dataclass(frozen=True)
class KernelInfo:
    """One kernel; registers as :mod:`~rocm_perf_lab.codeobject.registers` settles them."""

    name: str
    symbol: str  # of the descriptor: name + ".kd"
    arch_vgpr: int
    accum_vgpr: int
    total_vgpr: int  # what the kernel takes of the register file
    sgpr: int
    lds_bytes: int  # static; dynamic LDS is added at launch
    scratch_bytes: int  # per work-item
    sgpr_spills: Optional[int]
    vgpr_spills: Optional[int]
    kernarg_size: int
    kernarg_align: int
    max_workgroup_size: int
    required_workgroup_size: Optional[tuple[int, ...]]
    wave_size: int
    wgp_mode: Optional[bool]
    uses_dynamic_stack: Optional[bool]
    language: Optional[str]
    arguments: tuple[KernelArgument, ...]
    descriptor: Optional[KernelDescriptor]
    code_offset: Optional[int]  # of the first instruction in the ELF image
    code_size: Optional[int]

    @property
    def visible_arguments(self) -> tuple[KernelArgument, ...]:
        return tuple(argument for argument in self.arguments if not argument.is_hidden)

    @property
    def uses_dynamic_lds(self) -> bool:
        return any(a.value_kind == "dynamic_shared_pointer" for a in self.arguments)


@dataclass(frozen=True)
class CodeObjectFile:
    """One ELF image of GPU code."""

    source: str  # where it was found, for people
    target: str  # "gfx942:sramecc+:xnack-"
    abi_version: int  # EI_ABIVERSION: 1 is code object V3, 2 is V4, 3 is V5, 4 is V6
    metadata_version: tuple[int, ...]
    kernels: tuple[KernelInfo, ...]
    data: bytes = field(repr=False)

    @property
    def target_name(self) -> str:
        """The target without features: ``gfx942``."""
        return self.target.partition(":")[0]

    def kernel(self, name: str) -> Optional[KernelInfo]:
        """The kernel of this name or symbol (with or without ``.kd``)."""
        return next((k for k in self.kernels if name in (k.name, k.symbol)), None)
