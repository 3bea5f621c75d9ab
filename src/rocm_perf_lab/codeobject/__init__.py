"""AMDGPU code objects: ELF notes, kernel descriptors and fat binaries."""
