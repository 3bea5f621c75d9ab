#include "hsa/code/code_bytes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "hsa/base/api.h"
#include "hsa/base/runtime.h"

namespace vrocm {
namespace {

std::string file_uri(const std::string& path) {
  std::string uri = "file://";
  for (unsigned char c : path) {
    if (std::isalnum(c) || std::string("/-_.~").find(static_cast<char>(c)) != std::string::npos) {
      uri += static_cast<char>(c);
    } else {
      char escaped[4];
      std::snprintf(escaped, sizeof escaped, "%%%02X", c);
      uri += escaped;
    }
  }
  return uri;
}

std::string range_suffix(size_t offset, size_t size) {
  return "#offset=" + std::to_string(offset) + "&size=" + std::to_string(size);
}

// The file and offset that back an address, when a file does (e.g. the program's .hip_fatbin).
bool mapped_file(uint64_t address, std::string& path, size_t& offset) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long low, high, file_offset, inode;
    int name_at = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %*s %llx %*s %llu %n", &low, &high, &file_offset,
                    &inode, &name_at) != 4) {
      continue;
    }
    if (address < low || address >= high) continue;
    if (inode == 0 || line[name_at] != '/') return false;
    path = line.substr(name_at);
    offset = file_offset + (address - low);
    return true;
  }
  return false;
}

std::string path_of(int file) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = readlink(link.c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : std::string();
}

std::string memory_uri(const void* data, size_t size) {
  std::ostringstream uri;
  uri << "memory://" << getpid() << "#offset=0x" << std::hex << reinterpret_cast<uint64_t>(data)
      << std::dec << "&size=" << size;
  return uri.str();
}

hsa_status_t make_reader(CodeBytes code, hsa_code_object_reader_t* reader) {
  reader->handle = reinterpret_cast<uint64_t>(new CodeBytes(std::move(code)));
  return HSA_STATUS_SUCCESS;
}

}  // namespace

CodeBytes code_in_memory(const void* data, size_t size) {
  std::string path;
  size_t offset = 0;
  CodeBytes code;
  code.data = static_cast<const uint8_t*>(data);
  code.size = size;
  code.uri = mapped_file(reinterpret_cast<uint64_t>(data), path, offset)
                 ? file_uri(path) + range_suffix(offset, size)
                 : memory_uri(data, size);
  return code;
}

bool code_in_file(int file, size_t offset, size_t size, CodeBytes& code) {
  struct stat info;
  if (fstat(file, &info) != 0 || info.st_size < 0) return false;
  const auto file_size = static_cast<size_t>(info.st_size);
  if (offset >= file_size || size > file_size - offset) return false;
  const bool whole = size == 0;
  if (whole) size = file_size - offset;
  code.owned = std::make_shared<std::vector<uint8_t>>(size);
  for (size_t done = 0; done < size;) {
    const ssize_t got =
        pread(file, code.owned->data() + done, size - done, static_cast<off_t>(offset + done));
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  code.data = code.owned->data();
  code.size = size;
  code.uri = file_uri(path_of(file)) + (whole && offset == 0 ? "" : range_suffix(offset, size));
  return true;
}

const CodeBytes* code_from_reader(hsa_code_object_reader_t reader) {
  return reinterpret_cast<const CodeBytes*>(reader.handle);
}

namespace api {

hsa_status_t hsa_code_object_reader_create_from_memory(
    const void* code_object, size_t size, hsa_code_object_reader_t* code_object_reader) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(code_object && size && code_object_reader);
  return make_reader(code_in_memory(code_object, size), code_object_reader);
}

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file,
                                                     hsa_code_object_reader_t* code_object_reader) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(code_object_reader);
  CodeBytes code;
  VROCM_REQUIRE(code_in_file(file, 0, 0, code), HSA_STATUS_ERROR_INVALID_FILE);
  return make_reader(std::move(code), code_object_reader);
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(code_object_reader.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  delete code_from_reader(code_object_reader);
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm

extern "C" hsa_status_t hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(
    hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t* code_object_reader) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(code_object_reader && size);
  vrocm::CodeBytes code;
  VROCM_REQUIRE(vrocm::code_in_file(file, offset, size, code), HSA_STATUS_ERROR_INVALID_FILE);
  return vrocm::make_reader(std::move(code), code_object_reader);
}
