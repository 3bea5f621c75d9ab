// Allocation, host memory, queries, pools, virtual memory, hints, sharing.
void pool_rows(Things& t) {
  hipMemPool_t pool = nullptr, made = nullptr;
  void* pointer = nullptr;
  uint64_t value = 0, not_zero = 5;
  hipMemAccessFlags access;
  (void)hipDeviceGetDefaultMemPool(&pool, 0);
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 99};
  hipMemLocation place{hipMemLocationTypeDevice, 99}, nowhere{hipMemLocationTypeInvalid, 0};
  hipMemAccessDesc closed{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtNone};
  hipMemAccessDesc strange{{hipMemLocationTypeInvalid, 0}, hipMemAccessFlagsProtReadWrite};
  FAILS(hipMallocAsync, InvalidValue, kTests, static_cast<void**>(nullptr), 16, nullptr);
  FAILS(hipMallocAsync, InvalidHandle, kTests, &pointer, 16, t.gone_stream);
  FAILS(hipMallocAsync, OutOfMemory, kTests, &pointer, ~size_t{0} / 2, nullptr);
  FAILS(hipMallocFromPoolAsync, InvalidValue, kTests, &pointer, 16, nullptr, nullptr);
  FAILS(hipFreeAsync, InvalidValue, kTests, t.host, nullptr);
  FAILS(hipFreeAsync, InvalidHandle, kTests, t.device, t.gone_stream);
  FAILS(hipDeviceGetDefaultMemPool, InvalidValue, kTests, nullptr, 0);
  FAILS(hipDeviceGetDefaultMemPool, InvalidDevice, kTests, &made, 99);
  FAILS(hipDeviceGetMemPool, InvalidValue, kTests, nullptr, 0);
  FAILS(hipDeviceGetMemPool, InvalidValue, kTests, &made, -1);
  FAILS(hipDeviceSetMemPool, InvalidValue, kTests, 0, nullptr);
  FAILS(hipDeviceSetMemPool, InvalidValue, kTests, 99, pool);
  FAILS(hipMemPoolCreate, InvalidValue, kTests, nullptr, &properties);
  FAILS(hipMemPoolCreate, InvalidValue, kTests, &made, nullptr);
  FAILS(hipMemPoolCreate, InvalidValue, kTests, &made, &properties);
  FAILS(hipMemPoolDestroy, InvalidValue, kTests, nullptr);
  FAILS(hipMemPoolDestroy, InvalidValue, kTests, pool);
  FAILS(hipMemPoolTrimTo, InvalidValue, kTests, nullptr, 0);
  constexpr auto kFile = hipMemHandleTypePosixFileDescriptor;
  int file = -1;
  hipMemPoolPtrExportData shared{};
  FAILS(hipMemPoolExportToShareableHandle, InvalidValue, kClr, nullptr, pool, kFile, 0);
  FAILS(hipMemPoolExportToShareableHandle, InvalidValue, kClr, &file, nullptr, kFile, 0);
  FAILS(hipMemPoolExportToShareableHandle, InvalidValue, kClr, &file, pool, kFile, 0);
  FAILS(hipMemPoolImportFromShareableHandle, InvalidValue, kClr, nullptr, &file, kFile, 0);
  FAILS(hipMemPoolImportFromShareableHandle, InvalidValue, kClr, &made, nullptr, kFile, 0);
  FAILS(hipMemPoolExportPointer, InvalidValue, kClr, nullptr, t.device);
  FAILS(hipMemPoolExportPointer, OutOfMemory, kClr, &shared, t.host);
  FAILS(hipMemPoolImportPointer, InvalidValue, kClr, nullptr, pool, &shared);
  FAILS(hipMemPoolImportPointer, InvalidValue, kClr, &pointer, nullptr, &shared);
  FAILS(hipMemPoolSetAttribute, InvalidValue, kTests, nullptr, hipMemPoolAttrReleaseThreshold,
        &value);
  FAILS(hipMemPoolSetAttribute, InvalidValue, kTests, pool, hipMemPoolAttrUsedMemHigh, &not_zero);
  FAILS(hipMemPoolGetAttribute, InvalidValue, kTests, pool, static_cast<hipMemPoolAttr>(0x99),
        &value);
  FAILS(hipMemPoolGetAttribute, InvalidValue, kTests, pool, hipMemPoolAttrUsedMemHigh, nullptr);
  FAILS(hipMemPoolSetAccess, InvalidValue, kTests, nullptr, &closed, 1);
  FAILS(hipMemPoolSetAccess, InvalidDevice, kTests, pool, &closed, 1);
  FAILS(hipMemPoolSetAccess, InvalidDevice, kTests, pool, &closed, 100);
  FAILS(hipMemPoolSetAccess, InvalidValue, kTests, pool, &strange, 1);
  FAILS(hipMemPoolGetAccess, InvalidValue, kTests, nullptr, pool, &place);
  FAILS(hipMemPoolGetAccess, InvalidValue, kTests, &access, pool, &place);
  FAILS(hipMemPoolGetAccess, InvalidValue, kTests, &access, pool, &nowhere);
  FAILS(hipDeviceGetGraphMemAttribute, InvalidDevice, kTests, 99, hipGraphMemAttrUsedMemHigh,
        &value);
  FAILS(hipDeviceGetGraphMemAttribute, InvalidValue, kTests, 0, hipGraphMemAttrUsedMemHigh,
        nullptr);
  FAILS(hipDeviceSetGraphMemAttribute, InvalidDevice, kTests, 99, hipGraphMemAttrUsedMemHigh,
        &value);
  FAILS(hipDeviceSetGraphMemAttribute, InvalidValue, kTests, 0, hipGraphMemAttrUsedMemCurrent,
        &value);
  FAILS(hipDeviceGraphMemTrim, InvalidDevice, kTests, 99);
}

void virtual_memory_rows(Things& t) {
  void* address = nullptr;
  size_t granule = 0;
  unsigned long long flags;
  hipMemGenericAllocationHandle_t handle;
  hipMemAllocationProp kind{}, elsewhere{}, strange{};
  kind.type = elsewhere.type = strange.type = hipMemAllocationTypePinned;
  kind.location = strange.location = {hipMemLocationTypeDevice, 0};
  elsewhere.location = {hipMemLocationTypeDevice, 99};
  strange.requestedHandleType = hipMemHandleTypeWin32;
  hipMemAccessDesc access{{hipMemLocationTypeDevice, 99}, hipMemAccessFlagsProtReadWrite};
  (void)hipMemGetAllocationGranularity(&granule, &kind, hipMemAllocationGranularityMinimum);
  FAILS(hipMemGetAllocationGranularity, InvalidValue, kTests, nullptr, &kind,
        hipMemAllocationGranularityMinimum);
  FAILS(hipMemGetAllocationGranularity, InvalidValue, kTests, &granule, &elsewhere,
        hipMemAllocationGranularityMinimum);
  FAILS(hipMemGetAllocationGranularity, InvalidValue, kTests, &granule, &kind,
        static_cast<hipMemAllocationGranularity_flags>(9));
  FAILS(hipMemAddressReserve, InvalidValue, kTests, nullptr, granule, 0, nullptr, 0);
  FAILS(hipMemAddressReserve, InvalidValue, kClr, &address, granule, 0, nullptr, 1);
  FAILS(hipMemAddressReserve, OutOfMemory, kTests, &address, 0, 0, nullptr, 0);
  FAILS(hipMemAddressReserve, OutOfMemory, kTests, &address, granule + 1, 0, nullptr, 0);
  FAILS(hipMemAddressReserve, OutOfMemory, kTests, &address, granule, 3, nullptr, 0);
  FAILS(hipMemAddressFree, InvalidValue, kTests, nullptr, granule);
  FAILS(hipMemAddressFree, InvalidValue, kTests, t.host, 0);
  FAILS(hipMemCreate, InvalidValue, kTests, nullptr, granule, &kind, 0);
  FAILS(hipMemCreate, InvalidValue, kTests, &handle, 0, &kind, 0);
  FAILS(hipMemCreate, InvalidValue, kTests, &handle, granule + 1, &kind, 0);
  FAILS(hipMemCreate, InvalidValue, kTests, &handle, granule, &elsewhere, 0);
  FAILS(hipMemCreate, NotSupported, kClr, &handle, granule, &strange, 0);
  FAILS(hipMemRelease, InvalidValue, kTests, nullptr);
  FAILS(hipMemMap, InvalidValue, kTests, t.device, granule, 0, nullptr, 0);
  FAILS(hipMemUnmap, InvalidValue, kTests, nullptr, granule);
  FAILS(hipMemUnmap, InvalidValue, kTests, t.device, 4096);
  FAILS(hipMemSetAccess, InvalidValue, kTests, nullptr, granule, &access, 1);
  FAILS(hipMemSetAccess, InvalidValue, kTests, t.device, 0, &access, 1);
  FAILS(hipMemSetAccess, InvalidValue, kTests, t.device, granule, &access, 1);
  FAILS(hipMemGetAccess, InvalidValue, kTests, nullptr, &access.location, t.device);
  FAILS(hipMemGetAccess, InvalidValue, kTests, &flags, &access.location, t.device);
  FAILS(hipMemGetAllocationPropertiesFromHandle, InvalidValue, kTests, nullptr, nullptr);
  constexpr auto kFile = hipMemHandleTypePosixFileDescriptor;
  int file = -1;
  FAILS(hipMemExportToShareableHandle, InvalidValue, kClr, &file, nullptr, kFile, 0);
  FAILS(hipMemImportFromShareableHandle, InvalidValue, kClr, nullptr, &file, kFile);
  FAILS(hipMemImportFromShareableHandle, InvalidValue, kClr, &handle, nullptr, kFile);
  FAILS(hipMemImportFromShareableHandle, InvalidValue, kClr, &handle, &file, kFile);
  FAILS(hipMemRetainAllocationHandle, InvalidValue, kTests, nullptr, t.device);
  FAILS(hipMemRetainAllocationHandle, InvalidValue, kTests, &handle, t.device);
}

void hint_rows(Things& t) {
  int value = 0, *values[] = {&value};
  size_t sizes[] = {3};
  hipMemRangeAttribute attribute = hipMemRangeAttributeReadMostly;
  void** data = reinterpret_cast<void**>(values);
  const hipMemLocation elsewhere{hipMemLocationTypeDevice, 99};
  FAILS(hipMemAdvise, InvalidValue, kTests, nullptr, 4096, hipMemAdviseSetReadMostly, 0);
  FAILS(hipMemAdvise, InvalidValue, kTests, t.managed, 0, hipMemAdviseSetReadMostly, 0);
  FAILS(hipMemAdvise, InvalidValue, kTests, t.managed, 9000, hipMemAdviseSetReadMostly, 0);
  FAILS(hipMemAdvise, InvalidDevice, kTests, t.managed, 4096, hipMemAdviseSetAccessedBy, 99);
  FAILS(hipMemAdvise, InvalidValue, kTests, t.managed, 4096, static_cast<hipMemoryAdvise>(77), 0);
  FAILS(hipMemAdvise_v2, InvalidDevice, kHeader, t.managed, 4096, hipMemAdviseSetAccessedBy,
        elsewhere);
  FAILS(hipMemPrefetchAsync, InvalidValue, kTests, nullptr, 4096, 0, nullptr);
  FAILS(hipMemPrefetchAsync, InvalidValue, kTests, t.managed, 9000, 0, nullptr);
  FAILS(hipMemPrefetchAsync, InvalidDevice, kTests, t.managed, 4096, 99, nullptr);
  FAILS(hipMemPrefetchAsync_v2, InvalidValue, kHeader, t.managed, 4096, elsewhere, 1, nullptr);
  FAILS(hipMemPrefetchAsync_v2, InvalidDevice, kHeader, t.managed, 4096, elsewhere, 0, nullptr);
  FAILS(hipMemRangeGetAttribute, InvalidValue, kTests, nullptr, 4, attribute, t.managed, 4096);
  FAILS(hipMemRangeGetAttribute, InvalidValue, kTests, &value, 3, attribute, t.managed, 4096);
  FAILS(hipMemRangeGetAttribute, InvalidValue, kTests, &value, 4, attribute, nullptr, 4096);
  FAILS(hipMemRangeGetAttribute, InvalidValue, kTests, &value, 4, attribute, t.managed, 0);
  FAILS(hipMemRangeGetAttribute, InvalidValue, kTests, &value, 4, attribute, t.pinned, 4096);
  FAILS(hipMemRangeGetAttribute, InvalidValue, kTests, &value, 4,
        static_cast<hipMemRangeAttribute>(55), t.managed, 4096);
  FAILS(hipMemRangeGetAttributes, InvalidValue, kTests, nullptr, sizes, &attribute, 1, t.managed,
        4096);
  FAILS(hipMemRangeGetAttributes, InvalidValue, kTests, data, sizes, &attribute, 1, t.managed,
        4096);
  FAILS(hipStreamAttachMemAsync, InvalidValue, kTests, nullptr, nullptr, 0, hipMemAttachGlobal);
  FAILS(hipStreamAttachMemAsync, InvalidValue, kTests, t.stream, t.managed, 0, 77);
  FAILS(hipStreamAttachMemAsync, InvalidValue, kTests, nullptr, t.managed, 0, hipMemAttachSingle);
  FAILS(hipStreamAttachMemAsync, InvalidValue, kTests, t.stream, t.managed, 8, hipMemAttachGlobal);
}

void question_rows(Things& t) {
  void *pointer = nullptr, *data[] = {&pointer};
  size_t bytes;
  unsigned flags = 7;
  hipPointer_attribute attribute = HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
  hipIpcMemHandle_t shared{};
  FAILS(hipHostGetDevicePointer, InvalidValue, kTests, nullptr, t.pinned, 0);
  FAILS(hipHostGetDevicePointer, InvalidValue, kTests, &pointer, t.pinned, 1);
  FAILS(hipHostGetDevicePointer, InvalidValue, kTests, &pointer, t.host, 0);
  FAILS(hipHostGetFlags, InvalidValue, kTests, nullptr, t.pinned);
  FAILS(hipHostGetFlags, InvalidValue, kTests, &flags, t.device);
  FAILS(hipMemPtrGetInfo, InvalidValue, kTests, t.host, &bytes);
  FAILS(hipMemGetAddressRange, NotFound, kTests, &pointer, &bytes, t.host);
  FAILS(hipPointerGetAttributes, InvalidValue, kClr, nullptr, t.device);
  FAILS(hipPointerGetAttribute, InvalidValue, kTests, nullptr, attribute, t.device);
  FAILS(hipPointerGetAttribute, InvalidValue, kTests, &pointer, attribute, t.host);
  FAILS(hipPointerGetAttribute, NotSupported, kTests, &pointer,
        HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, t.device);
  FAILS(hipDrvPointerGetAttributes, InvalidValue, kTests, 0, &attribute, data, t.device);
  FAILS(hipDrvPointerGetAttributes, InvalidValue, kTests, 1, &attribute, data, nullptr);
  flags = 7;
  FAILS(hipPointerSetAttribute, InvalidValue, kTests, &flags, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
        t.device);
  flags = 1;
  FAILS(hipPointerSetAttribute, InvalidValue, kTests, nullptr, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
        t.device);
  FAILS(hipPointerSetAttribute, InvalidValue, kTests, &flags, attribute, t.device);
  FAILS(hipPointerSetAttribute, InvalidValue, kTests, &flags, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
        nullptr);
  FAILS(hipPointerSetAttribute, InvalidDevicePointer, kTests, &flags,
        HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, t.host);
  FAILS(hipIpcGetMemHandle, InvalidValue, kTests, nullptr, t.device);
  FAILS(hipIpcGetMemHandle, InvalidValue, kTests, &shared, t.host);
  FAILS(hipIpcOpenMemHandle, InvalidValue, kTests, nullptr, shared, hipIpcMemLazyEnablePeerAccess);
  FAILS(hipIpcOpenMemHandle, InvalidValue, kTests, &pointer, shared, 77);
  FAILS(hipIpcCloseMemHandle, InvalidValue, kTests, nullptr);
  FAILS(hipIpcCloseMemHandle, InvalidValue, kTests, t.device);
}

void memory_rows(Things& t) {
  void* pointer = nullptr;
  size_t pitch = 0;
  hipPitchedPtr pitched;
  constexpr size_t kTooMuch = size_t{1} << 46;
  auto* inside = static_cast<char*>(t.device) + 8;
  FAILS(hipMalloc, InvalidValue, kTests, static_cast<void**>(nullptr), 16);
  FAILS(hipMalloc, OutOfMemory, kTests, &pointer, kTooMuch);
  FAILS(hipExtMallocWithFlags, InvalidValue, kTests, nullptr, 16, hipDeviceMallocDefault);
  FAILS(hipExtMallocWithFlags, InvalidValue, kTests, &pointer, 16,
        0x100);
  FAILS(hipExtMallocWithFlags, InvalidValue, kClr, &pointer, 16, hipMallocSignalMemory);
  FAILS(hipMallocHost, InvalidValue, kTests, static_cast<void**>(nullptr), 16);
  FAILS(hipMemAllocHost, InvalidValue, kTests, static_cast<void**>(nullptr), 16);
  FAILS(hipHostMalloc, InvalidValue, kTests, static_cast<void**>(nullptr), 16, 0);
  FAILS(hipHostMalloc, InvalidValue, kTests, &pointer, 16, ~0u);
  FAILS(hipHostAlloc, InvalidValue, kTests, static_cast<void**>(nullptr), 16, 0);
  FAILS(hipHostAlloc, InvalidValue, kTests, &pointer, 16, 999);
  FAILS(hipMallocManaged, InvalidValue, kTests, static_cast<void**>(nullptr), 16,
        hipMemAttachGlobal);
  FAILS(hipMallocManaged, InvalidValue, kTests, &pointer, 0, hipMemAttachGlobal);
  FAILS(hipMallocManaged, InvalidValue, kTests, &pointer, 16, 77);
  FAILS(hipMallocPitch, InvalidValue, kTests, static_cast<void**>(nullptr), &pitch, 16, 16);
  FAILS(hipMallocPitch, InvalidValue, kTests, &pointer, nullptr, 16, 16);
  FAILS(hipMallocPitch, InvalidValue, kTests, &pointer, &pitch, ~size_t{0}, 1);
  FAILS(hipMemAllocPitch, InvalidValue, kTests, nullptr, &pitch, 16, 16, 4);
  FAILS(hipMalloc3D, InvalidValue, kTests, nullptr, make_hipExtent(16, 16, 16));
  FAILS(hipMalloc3D, OutOfMemory, kTests, &pitched, make_hipExtent(kTooMuch, 1, 1));
  FAILS(hipFree, InvalidValue, kTests, t.host);
  FAILS(hipFree, InvalidValue, kTests, inside);
  FAILS(hipHostFree, InvalidValue, kTests, t.host);
  FAILS(hipHostFree, InvalidValue, kHeader, t.device);
  FAILS(hipFreeHost, InvalidValue, kHeader, t.device);
  FAILS(hipHostRegister, InvalidValue, kTests, nullptr, 16, 0);
  FAILS(hipHostRegister, InvalidValue, kTests, t.host, 0, 0);
  FAILS(hipHostRegister, InvalidValue, kTests, t.host, 16, 240);
  FAILS(hipHostRegister, InvalidValue, kTests, t.host, kTooMuch, 0);
  FAILS(hipHostUnregister, InvalidValue, kTests, nullptr);
  FAILS(hipHostUnregister, HostMemoryNotRegistered, kTests, t.host);
  pool_rows(t);
  virtual_memory_rows(t);
  hint_rows(t);
  question_rows(t);
}
