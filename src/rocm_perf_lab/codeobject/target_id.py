"""The target of a code object, as the flags of its ELF header encode it."""

from __future__ import annotations

from rocm_perf_lab.codeobject.elf import ElfFile
from rocm_perf_lab.errors import CodeObjectError

# EF_AMDGPU_MACH of LLVM's AMDGPUUsage, without the R600 targets.
MACHINES = {
    0x20: "gfx600", 0x21: "gfx601", 0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702",
    0x25: "gfx703", 0x26: "gfx704", 0x28: "gfx801", 0x29: "gfx802", 0x2A: "gfx803",
    0x2B: "gfx810", 0x2C: "gfx900", 0x2D: "gfx902", 0x2E: "gfx904", 0x2F: "gfx906",
    0x30: "gfx908", 0x31: "gfx909", 0x32: "gfx90c", 0x33: "gfx1010", 0x34: "gfx1011",
    0x35: "gfx1012", 0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033",
    0x3A: "gfx602", 0x3B: "gfx705", 0x3C: "gfx805", 0x3D: "gfx1035", 0x3E: "gfx1034",
    0x3F: "gfx90a", 0x40: "gfx940", 0x41: "gfx1100", 0x42: "gfx1013", 0x43: "gfx1150",
    0x44: "gfx1103", 0x45: "gfx1036", 0x46: "gfx1101", 0x47: "gfx1102", 0x48: "gfx1200",
    0x49: "gfx1250", 0x4A: "gfx1151", 0x4B: "gfx941", 0x4C: "gfx942", 0x4E: "gfx1201",
    0x4F: "gfx950", 0x51: "gfx9-generic", 0x52: "gfx10-1-generic", 0x53: "gfx10-3-generic",
    0x54: "gfx11-generic", 0x55: "gfx1152", 0x58: "gfx1153", 0x59: "gfx12-generic",
    0x5F: "gfx9-4-generic",
}  # fmt: skip

_MACHINE_MASK = 0xFF
_ABI_V3 = 1  # EI_ABIVERSION; from V4 on each feature has two bits: none, any, off, on
_V3_FEATURES = (("sramecc", 0x200), ("xnack", 0x100))
_V4_FEATURES = (("sramecc", 10), ("xnack", 8))
_V4_SETTING = {2: "-", 3: "+"}


def target_from_flags(elf: ElfFile) -> str:
    """``gfx942:sramecc+:xnack-``; a feature that is not fixed is left out."""
    machine = elf.flags & _MACHINE_MASK
    if machine not in MACHINES:
        raise CodeObjectError(f"unknown AMD GPU in the ELF flags: {machine:#04x}")
    features = []
    if elf.abi_version <= _ABI_V3:
        features = [f"{name}+" for name, bit in _V3_FEATURES if elf.flags & bit]
    else:
        for name, shift in _V4_FEATURES:
            setting = _V4_SETTING.get(elf.flags >> shift & 3)
            if setting:
                features.append(name + setting)
    return ":".join([MACHINES[machine], *features])
