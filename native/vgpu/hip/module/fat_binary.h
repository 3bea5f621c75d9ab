// Finding the code object for our device inside what clang embeds in a HIP program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vgpu::hip {

struct CodeObjectView {
  std::string target;  // "amdgcn-amd-amdhsa--gfx942", with features if the bundle has them
  const uint8_t* data = nullptr;
  size_t bytes = 0;
};

enum class FatBinaryError { None, NotABundle, Truncated, Compressed };

// Lists the device code objects of an offload bundle ("__CLANG_OFFLOAD_BUNDLE__"), or the one
// code object when `data` is a plain ELF. `available` may be 0 when the length is unknown, as for
// an embedded fat binary; the bundle's own offsets are then trusted.
FatBinaryError list_code_objects(const void* data, size_t available,
                                 std::vector<CodeObjectView>& found);

// The best match for `isa` (for example "gfx942", with sramecc on and xnack off), or null.
const CodeObjectView* select_code_object(const std::vector<CodeObjectView>& objects,
                                         const std::string& processor);

// The length of an ELF file image from its own headers; 0 when it is not a 64-bit ELF.
size_t elf_image_bytes(const uint8_t* data);

}  // namespace vgpu::hip
