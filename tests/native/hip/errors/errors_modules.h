// Modules, functions, occupancy, launches, names of functions.
void module_handle_rows(Things& t) {
  hipModule_t module;
  hipFunction_t function;
  hipLibrary_t library;
  hipKernel_t inside;
  void* pointer;
  size_t bytes;
  unsigned count;
  const char* text = "no code object, but long enough to look for a header in it: 0123456789";
  auto* as_library = reinterpret_cast<hipLibrary_t>(t.module);
  FAILS(hipModuleLoad, InvalidValue, kTests, nullptr, "x");
  FAILS(hipModuleLoad, InvalidValue, kTests, &module, nullptr);
  FAILS(hipModuleLoad, InvalidValue, kTests, &module, "");
  FAILS(hipModuleLoad, FileNotFound, kTests, &module, "/no/such/file");
  FAILS(hipModuleLoad, InvalidImage, kHip7, &module, "/dev/null");
  FAILS(hipModuleLoadData, InvalidValue, kTests, nullptr, text);
  FAILS(hipModuleLoadData, InvalidImage, kTests, &module, text);
  FAILS(hipModuleLoadDataEx, InvalidValue, kTests, nullptr, text, 0, nullptr, nullptr);
  FAILS(hipModuleLoadDataEx, InvalidImage, kTests, &module, text, 0, nullptr, nullptr);
  FAILS(hipModuleLoadFatBinary, InvalidValue, kHeader, nullptr, text);
  FAILS(hipModuleLoadFatBinary, InvalidImage, kHeader, &module, text);
  FAILS(hipModuleUnload, InvalidHandle, kTests, nullptr);
  FAILS(hipModuleUnload, NotFound, kTests, t.gone_module);
  FAILS(hipModuleGetFunction, InvalidValue, kTests, nullptr, t.module, "twice");
  FAILS(hipModuleGetFunction, InvalidValue, kTests, &function, t.module, nullptr);
  FAILS(hipModuleGetFunction, InvalidValue, kTests, &function, t.module, "");
  FAILS(hipModuleGetFunction, InvalidHandle, kTests, &function, nullptr, "twice");
  FAILS(hipModuleGetFunction, NotFound, kTests, &function, t.module, "thrice");
  FAILS(hipModuleGetFunctionCount, InvalidValue, kHeader, nullptr, t.module);
  FAILS(hipModuleGetFunctionCount, InvalidHandle, kHeader, &count, t.gone_module);
  FAILS(hipModuleGetGlobal, InvalidHandle, kTests, &pointer, &bytes, nullptr, "answer");
  FAILS(hipModuleGetGlobal, InvalidValue, kTests, &pointer, &bytes, t.module, nullptr);
  FAILS(hipModuleGetGlobal, InvalidValue, kTests, &pointer, &bytes, t.module, "");
  FAILS(hipModuleGetGlobal, InvalidValue, kTests, nullptr, nullptr, t.module, "answer");
  FAILS(hipModuleGetGlobal, NotFound, kTests, &pointer, &bytes, t.module, "question");
  FAILS(hipLibraryLoadData, InvalidImage, kHeader, &library, text, nullptr, nullptr, 0, nullptr,
        nullptr, 0);
  FAILS(hipLibraryLoadFromFile, FileNotFound, kHeader, &library, "/no/such/file", nullptr,
        nullptr, 0, nullptr, nullptr, 0);
  FAILS(hipLibraryUnload, InvalidHandle, kHeader, nullptr);
  FAILS(hipLibraryGetKernel, NotFound, kHeader, &inside, as_library, "thrice");
  FAILS(hipLibraryGetKernelCount, InvalidValue, kHeader, nullptr, as_library);
}

void function_rows(Things& t) {
  const void* stub = reinterpret_cast<const void*>(kernel);
  hipFunction_t found;
  hipFuncAttributes all;
  int value, other;
  void* address;
  hipDriverProcAddressQueryResult seen;
  hipDriverEntryPointQueryResult entry;
  FAILS(hipFuncGetAttributes, InvalidValue, kTests, nullptr, stub);
  FAILS(hipFuncGetAttributes, InvalidDeviceFunction, kTests, &all, nullptr);
  FAILS(hipFuncGetAttribute, InvalidValue, kTests, nullptr, HIP_FUNC_ATTRIBUTE_NUM_REGS,
        t.function);
  FAILS(hipFuncGetAttribute, InvalidHandle, kTests, &value, HIP_FUNC_ATTRIBUTE_NUM_REGS, nullptr);
  FAILS(hipFuncGetAttribute, InvalidValue, kTests, &value, static_cast<hipFunction_attribute>(-1),
        t.function);
  FAILS(hipFuncSetAttribute, InvalidDeviceFunction, kTests, nullptr,
        hipFuncAttributeMaxDynamicSharedMemorySize, 64);
  FAILS(hipFuncSetAttribute, InvalidValue, kTests, stub, static_cast<hipFuncAttribute>(-1), 64);
  FAILS(hipFuncSetAttribute, InvalidValue, kTests, stub,
        hipFuncAttributeMaxDynamicSharedMemorySize, -1);
  FAILS(hipFuncSetAttribute, InvalidValue, kTests, stub,
        hipFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
  FAILS(hipFuncSetAttribute, InvalidValue, kTests, stub,
        hipFuncAttributePreferredSharedMemoryCarveout, 101);
  FAILS(hipFuncSetCacheConfig, InvalidDeviceFunction, kTests, nullptr, hipFuncCachePreferL1);
  FAILS(hipFuncSetCacheConfig, InvalidValue, kTests, stub, static_cast<hipFuncCache_t>(-1));
  FAILS(hipFuncSetSharedMemConfig, InvalidDeviceFunction, kTests, nullptr,
        hipSharedMemBankSizeDefault);
  FAILS(hipFuncSetSharedMemConfig, InvalidValue, kTests, stub, static_cast<hipSharedMemConfig>(-1));
  FAILS(hipGetFuncBySymbol, InvalidValue, kTests, nullptr, stub);
  FAILS(hipGetFuncBySymbol, InvalidDeviceFunction, kTests, &found, t.host);
  FAILS(hipGetProcAddress, InvalidValue, kTests, nullptr, &address, 700, 0, &seen);
  FAILS(hipGetProcAddress, InvalidValue, kTests, "hipMalloc", nullptr, 700, 0, &seen);
  FAILS(hipGetProcAddress, InvalidValue, kTests, "hipNothing", &address, 700, 0, &seen);
  FAILS(hipGetDriverEntryPoint, InvalidValue, kHeader, nullptr, &address, 0, &entry);
  FAILS(hipGetDriverEntryPoint_spt, InvalidValue, kHeader, "hipMalloc", nullptr, 0, &entry);
  FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessor, InvalidValue, kTests, nullptr, stub, 64, 0);
  FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessor, InvalidValue, kTests, &value, stub, 0, 0);
  FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessor, InvalidDeviceFunction, kTests, &value,
        static_cast<const void*>(nullptr), 64, 0);
  FAILS(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, InvalidValue, kTests, &value, stub,
        64, 0, 77);
  FAILS(hipOccupancyMaxPotentialBlockSize, InvalidValue, kTests, nullptr, &other, stub, 0, 0);
  FAILS(hipOccupancyMaxPotentialBlockSize, InvalidDeviceFunction, kTests, &value, &other,
        static_cast<const void*>(nullptr), 0, 0);
  FAILS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, InvalidValue, kTests, nullptr,
        t.function, 64, 0);
  FAILS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, InvalidValue, kTests, &value, nullptr,
        64, 0);
  FAILS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, InvalidValue, kTests, &value,
        t.function, 64, 0, 77);
  FAILS(hipModuleOccupancyMaxPotentialBlockSize, InvalidValue, kTests, nullptr, &other,
        t.function, 0, 0);
  FAILS(hipModuleOccupancyMaxPotentialBlockSizeWithFlags, InvalidValue, kTests, &value, &other,
        t.function, 0, 0, 77);
}

void launch_rows(Things& t) {
  const void* stub = reinterpret_cast<const void*>(kernel);
  void* arguments[] = {&t.device};
  void* extra[] = {HIP_LAUNCH_PARAM_END};
  const dim3 one(1), none(0, 1, 1), many(1025, 1, 1), huge(1 << 30, 1, 1), full(1024, 1, 1);
  const hipFunction_t f = t.function;
  (void)hipConfigureCall(one, one, 0, nullptr);
  FAILS(hipSetupArgument, InvalidValue, kHeader, nullptr, 8, 0);
  FAILS(hipLaunchByPtr, InvalidDeviceFunction, kClr, nullptr);
  FAILS(hipLaunchKernel, InvalidDeviceFunction, kTests, static_cast<const void*>(nullptr), one,
        one, arguments, 0, nullptr);
  FAILS(hipLaunchKernel, InvalidValue, kHip7, stub, none, one, arguments, 0, nullptr);
  FAILS(hipLaunchKernel, InvalidValue, kHip7, stub, one, none, arguments, 0, nullptr);
  FAILS(hipLaunchKernel, InvalidConfiguration, kHip7, stub, one, many, arguments, 0, nullptr);
  FAILS(hipLaunchKernel, InvalidConfiguration, kClr, stub, huge, full, arguments, 0, nullptr);
  FAILS(hipLaunchKernel, InvalidValue, kHip7, stub, one, one, arguments, 1 << 20, nullptr);
  FAILS(hipLaunchKernel, InvalidValue, kClr, stub, one, one, nullptr, 0, nullptr);
  FAILS(hipLaunchKernel_spt, InvalidDeviceFunction, kTests, static_cast<const void*>(nullptr),
        one, one, arguments, 0, nullptr);
  FAILS(hipLaunchKernel_spt, InvalidValue, kHip7, stub, none, one, arguments, 0, nullptr);
  FAILS(hipLaunchKernel_spt, InvalidValue, kHip7, stub, one, none, arguments, 0, nullptr);
  FAILS(hipLaunchKernel_spt, InvalidConfiguration, kHip7, stub, one, many, arguments, 0, nullptr);
  FAILS(hipLaunchKernel_spt, InvalidConfiguration, kClr, stub, huge, full, arguments, 0, nullptr);
  FAILS(hipLaunchKernel_spt, InvalidValue, kHip7, stub, one, one, arguments, 1 << 20, nullptr);
  FAILS(hipLaunchKernel_spt, InvalidValue, kClr, stub, one, one, nullptr, 0, nullptr);
  FAILS(hipLaunchKernel, InvalidHandle, kHeader, stub, one, one, arguments, 0, t.gone_stream);
  FAILS(hipLaunchKernelExC, InvalidConfiguration, kHeader, nullptr, stub, arguments);
  hipLaunchConfig_t config{};
  config.gridDim = none;
  config.blockDim = one;
  FAILS(hipLaunchKernelExC, InvalidValue, kHip7, &config, stub, arguments);
  HIP_LAUNCH_CONFIG driver{};
  FAILS(hipDrvLaunchKernelEx, InvalidConfiguration, kHeader, nullptr, f, arguments, nullptr);
  FAILS(hipDrvLaunchKernelEx, InvalidValue, kHip7, &driver, f, arguments, nullptr);
  FAILS(hipDrvLaunchKernelEx, InvalidHandle, kClr, &driver, nullptr, arguments, nullptr);
  FAILS(hipExtLaunchKernel, InvalidDeviceFunction, kTests, static_cast<const void*>(nullptr), one,
        one, arguments, 0, nullptr, nullptr, nullptr, 0);
  FAILS(hipExtLaunchKernel, InvalidConfiguration, kHip7, stub, one, many, arguments, 0, nullptr,
        nullptr, nullptr, 0);
  FAILS(hipModuleLaunchKernel, InvalidHandle, kTests, nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr,
        arguments, nullptr);
  FAILS(hipModuleLaunchKernel, InvalidValue, kTests, f, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments,
        nullptr);
  FAILS(hipModuleLaunchKernel, InvalidValue, kTests, f, 1, 1, 1, 1, 0, 1, 0, nullptr, arguments,
        nullptr);
  FAILS(hipModuleLaunchKernel, InvalidConfiguration, kHip7, f, 1, 1, 1, 1025, 1, 1, 0, nullptr,
        arguments, nullptr);
  FAILS(hipModuleLaunchKernel, InvalidValue, kTests, f, 1, 1, 1, 1, 1, 1, 1 << 20, nullptr,
        arguments, nullptr);
  FAILS(hipModuleLaunchKernel, InvalidValue, kTests, f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
        extra);
  FAILS(hipModuleLaunchKernel, InvalidValue, kClr, f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
        nullptr);
  FAILS(hipModuleLaunchKernel, InvalidHandle, kHeader, f, 1, 1, 1, 1, 1, 1, 0, t.gone_stream,
        arguments, nullptr);
  FAILS(hipExtModuleLaunchKernel, InvalidHandle, kTests, nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr,
        arguments, nullptr, nullptr, nullptr, 0);
  FAILS(hipExtModuleLaunchKernel, InvalidValue, kTests, f, 0, 1, 1, 1, 1, 1, 0, nullptr,
        arguments, nullptr, nullptr, nullptr, 0);
  FAILS(hipExtModuleLaunchKernel, InvalidConfiguration, kClr, f, 1, 1, 1, 0, 1, 1, 0, nullptr,
        arguments, nullptr, nullptr, nullptr, 0);
  FAILS(hipExtModuleLaunchKernel, InvalidValue, kTests, f, 1, 1, 1, 1, 1, 1, 0, nullptr,
        arguments, extra, nullptr, nullptr, 0);
  FAILS(hipExtModuleLaunchKernel, InvalidConfiguration, kHip7, f, 1, 1, 1, 1025, 1, 1, 0, nullptr,
        arguments, nullptr, nullptr, nullptr, 0);
  FAILS(hipExtModuleLaunchKernel, InvalidConfiguration, kHip7, f, 1, 1, 1, 1, ~0u, 1, 0, nullptr,
        arguments, nullptr, nullptr, nullptr, 0);
  FAILS(hipExtModuleLaunchKernel, InvalidValue, kHip7, f, 1, 1, 1, 1, 1, 1, 1 << 20, nullptr,
        arguments, nullptr, nullptr, nullptr, 0);
  FAILS(hipHccModuleLaunchKernel, InvalidConfiguration, kHip7, f, 3, 1, 1, 3, 1, ~0u, 0, nullptr,
        arguments, nullptr, nullptr, nullptr);
  FAILS(hipHccModuleLaunchKernel, InvalidValue, kTests, f, 3, 1, 1, 3, 1, 1, ~size_t{0}, nullptr,
        arguments, nullptr, nullptr, nullptr);
  FAILS(hipHccModuleLaunchKernel, InvalidValue, kTests, f, 3, 1, 1, 3, 1, 1, 0, nullptr, nullptr,
        nullptr, nullptr, nullptr);
  FAILS(hipHccModuleLaunchKernel, InvalidHandle, kTests, nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr,
        arguments, nullptr, nullptr, nullptr);
  FAILS(hipModuleLaunchCooperativeKernel, InvalidHandle, kTests, nullptr, 1, 1, 1, 1, 1, 1, 0,
        nullptr, arguments);
  FAILS(hipModuleLaunchCooperativeKernel, InvalidValue, kHip7, f, 0, 1, 1, 1, 1, 1, 0, nullptr,
        arguments);
  FAILS(hipModuleLaunchCooperativeKernel, InvalidConfiguration, kHip7, f, 1, 1, 1, 1025, 1, 1, 0,
        nullptr, arguments);
  FAILS(hipModuleLaunchCooperativeKernel, CooperativeLaunchTooLarge, kHip7, f, 1, 1, 1, 1, 1, 1,
        1 << 20, nullptr, arguments);
  FAILS(hipModuleLaunchCooperativeKernel, CooperativeLaunchTooLarge, kTests, f, 1 << 20, 1, 1, 64,
        1, 1, 0, nullptr, arguments);
  FAILS(hipLaunchCooperativeKernel, InvalidDeviceFunction, kTests,
        static_cast<const void*>(nullptr), one, one, arguments, 0, nullptr);
  FAILS(hipLaunchCooperativeKernel, InvalidValue, kHip7, stub, none, one, arguments, 0, nullptr);
  FAILS(hipLaunchCooperativeKernel, InvalidConfiguration, kHip7, stub, one, many, arguments, 0,
        nullptr);
  FAILS(hipLaunchCooperativeKernel, InvalidHandle, kHip7, stub, one, one, arguments, 0,
        t.gone_stream);
  FAILS(hipLaunchCooperativeKernel_spt, InvalidDeviceFunction, kTests, nullptr, one, one,
        arguments, 0, nullptr);
  hipLaunchParams launch{};
  launch.func = const_cast<void*>(stub);
  launch.gridDim = launch.blockDim = one;
  launch.args = arguments;
  FAILS(hipLaunchCooperativeKernelMultiDevice, InvalidValue, kTests, nullptr, 1, 0);
  FAILS(hipLaunchCooperativeKernelMultiDevice, InvalidValue, kTests, &launch, 0, 0);
  FAILS(hipLaunchCooperativeKernelMultiDevice, InvalidHandle, kHip7, &launch, 1, 0);
  FAILS(hipExtLaunchMultiKernelMultiDevice, InvalidValue, kTests, nullptr, 1, 0);
  FAILS(hipExtLaunchMultiKernelMultiDevice, InvalidValue, kTests, &launch, 0, 0);
}

void module_rows(Things& t) {
  module_handle_rows(t);
  function_rows(t);
  launch_rows(t);
}
