// What kernels may touch: a device fault ends the process with a report.
#include "scaling.h"

HSA_TEST(kernel_reads_locked_host_memory) {
  Scaling scaling;
  std::vector<int> host(1024, 5);
  void* seen = nullptr;
  CHECK_OK(hsa_amd_memory_lock(host.data(), host.size() * 4, nullptr, 0, &seen));
  scaling.arguments->in = static_cast<int*>(seen);
  scaling.run(1024, 256);
  CHECK_EQ(scaling.out[1023], 15);
  CHECK_OK(hsa_amd_memory_unlock(host.data()));
}

HSA_TEST(kernel_reads_and_writes_mapped_virtual_memory) {
  Scaling scaling;
  constexpr size_t kBytes = 2u << 20;
  void* address = nullptr;
  hsa_amd_vmem_alloc_handle_t memory{};
  CHECK_OK(hsa_amd_vmem_address_reserve(&address, kBytes, 0, 0));
  CHECK_OK(
      hsa_amd_vmem_handle_create(scaling.session.device, kBytes, MEMORY_TYPE_NONE, 0, &memory));
  CHECK_OK(hsa_amd_vmem_map(address, kBytes, 0, memory, 0));
  const hsa_amd_memory_access_desc_t access[2] = {{HSA_ACCESS_PERMISSION_RW, scaling.session.gpu},
                                                  {HSA_ACCESS_PERMISSION_RW, scaling.session.cpu}};
  CHECK_OK(hsa_amd_vmem_set_access(address, kBytes, access, 2));
  scaling.arguments->out = static_cast<int*>(address);
  scaling.run(1024, 256);
  CHECK_EQ(static_cast<int*>(address)[1023], 3 * 1023);
}

HSA_TEST(svm_attributes_open_host_memory) {
  Scaling scaling;
  std::vector<int> host(1024, 2);
  hsa_amd_svm_attribute_pair_t access{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE,
                                      scaling.session.gpu.handle};
  CHECK_OK(hsa_amd_svm_attributes_set(host.data(), host.size() * 4, &access, 1));
  scaling.arguments->in = host.data();
  scaling.run(1024, 256);
  CHECK_EQ(scaling.out[0], 6);
}

HSA_TEST(prefetch_completes_after_its_dependencies) {
  Session session;
  std::vector<int> host(1024);
  const hsa_signal_t gate = make_signal(1), done = make_signal(1);
  CHECK_OK(hsa_amd_svm_prefetch_async(host.data(), 4096, session.gpu, 1, &gate, done));
  CHECK_EQ(hsa_signal_load_relaxed(done), 1);
  hsa_signal_store_relaxed(gate, 0);
  wait_until_zero(done);
}

// The following end by a device fault; the test driver reads the report.

HSA_TEST(faults_on_freed_memory) {
  Scaling scaling;
  CHECK_OK(hsa_amd_memory_pool_free(scaling.in));
  scaling.run(1024, 256);
}

HSA_TEST(faults_on_plain_host_memory) {
  Scaling scaling;
  std::vector<int> host(1024, 5);
  scaling.arguments->in = host.data();
  scaling.run(1024, 256);
}

HSA_TEST(faults_on_host_pool_without_access) {
  Scaling scaling;
  void* memory = nullptr;
  CHECK_OK(hsa_amd_memory_pool_allocate(scaling.session.fine, 4096, 0, &memory));
  scaling.arguments->in = static_cast<int*>(memory);
  scaling.run(1024, 256);
}
