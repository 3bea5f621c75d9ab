// Opening the runtime; agents, instruction sets, caches, extensions, status texts.
#include <cstring>

#include "check.h"

HSA_TEST(calls_before_init_are_refused) {
  hsa_signal_t signal{};
  CHECK_EQ(hsa_signal_create(0, 0, nullptr, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
  CHECK_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  const char* text = nullptr;
  CHECK_OK(hsa_status_string(HSA_STATUS_ERROR_NOT_INITIALIZED, &text));
  CHECK(std::strstr(text, "HSA_STATUS_ERROR_NOT_INITIALIZED") == text);
}

HSA_TEST(init_counts_references) {
  CHECK_OK(hsa_init());
  CHECK_OK(hsa_init());
  CHECK_OK(hsa_shut_down());
  uint64_t frequency = 0;
  CHECK_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  CHECK_EQ(frequency, 1000000000u);
  CHECK_OK(hsa_shut_down());
  CHECK_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency),
           HSA_STATUS_ERROR_NOT_INITIALIZED);
  CHECK_OK(hsa_init());  // and again
  CHECK_OK(hsa_shut_down());
}

HSA_TEST(gpu_describes_an_mi300x) {
  Session session;
  char name[64], product[64], uuid[21];
  CHECK_OK(hsa_agent_get_info(session.gpu, HSA_AGENT_INFO_NAME, name));
  CHECK_EQ(std::strcmp(name, "gfx942"), 0);
  CHECK_OK(hsa_agent_get_info(
      session.gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME), product));
  CHECK(std::strstr(product, "(virtual)") != nullptr);
  CHECK_OK(hsa_agent_get_info(session.gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_UUID),
                              uuid));
  CHECK_EQ(std::strncmp(uuid, "GPU-", 4), 0);
  CHECK_EQ(std::strlen(uuid), 20u);
  CHECK_EQ(agent_info<uint32_t>(session.gpu, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), 304);
  CHECK_EQ(agent_info<uint32_t>(session.gpu, HSA_AMD_AGENT_INFO_NUM_XCC), 8);
  CHECK_EQ(agent_info<uint32_t>(session.gpu, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU), 4);
  CHECK_EQ(agent_info<uint32_t>(session.gpu, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU), 32);
  CHECK_EQ(agent_info<uint32_t>(session.gpu, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY), 2100);
  CHECK_EQ(agent_info<uint32_t>(session.gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE), 64);
  CHECK_EQ(agent_info<hsa_agent_t>(session.gpu, HSA_AMD_AGENT_INFO_NEAREST_CPU).handle,
           session.cpu.handle);
}

HSA_TEST(every_known_attribute_has_an_answer) {
  Session session;
  char value[256];
  for (hsa_agent_t agent : session.agents) {
    for (uint32_t attribute = 0; attribute <= HSA_AGENT_INFO_FAST_F16_OPERATION; ++attribute) {
      CHECK_OK(hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), value));
    }
    for (uint32_t attribute = HSA_AMD_AGENT_INFO_CHIP_ID;
         attribute <= HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY; ++attribute) {
      CHECK_OK(hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), value));
    }
    for (uint32_t attribute = HSA_AMD_AGENT_INFO_IOMMU_SUPPORT;
         attribute <= HSA_AMD_AGENT_INFO_CLOCK_COUNTERS; ++attribute) {
      CHECK_OK(hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), value));
    }
    CHECK_EQ(hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(0xB000), value),
             HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  CHECK_EQ(hsa_agent_get_info({12345}, HSA_AGENT_INFO_NAME, value), HSA_STATUS_ERROR_INVALID_AGENT);
}

HSA_TEST(prints_how_many_gpus_there_are) {
  CHECK_OK(hsa_init());
  int gpus = 0;
  CHECK_OK(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        const auto type = agent_info<hsa_device_type_t>(agent, HSA_AGENT_INFO_DEVICE);
        *static_cast<int*>(data) += type == HSA_DEVICE_TYPE_GPU;
        return HSA_STATUS_SUCCESS;
      },
      &gpus));
  std::printf("%d\n", gpus);
}

HSA_TEST(gpu_executes_gfx942_code) {
  Session session;
  std::vector<std::string> names;
  CHECK_OK(hsa_agent_iterate_isas(
      session.gpu,
      [](hsa_isa_t isa, void* data) {
        uint32_t length = 0;
        CHECK_OK(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
        std::string name(length, '\0');
        CHECK_OK(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, &name[0]));
        static_cast<std::vector<std::string>*>(data)->push_back(name.c_str());
        return HSA_STATUS_SUCCESS;
      },
      &names));
  CHECK(names.at(0) == "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-");
  hsa_isa_t isa{};
  CHECK_OK(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", &isa));
  CHECK_EQ(isa.handle, agent_info<hsa_isa_t>(session.gpu, HSA_AGENT_INFO_ISA).handle);
  CHECK_EQ(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx1100", &isa),
           HSA_STATUS_ERROR_INVALID_ISA_NAME);
}

HSA_TEST(gpu_has_three_cache_levels) {
  Session session;
  std::vector<uint32_t> sizes;
  CHECK_OK(hsa_agent_iterate_caches(
      session.gpu,
      [](hsa_cache_t cache, void* data) {
        uint32_t size = 0;
        CHECK_OK(hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &size));
        static_cast<std::vector<uint32_t>*>(data)->push_back(size);
        return HSA_STATUS_SUCCESS;
      },
      &sizes));
  CHECK((sizes == std::vector<uint32_t>{32u << 10, 4u << 20, 256u << 20}));
}

HSA_TEST(loader_extension_table_is_complete) {
  Session session;
  hsa_ven_amd_loader_1_03_pfn_t table{};
  CHECK_OK(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, &table));
  CHECK(table.hsa_ven_amd_loader_query_host_address != nullptr);
  CHECK(table.hsa_ven_amd_loader_iterate_executables != nullptr);
  bool supported = false;
  CHECK_OK(hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, 3, &supported));
  CHECK(supported);
  CHECK_OK(hsa_system_extension_supported(HSA_EXTENSION_IMAGES, 1, 0, &supported));
  CHECK(!supported);
  hsa_ext_image_t image{};
  CHECK_EQ(hsa_ext_image_destroy(session.gpu, image),
           static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED));
}
