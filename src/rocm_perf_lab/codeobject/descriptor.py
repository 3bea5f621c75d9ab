"""The 64-byte kernel descriptor (symbol ``<kernel>.kd``) that the command processor reads."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.arch.target import Target
from rocm_perf_lab.errors import CodeObjectError

SIZE = 64
_LAYOUT = struct.Struct("<IIIIq20xIIIHHI")


@dataclass(frozen=True)
class KernelDescriptor:
    """Fields as stored; the register counts depend on the target and are methods."""

    group_segment_size: int
    private_segment_size: int
    kernarg_size: int
    entry_offset: int  # bytes from the descriptor to the first instruction
    rsrc1: int
    rsrc2: int
    rsrc3: int
    properties: int
    kernarg_preload_length: int  # dwords
    kernarg_preload_offset: int  # dwords

    @property
    def wave_size(self) -> int:
        return 32 if self.properties & 1 << 10 else 64

    @property
    def uses_dynamic_stack(self) -> bool:
        return bool(self.properties & 1 << 11)

    @property
    def user_sgprs(self) -> int:
        return _bits(self.rsrc2, 1, 5)

    @property
    def uses_scratch(self) -> bool:
        return bool(self.rsrc2 & 1)

    @property
    def workitem_id_dimensions(self) -> int:
        return _bits(self.rsrc2, 11, 2) + 1

    @property
    def workgroup_id_axes(self) -> tuple[bool, bool, bool]:
        """Along which axes the kernel asks for the number of its workgroup."""
        x, y, z = (bool(self.rsrc2 >> bit & 1) for bit in (7, 8, 9))
        return x, y, z

    @property
    def wgp_mode(self) -> bool:
        """Meaningful on gfx10 and later only."""
        return bool(self.rsrc1 >> 29 & 1)

    @property
    def tg_split(self) -> bool:
        """Meaningful on gfx90a and later CDNA only."""
        return bool(self.rsrc3 >> 16 & 1)

    def total_vgprs(self, target: Target) -> Optional[int]:
        """Allocated registers of both kinds, ``None`` where the target lacks the wave size."""
        if self.wave_size not in target.wave_sizes:
            return None
        granule = target.vgpr_file(self.wave_size).encoding_granule
        return (_bits(self.rsrc1, 0, 6) + 1) * granule

    def arch_vgprs(self, target: Target) -> Optional[int]:
        total = self.total_vgprs(target)
        if total is None or not target.unified_vgprs:
            return total
        offset = (_bits(self.rsrc3, 0, 6) + 1) * target.count("vgpr.accum_offset_granule")
        return min(offset, total)

    def accum_vgprs(self, target: Target) -> Optional[int]:
        total, arch = self.total_vgprs(target), self.arch_vgprs(target)
        return None if total is None or arch is None else total - arch

    def sgprs(self, target: Target) -> int:
        """Allocated scalar registers; the field is unused where every wave has a fixed set."""
        if target.optional_count("sgpr.total") is None:
            return target.count("sgpr.granule")
        # Counted in steps of 8, allocated in steps of 16: the lowest bit of the field is 0.
        return (_bits(self.rsrc1, 6, 4) // 2 + 1) * target.count("sgpr.granule")


def parse_descriptor(data: bytes) -> KernelDescriptor:
    if len(data) != SIZE:
        raise CodeObjectError(f"a kernel descriptor has {SIZE} bytes, got {len(data)}")
    group, private, kernarg, _, entry, rsrc3, rsrc1, rsrc2, properties, preload, _ = _LAYOUT.unpack(
        data
    )
    return KernelDescriptor(
        group_segment_size=group,
        private_segment_size=private,
        kernarg_size=kernarg,
        entry_offset=entry,
        rsrc1=rsrc1,
        rsrc2=rsrc2,
        rsrc3=rsrc3,
        properties=properties,
        kernarg_preload_length=_bits(preload, 0, 7),
        kernarg_preload_offset=_bits(preload, 7, 9),
    )


def _bits(value: int, shift: int, width: int) -> int:
    return value >> shift & (1 << width) - 1
