#include "contents/code_objects.h"

#include <unistd.h>

#include <map>
#include <mutex>
#include <unordered_map>

#include "hooks/gate.h"
#include "hooks/settings.h"
#include "hooks/tables.h"
#include "metadata/kernel_metadata.h"
#include "metadata/readable_name.h"

namespace capture {
namespace {

struct Loaded {
  LoadedCode code;
  uint64_t executable = 0;
  uint64_t agent = 0;
  std::unordered_map<std::string, uint32_t> argument_bytes;  // by symbol, as the metadata say
};

struct Book {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<const Kernel>> kernels;  // by kernel object
  std::map<uint64_t, uint64_t> executable_of;                 // by kernel object
  std::map<uint64_t, Loaded> code;                            // by load base
};

Book& book() {
  static Book* instance = new Book;
  return *instance;
}

template <typename T>
T ask(hsa_loaded_code_object_t object, hsa_ven_amd_loader_loaded_code_object_info_t what) {
  T value{};
  loader().hsa_ven_amd_loader_loaded_code_object_get_info(object, what, &value);
  return value;
}

std::vector<uint8_t> read_file(int fd) {
  std::vector<uint8_t> bytes;
  const off_t size = lseek(fd, 0, SEEK_END);
  if (size <= 0) return bytes;
  bytes.resize(static_cast<size_t>(size));
  if (pread(fd, bytes.data(), bytes.size(), 0) != size) bytes.clear();
  return bytes;
}

// Now, while it is being loaded: later the program may give the memory or the file back.
std::vector<uint8_t> bytes_of(hsa_loaded_code_object_t object) {
  const auto type =
      ask<uint32_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE);
  if (type == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE) {
    return read_file(
        ask<int>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE));
  }
  const auto base = ask<uint64_t>(
      object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE);
  const auto size = ask<uint64_t>(
      object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE);
  const auto* data = reinterpret_cast<const uint8_t*>(base);
  return data ? std::vector<uint8_t>(data, data + size) : std::vector<uint8_t>();
}

hsa_status_t remember_code(hsa_executable_t executable, hsa_loaded_code_object_t object, void*) {
  Loaded loaded;
  loaded.executable = executable.handle;
  loaded.agent = ask<hsa_agent_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT).handle;
  loaded.code.base = ask<uint64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE);
  loaded.code.size = ask<uint64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE);
  loaded.code.delta = ask<int64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA);
  std::lock_guard<std::mutex> lock(book().mutex);
  if (!loaded.code.base || book().code.count(loaded.code.base)) return HSA_STATUS_SUCCESS;
  if (!settings().list_only) {
    loaded.code.bytes = std::make_shared<std::vector<uint8_t>>(bytes_of(object));
    loaded.argument_bytes =
        code_metadata::argument_bytes_of(loaded.code.bytes->data(), loaded.code.bytes->size());
  }
  book().code[loaded.code.base] = loaded;
  return HSA_STATUS_SUCCESS;
}

void remember_loaded(hsa_executable_t executable) {
  const auto iterate = loader().hsa_ven_amd_loader_executable_iterate_loaded_code_objects;
  if (iterate) iterate(executable, remember_code, nullptr);
}

// The metadata's word on the kernel; under the book's lock.
uint32_t stated_argument_bytes(uint64_t kernel_object, const std::string& symbol) {
  auto it = book().code.upper_bound(kernel_object);
  if (it == book().code.begin()) return 0;
  const auto& stated = std::prev(it)->second.argument_bytes;
  const auto found = stated.find(symbol);
  return found == stated.end() ? 0 : found->second;
}

hsa_status_t remember_symbol(hsa_executable_t executable, hsa_agent_t,
                             hsa_executable_symbol_t symbol, void* any_wanted) {
  const auto info = core().hsa_executable_symbol_get_info_fn;
  hsa_symbol_kind_t kind = HSA_SYMBOL_KIND_VARIABLE;
  info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind);
  if (kind != HSA_SYMBOL_KIND_KERNEL) return HSA_STATUS_SUCCESS;
  uint32_t length = 0;
  uint64_t object = 0;
  auto kernel = std::make_shared<Kernel>();
  info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
  kernel->mangled.resize(length);
  info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, &kernel->mangled[0]);
  info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object);
  info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel->kernarg_size);
  kernel->demangled = vrocm::readable_name(kernel->mangled.substr(0, kernel->mangled.rfind(".kd")));
  kernel->wanted = kernel_is_wanted(kernel->mangled, kernel->demangled);
  if (kernel->wanted) *static_cast<bool*>(any_wanted) = true;
  std::lock_guard<std::mutex> lock(book().mutex);
  kernel->kernarg_size = code_metadata::argument_bytes(
      stated_argument_bytes(object, kernel->mangled), kernel->kernarg_size);
  book().kernels[object] = kernel;
  book().executable_of[object] = executable.handle;
  return HSA_STATUS_SUCCESS;
}

struct Agents {
  hsa_executable_t executable;
  bool any_wanted;
};

hsa_status_t remember_symbols_of(hsa_agent_t agent, void* data) {
  auto* found = static_cast<Agents*>(data);
  core().hsa_executable_iterate_agent_symbols_fn(found->executable, agent, remember_symbol,
                                                 &found->any_wanted);
  return HSA_STATUS_SUCCESS;
}

void drop_bytes_of(hsa_executable_t executable) {
  std::lock_guard<std::mutex> lock(book().mutex);
  for (auto& entry : book().code) {
    if (entry.second.executable == executable.handle) entry.second.code.bytes.reset();
  }
}

// --- Watched calls -------------------------------------------------------------------------------

hsa_status_t load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                    hsa_code_object_reader_t reader, const char* options,
                                    hsa_loaded_code_object_t* loaded) {
  const Passing pass(gate());
  const hsa_status_t status =
      core().hsa_executable_load_agent_code_object_fn(executable, agent, reader, options, loaded);
  if (status == HSA_STATUS_SUCCESS) remember_loaded(executable);
  return status;
}

hsa_status_t load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                              hsa_code_object_t code_object, const char* options) {
  const Passing pass(gate());
  const hsa_status_t status =
      core().hsa_executable_load_code_object_fn(executable, agent, code_object, options);
  if (status == HSA_STATUS_SUCCESS) remember_loaded(executable);
  return status;
}

hsa_status_t freeze(hsa_executable_t executable, const char* options) {
  const Passing pass(gate());
  const hsa_status_t status = core().hsa_executable_freeze_fn(executable, options);
  if (status != HSA_STATUS_SUCCESS) return status;
  Agents found{executable, false};
  core().hsa_iterate_agents_fn(remember_symbols_of, &found);
  if (!found.any_wanted) drop_bytes_of(executable);
  return status;
}

hsa_status_t destroy(hsa_executable_t executable) {
  const Passing pass(gate());
  {
    std::lock_guard<std::mutex> lock(book().mutex);
    for (auto it = book().executable_of.begin(); it != book().executable_of.end();) {
      if (it->second == executable.handle) {
        book().kernels.erase(it->first);
        it = book().executable_of.erase(it);
      } else {
        ++it;
      }
    }
    for (auto it = book().code.begin(); it != book().code.end();) {
      it = it->second.executable == executable.handle ? book().code.erase(it) : std::next(it);
    }
  }
  return core().hsa_executable_destroy_fn(executable);
}

}  // namespace

void watch_code(HsaApiTable* table) {
  table->core_->hsa_executable_load_agent_code_object_fn = load_agent_code_object;
  table->core_->hsa_executable_load_code_object_fn = load_code_object;
  table->core_->hsa_executable_freeze_fn = freeze;
  table->core_->hsa_executable_destroy_fn = destroy;
}

std::shared_ptr<const Kernel> kernel_at(uint64_t kernel_object) {
  std::lock_guard<std::mutex> lock(book().mutex);
  const auto it = book().kernels.find(kernel_object);
  return it == book().kernels.end() ? nullptr : it->second;
}

LoadedCode code_at(uint64_t address) {
  std::lock_guard<std::mutex> lock(book().mutex);
  auto it = book().code.upper_bound(address);
  if (it == book().code.begin()) return {};
  --it;
  return address - it->first < it->second.code.size ? it->second.code : LoadedCode{};
}

std::vector<Region> loaded_code(hsa_agent_t agent) {
  std::vector<Region> regions;
  std::lock_guard<std::mutex> lock(book().mutex);
  for (const auto& entry : book().code) {
    if (entry.second.agent != agent.handle) continue;
    Region region;
    region.base = entry.first;
    region.size = entry.second.code.size;
    region.kind = MemoryKind::Code;
    region.owner = agent.handle;
    regions.push_back(region);
  }
  return regions;
}

}  // namespace capture
