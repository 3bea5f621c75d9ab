#include "hooks/tables.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace capture {
namespace {

struct Originals {
  CoreApiTable core{};
  AmdExtTable amd{};
  hsa_ven_amd_loader_1_03_pfn_t loader{};
};

Originals& originals() {
  static Originals* instance = new Originals;
  return *instance;
}

// The last member of each table that the tool uses; an older runtime's table ends before it.
bool has_members(const HsaApiTable& table) {
  const size_t core_end = offsetof(CoreApiTable, hsa_executable_iterate_agent_symbols_fn);
  const size_t amd_end = offsetof(AmdExtTable, hsa_amd_vmem_get_access_fn);
  return table.core_->version.minor_id > core_end && table.amd_ext_->version.minor_id > amd_end;
}

// The runtime's table may be shorter or longer than the one this was compiled with.
template <typename Table>
void copy_members(Table& copy, const Table& table) {
  std::memcpy(static_cast<void*>(&copy), &table,
              std::min<size_t>(sizeof copy, table.version.minor_id));
}

}  // namespace

const CoreApiTable& core() { return originals().core; }
const AmdExtTable& amd() { return originals().amd; }

const hsa_ven_amd_loader_1_03_pfn_t& loader() {
  Originals& all = originals();
  if (!all.loader.hsa_ven_amd_loader_loaded_code_object_get_info) {
    all.core.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1, sizeof all.loader,
                                                     &all.loader);
  }
  return all.loader;
}

bool keep_originals(const HsaApiTable& table) {
  if (!has_members(table)) {
    std::fprintf(stderr, "rocm-perf isolate: this ROCm is too old: its HSA table lacks members\n");
    return false;
  }
  copy_members(originals().core, *table.core_);
  copy_members(originals().amd, *table.amd_ext_);
  return true;
}

std::string describe(const char* call, hsa_status_t status) {
  const char* text = nullptr;
  core().hsa_status_string_fn(status, &text);
  return std::string(call) + ": " + (text ? text : "status " + std::to_string(status));
}

}  // namespace capture
