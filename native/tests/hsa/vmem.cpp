// Virtual memory management, and where the aperture lies.
#include <sys/mman.h>

#include <cstring>

#include "check.h"

static constexpr size_t kBlock = 2u << 20;

static void* reserve(size_t bytes, uint64_t wanted = 0) {
  void* address = nullptr;
  CHECK_OK(hsa_amd_vmem_address_reserve(&address, bytes, wanted, 0));
  return address;
}

static hsa_amd_vmem_alloc_handle_t memory(const Session& session, size_t bytes) {
  hsa_amd_vmem_alloc_handle_t handle{};
  CHECK_OK(hsa_amd_vmem_handle_create(session.device, bytes, MEMORY_TYPE_NONE, 0, &handle));
  return handle;
}

static void allow(const Session& session, void* address, size_t bytes) {
  const hsa_amd_memory_access_desc_t access[2] = {{HSA_ACCESS_PERMISSION_RW, session.gpu},
                                                  {HSA_ACCESS_PERMISSION_RW, session.cpu}};
  CHECK_OK(hsa_amd_vmem_set_access(address, bytes, access, 2));
}

HSA_TEST(wanted_address_is_given_when_free) {
  Session session;
  void* probe = reserve(16 * kBlock);
  CHECK_OK(hsa_amd_vmem_address_free(probe, 16 * kBlock));
  const uint64_t wanted = reinterpret_cast<uint64_t>(probe) + 4 * kBlock;
  void* inside = reserve(kBlock, wanted);
  CHECK_EQ(reinterpret_cast<uint64_t>(inside), wanted);
  void* elsewhere = reserve(kBlock, wanted);  // taken: another address, and success
  CHECK(elsewhere != inside);
  CHECK_OK(hsa_amd_vmem_address_free(inside, kBlock));
  CHECK_OK(hsa_amd_vmem_address_free(elsewhere, kBlock));
}

HSA_TEST(wanted_address_outside_of_the_aperture) {
  Session session;
  const uint64_t wanted = 0x300000000000;
  void* address = reserve(kBlock, wanted);
  CHECK_EQ(reinterpret_cast<uint64_t>(address), wanted);
  const auto handle = memory(session, kBlock);
  CHECK_OK(hsa_amd_vmem_map(address, kBlock, 0, handle, 0));
  allow(session, address, kBlock);
  static_cast<int*>(address)[5] = 6;
  CHECK_OK(hsa_amd_vmem_unmap(address, kBlock));
  CHECK_OK(hsa_amd_vmem_handle_release(handle));
  CHECK_OK(hsa_amd_vmem_address_free(address, kBlock));
  void* mine = mmap(reinterpret_cast<void*>(wanted), kBlock, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK_EQ(reinterpret_cast<uint64_t>(mine), wanted);  // it was given back
  CHECK(reserve(kBlock, wanted) != mine);
}

HSA_TEST(reservation_keeps_its_alignment) {
  Session session;
  void* address = nullptr;
  CHECK_OK(hsa_amd_vmem_address_reserve_align(&address, kBlock, 0, 64u << 20, 0));
  CHECK_EQ(reinterpret_cast<uint64_t>(address) % (64u << 20), 0u);
  CHECK_EQ(hsa_amd_vmem_address_reserve_align(&address, kBlock, 0, 12345, 0),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK_EQ(hsa_amd_vmem_address_reserve(&address, 100, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

HSA_TEST(one_memory_may_be_mapped_twice) {
  Session session;
  auto* first = static_cast<char*>(reserve(2 * kBlock));
  char* second = first + kBlock;
  const auto handle = memory(session, kBlock);
  CHECK_OK(hsa_amd_vmem_map(first, kBlock, 0, handle, 0));
  CHECK_OK(hsa_amd_vmem_map(second, kBlock, 0, handle, 0));
  allow(session, first, 2 * kBlock);
  std::strcpy(first, "alias");
  CHECK_EQ(std::strcmp(second, "alias"), 0);
  CHECK_OK(hsa_amd_vmem_handle_release(handle));  // the mappings keep it
  CHECK_EQ(std::strcmp(second, "alias"), 0);
  hsa_amd_vmem_alloc_handle_t retained{};
  CHECK_OK(hsa_amd_vmem_retain_alloc_handle(&retained, second + 100));
  CHECK_EQ(retained.handle, handle.handle);
  CHECK_OK(hsa_amd_vmem_unmap(first, 2 * kBlock));
  CHECK_OK(hsa_amd_vmem_handle_release(retained));
  CHECK_EQ(hsa_amd_vmem_handle_release(retained), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK_OK(hsa_amd_vmem_address_free(first, 2 * kBlock));
}

HSA_TEST(access_is_per_agent) {
  Session session;
  void* address = reserve(kBlock);
  const auto handle = memory(session, kBlock);
  const hsa_amd_memory_access_desc_t access{HSA_ACCESS_PERMISSION_RW, session.gpu};
  CHECK_EQ(hsa_amd_vmem_set_access(address, kBlock, &access, 1),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);  // nothing mapped yet
  CHECK_OK(hsa_amd_vmem_map(address, kBlock, 0, handle, 0));
  hsa_access_permission_t permission;
  CHECK_OK(hsa_amd_vmem_get_access(address, &permission, session.gpu));
  CHECK_EQ(permission, HSA_ACCESS_PERMISSION_NONE);
  CHECK_OK(hsa_amd_vmem_set_access(address, kBlock, &access, 1));
  CHECK_OK(hsa_amd_vmem_get_access(static_cast<char*>(address) + 5, &permission, session.gpu));
  CHECK_EQ(permission, HSA_ACCESS_PERMISSION_RW);
}

HSA_TEST(wrong_mappings_have_their_status) {
  Session session;
  auto* address = static_cast<char*>(reserve(2 * kBlock));
  const auto handle = memory(session, kBlock);
  CHECK_EQ(hsa_amd_vmem_map(address + kBlock, 2 * kBlock, 0, handle, 0),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);  // leaves the reservation
  CHECK_EQ(hsa_amd_vmem_map(address, kBlock, 0, {99}, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK_OK(hsa_amd_vmem_map(address, kBlock, 0, handle, 0));
  CHECK_EQ(hsa_amd_vmem_map(address + 4096, 4096, 0, handle, 0),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);  // overlaps
  CHECK_EQ(hsa_amd_vmem_address_free(address, 2 * kBlock), HSA_STATUS_ERROR_RESOURCE_FREE);
  CHECK_EQ(hsa_amd_vmem_unmap(address, 4096), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK_EQ(hsa_amd_vmem_handle_create(session.device, 100, MEMORY_TYPE_NONE, 0, nullptr),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK_OK(hsa_amd_vmem_unmap(address, kBlock));
  CHECK_OK(hsa_amd_vmem_address_free(address, 2 * kBlock));
  CHECK_EQ(hsa_amd_vmem_address_free(address, 2 * kBlock), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

HSA_TEST(exported_memory_is_the_same_memory) {
  Session session;
  const auto handle = memory(session, kBlock);
  int fd = -1;
  CHECK_OK(hsa_amd_vmem_export_shareable_handle(&fd, handle, 0));
  hsa_amd_vmem_alloc_handle_t imported{};
  CHECK_OK(hsa_amd_vmem_import_shareable_handle(fd, &imported));
  auto* address = static_cast<char*>(reserve(2 * kBlock));
  CHECK_OK(hsa_amd_vmem_map(address, kBlock, 0, handle, 0));
  CHECK_OK(hsa_amd_vmem_map(address + kBlock, kBlock, 0, imported, 0));
  allow(session, address, 2 * kBlock);
  volatile char* bytes = address;  // one byte at two addresses: compilers expect otherwise
  bytes[7] = 'x';
  CHECK_EQ(bytes[kBlock + 7], 'x');
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t type;
  CHECK_OK(hsa_amd_vmem_get_alloc_properties_from_handle(handle, &pool, &type));
  CHECK_EQ(pool.handle, session.device.handle);
}

HSA_TEST(pointer_info_of_reserved_and_mapped_addresses) {
  Session session;
  void* address = reserve(kBlock);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  CHECK_OK(hsa_amd_pointer_info(address, &info, nullptr, nullptr, nullptr));
  CHECK_EQ(info.type, HSA_EXT_POINTER_TYPE_RESERVED_ADDR);
  CHECK_OK(hsa_amd_vmem_map(address, kBlock, 0, memory(session, kBlock), 0));
  CHECK_OK(hsa_amd_agents_allow_access(1, &session.gpu, nullptr, address));
  CHECK_OK(hsa_amd_pointer_info(address, &info, nullptr, nullptr, nullptr));
  CHECK_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA);
  CHECK_EQ(info.sizeInBytes, kBlock);
}

// --- The aperture -------------------------------------------------------------------------------

HSA_TEST(prints_an_allocation_address) {
  Session session;
  std::printf("%p\n", session.allocate(session.device, 4096));
}

// Replay blocks the captured ranges before hsa_init so that the runtime stays out of them.
HSA_TEST(aperture_avoids_what_is_already_mapped) {
  const size_t span = size_t{64} << 30;
  const uint64_t blocked = 0x7e0000000000;
  void* mine = mmap(reinterpret_cast<void*>(blocked), span, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK_EQ(reinterpret_cast<uint64_t>(mine), blocked);
  Session session;
  const auto address = reinterpret_cast<uint64_t>(session.allocate(session.device, kBlock));
  CHECK(address - blocked >= span);
  CHECK_EQ(munmap(mine, span), 0);
  void* reserved = reserve(kBlock, blocked + 3 * kBlock);
  CHECK_EQ(reinterpret_cast<uint64_t>(reserved), blocked + 3 * kBlock);
}
