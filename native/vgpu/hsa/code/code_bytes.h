// Where a code object's bytes are, and the URI by which tools find them again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hsa/hsa_ven_amd_loader.h"

namespace vrocm {

struct CodeBytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
  std::string uri;
  std::shared_ptr<std::vector<uint8_t>> owned;  // read from a file; memory is the program's
};

CodeBytes code_in_memory(const void* data, size_t size);
// False when the file cannot be read or is shorter. size 0: to its end.
bool code_in_file(int file, size_t offset, size_t size, CodeBytes& code);

// The object behind a reader handle.
const CodeBytes* code_from_reader(hsa_code_object_reader_t reader);

}  // namespace vrocm
