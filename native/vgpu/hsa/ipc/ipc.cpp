// Memory shared between processes: an allocation moves into a file (memfd) the first time that it
// is exported; the handle says whose file it is, and an importer opens it through /proc.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "device/device.h"
#include "hsa/base/aperture.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/memory/allocation.h"

namespace vrocm {
namespace {

constexpr uint32_t kMagic = 0x76697063;  // "vipc"

struct Handle {  // the 32 bytes of hsa_amd_ipc_memory_t
  uint32_t magic, pid;
  int32_t fd;
  uint32_t reserved;
  uint64_t bytes;
  uint64_t inode;  // an fd number may be reused; the inode tells
};
static_assert(sizeof(Handle) == sizeof(hsa_amd_ipc_memory_t), "fits into the handle");

// Puts a file behind the allocation, with its content. The device must not be writing meanwhile,
// which a program that exports memory has to ensure anyway.
bool back_with_file(Allocation& allocation) {
  if (allocation.fd >= 0) return true;
  const int fd = memfd_create("vrocm-shared", MFD_CLOEXEC);
  if (fd < 0) return false;
  void* base = reinterpret_cast<void*>(allocation.base);
  const bool filled =
      ftruncate(fd, static_cast<off_t>(allocation.bytes)) == 0 &&
      pwrite(fd, base, allocation.bytes, 0) == static_cast<ssize_t>(allocation.bytes);
  if (!filled || mmap(base, allocation.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                      0) == MAP_FAILED) {
    close(fd);
    return false;
  }
  allocation.fd = fd;
  return true;
}

uint64_t inode_of(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 ? info.st_ino : 0;
}

int open_exported(const Handle& handle) {
  const std::string path =
      "/proc/" + std::to_string(handle.pid) + "/fd/" + std::to_string(handle.fd);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd >= 0 && inode_of(fd) != handle.inode) {
    close(fd);
    return -1;
  }
  return fd;
}

hsa_status_t attach(const Handle& handle, Agent& owner, std::vector<Agent*> access,
                    void** mapped_ptr) {
  const int fd = open_exported(handle);
  VROCM_REQUIRE_ARGUMENT(fd >= 0);
  const uint64_t base =
      Aperture::get().reserve(handle.bytes, handle.bytes >= kLargePage ? kLargePage : kPageSize);
  if (!base || mmap(reinterpret_cast<void*>(base), handle.bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
    close(fd);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  Allocation allocation{base,
                        handle.bytes,
                        handle.bytes,
                        HSA_EXT_POINTER_TYPE_IPC,
                        nullptr,
                        &owner,
                        next_label("memory of another process")};
  allocation.fd = fd;
  Allocations registered;
  set_access(registered.add(std::move(allocation)), std::move(access));
  *mapped_ptr = reinterpret_cast<void*>(base);
  return HSA_STATUS_SUCCESS;
}

}  // namespace

namespace api {

hsa_status_t hsa_amd_ipc_memory_create(void* ptr, size_t len, hsa_amd_ipc_memory_t* handle) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && len && handle);
  Allocations registered;
  Allocation* allocation = registered.at(ptr);
  VROCM_REQUIRE_ARGUMENT(allocation && allocation->type == HSA_EXT_POINTER_TYPE_HSA);
  VROCM_REQUIRE_ARGUMENT(len == allocation->requested || len == allocation->bytes);
  VROCM_REQUIRE(back_with_file(*allocation), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  const Handle exported{kMagic,
                        static_cast<uint32_t>(getpid()),
                        allocation->fd,
                        0,
                        allocation->bytes,
                        inode_of(allocation->fd)};
  std::memcpy(handle, &exported, sizeof exported);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t len,
                                       uint32_t num_agents, const hsa_agent_t* mapping_agents,
                                       void** mapped_ptr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(handle && mapped_ptr && (num_agents == 0 || mapping_agents));
  Handle imported;
  std::memcpy(&imported, handle, sizeof imported);
  VROCM_REQUIRE_ARGUMENT(imported.magic == kMagic && len <= imported.bytes);
  std::vector<Agent*> access;
  for (uint32_t i = 0; i < num_agents; ++i) {
    Agent* agent = agent_from_handle(mapping_agents[i]);
    VROCM_REQUIRE(agent, HSA_STATUS_ERROR_INVALID_AGENT);
    access.push_back(agent);
  }
  if (access.empty()) {
    for (const auto& agent : agents()) access.push_back(agent.get());
  }
  Agent* owner = access.front();
  for (Agent* agent : access) {
    if (agent->is_gpu()) owner = agent;
  }
  return attach(imported, *owner, std::move(access), mapped_ptr);
}

hsa_status_t hsa_amd_ipc_memory_detach(void* mapped_ptr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(mapped_ptr);
  Allocations registered;
  Allocation* allocation = registered.at(mapped_ptr);
  VROCM_REQUIRE_ARGUMENT(allocation && allocation->type == HSA_EXT_POINTER_TYPE_IPC);
  set_access(*allocation, {});
  Aperture::discard(allocation->base, allocation->bytes);
  Aperture::get().release(allocation->base, allocation->bytes);
  close(allocation->fd);
  registered.remove(allocation->base);
  return HSA_STATUS_SUCCESS;
}

// A dma-buf is the same file, given to the program.
hsa_status_t hsa_amd_portable_export_dmabuf(const void* ptr, size_t size, int* dmabuf,
                                            uint64_t* offset) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && size && dmabuf && offset);
  Allocations registered;
  Allocation* allocation = registered.find(ptr);
  VROCM_REQUIRE(allocation && allocation->type == HSA_EXT_POINTER_TYPE_HSA,
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  const uint64_t within = reinterpret_cast<uint64_t>(ptr) - allocation->base;
  VROCM_REQUIRE(size <= allocation->bytes - within, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  VROCM_REQUIRE(allocation->owner->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  VROCM_REQUIRE(back_with_file(*allocation), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  *dmabuf = fcntl(allocation->fd, F_DUPFD_CLOEXEC, 0);
  *offset = within;
  return *dmabuf >= 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void* ptr, size_t size, int* dmabuf,
                                               uint64_t* offset, uint64_t flags) {
  VROCM_REQUIRE_ARGUMENT(flags <= HSA_AMD_DMABUF_MAPPING_TYPE_PCIE);
  return api::hsa_amd_portable_export_dmabuf(ptr, size, dmabuf, offset);
}

hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf) {
  VROCM_REQUIRE_OPEN();
  return close(dmabuf) == 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_RESOURCE_FREE;
}

}  // namespace api
}  // namespace vrocm
