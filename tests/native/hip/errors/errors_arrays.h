// Arrays: made, asked, copied.
void array_rows(Things& t) {
  hipArray_t made;
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  const hipChannelFormatDesc nothing{};
  HIP_ARRAY_DESCRIPTOR flat{0, 0, HIP_AD_FORMAT_FLOAT, 1};
  HIP_ARRAY3D_DESCRIPTOR deep{0, 0, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
  hipChannelFormatDesc asked;
  const hipArray_t no_array = no_handle<hipArray_t>();
  FAILS(hipMallocArray, InvalidValue, kTests, nullptr, &format, 16, 4);
  FAILS(hipMallocArray, InvalidValue, kTests, &made, nullptr, 16, 4);
  FAILS(hipMallocArray, InvalidValue, kTests, &made, &format, 0, 4);
  FAILS(hipMallocArray, InvalidChannelDescriptor, kTests, &made, &nothing, 16, 4);
  FAILS(hipMalloc3DArray, InvalidValue, kTests, nullptr, &format, make_hipExtent(4, 4, 4), 0);
  FAILS(hipMalloc3DArray, InvalidValue, kTests, &made, nullptr, make_hipExtent(4, 4, 4), 0);
  FAILS(hipMalloc3DArray, InvalidValue, kTests, &made, &format, make_hipExtent(0, 4, 4), 0);
  FAILS(hipArrayCreate, InvalidValue, kTests, nullptr, &flat);
  FAILS(hipArrayCreate, InvalidValue, kTests, &made, nullptr);
  FAILS(hipArrayCreate, InvalidValue, kTests, &made, &flat);
  FAILS(hipArray3DCreate, InvalidValue, kTests, nullptr, &deep);
  FAILS(hipArray3DCreate, InvalidValue, kTests, &made, &deep);
  FAILS(hipFreeArray, InvalidValue, kTests, nullptr);
  FAILS(hipFreeArray, ContextIsDestroyed, kTests, no_array);
  FAILS(hipArrayDestroy, InvalidValue, kTests, nullptr);
  FAILS(hipArrayDestroy, ContextIsDestroyed, kTests, no_array);
  FAILS(hipArrayGetInfo, InvalidHandle, kTests, &asked, nullptr, nullptr, no_array);
  FAILS(hipGetChannelDesc, InvalidValue, kHeader, nullptr, t.array);
  FAILS(hipGetChannelDesc, InvalidValue, kHeader, &asked, no_array);
  FAILS(hipArrayGetDescriptor, InvalidValue, kTests, nullptr, t.array);
  FAILS(hipArrayGetDescriptor, InvalidHandle, kTests, &flat, no_array);
  FAILS(hipArray3DGetDescriptor, InvalidValue, kTests, nullptr, t.array);
  FAILS(hipArray3DGetDescriptor, InvalidHandle, kTests, &deep, no_array);
  FAILS(hipMemcpy2DToArray, InvalidHandle, kTests, nullptr, 0, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray, InvalidValue, kTests, t.array, 0, 0, nullptr, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray, InvalidPitchValue, kTests, t.array, 0, 0, t.host, 8, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray, InvalidValue, kTests, t.array, 8, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray, InvalidValue, kTests, t.array, 0, 1, t.host, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DFromArray, InvalidHandle, kTests, t.host, 64, nullptr, 0, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DFromArray, InvalidValue, kTests, nullptr, 64, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DFromArray, InvalidPitchValue, kTests, t.host, 8, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DFromArray, InvalidValue, kTests, t.host, 64, t.array, 8, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DToArray_spt, InvalidHandle, kTests, nullptr, 0, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray_spt, InvalidValue, kTests, t.array, 0, 0, nullptr, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray_spt, InvalidPitchValue, kTests, t.array, 0, 0, t.host, 8, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray_spt, InvalidValue, kTests, t.array, 8, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DToArray_spt, InvalidValue, kTests, t.array, 0, 1, t.host, 64, 64, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DFromArray_spt, InvalidHandle, kTests, t.host, 64, nullptr, 0, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DFromArray_spt, InvalidValue, kTests, nullptr, 64, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DFromArray_spt, InvalidPitchValue, kTests, t.host, 8, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DFromArray_spt, InvalidValue, kTests, t.host, 64, t.array, 8, 0, 64, 4,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpy2DToArrayAsync, InvalidHandle, kTests, nullptr, 0, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DToArrayAsync, InvalidValue, kTests, t.array, 0, 0, nullptr, 64, 64, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DToArrayAsync, InvalidPitchValue, kTests, t.array, 0, 0, t.host, 8, 64, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DToArrayAsync, InvalidValue, kTests, t.array, 8, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DToArrayAsync, InvalidValue, kTests, t.array, 0, 1, t.host, 64, 64, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DFromArrayAsync, InvalidHandle, kTests, t.host, 64, nullptr, 0, 0, 64, 4,
        hipMemcpyDeviceToHost, t.stream);
  FAILS(hipMemcpy2DFromArrayAsync, InvalidValue, kTests, nullptr, 64, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost, t.stream);
  FAILS(hipMemcpy2DFromArrayAsync, InvalidPitchValue, kTests, t.host, 8, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost, t.stream);
  FAILS(hipMemcpy2DFromArrayAsync, InvalidValue, kTests, t.host, 64, t.array, 8, 0, 64, 4,
        hipMemcpyDeviceToHost, t.stream);
  FAILS(hipMemcpy2DToArrayAsync_spt, InvalidHandle, kTests, nullptr, 0, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DToArrayAsync_spt, InvalidValue, kTests, t.array, 0, 0, nullptr, 64, 64, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DToArrayAsync_spt, InvalidPitchValue, kTests, t.array, 0, 0, t.host, 8, 64, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DToArrayAsync_spt, InvalidValue, kTests, t.array, 8, 0, t.host, 64, 64, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DToArrayAsync_spt, InvalidValue, kTests, t.array, 0, 1, t.host, 64, 64, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DFromArrayAsync_spt, InvalidHandle, kTests, t.host, 64, nullptr, 0, 0, 64, 4,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpy2DFromArrayAsync_spt, InvalidValue, kTests, nullptr, 64, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpy2DFromArrayAsync_spt, InvalidPitchValue, kTests, t.host, 8, t.array, 0, 0, 64, 4,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpy2DFromArrayAsync_spt, InvalidValue, kTests, t.host, 64, t.array, 8, 0, 64, 4,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpy2DArrayToArray, InvalidHandle, kHeader, nullptr, 0, 0, t.array, 0, 0, 16, 1,
        hipMemcpyDeviceToDevice);
  FAILS(hipMemcpy2DArrayToArray, InvalidHandle, kHeader, t.array, 0, 0, nullptr, 0, 0, 16, 1,
        hipMemcpyDeviceToDevice);
  FAILS(hipMemcpyToArray, InvalidHandle, kTests, nullptr, 0, 0, t.host, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpyToArray, InvalidValue, kTests, t.array, 0, 0, nullptr, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpyFromArray, InvalidHandle, kTests, t.host, nullptr, 0, 0, 16,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromArray, InvalidValue, kTests, nullptr, t.array, 0, 0, 16,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromArray_spt, InvalidHandle, kTests, t.host, nullptr, 0, 0, 16,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpyHtoA, InvalidHandle, kTests, nullptr, 0, t.host, 16);
  FAILS(hipMemcpyHtoA, InvalidValue, kTests, t.array, 0, nullptr, 16);
  FAILS(hipMemcpyHtoA, InvalidValue, kTests, t.array, 0, t.host, 2048);
  FAILS(hipMemcpyHtoAAsync, InvalidHandle, kTests, nullptr, 0, t.host, 16, t.stream);
  FAILS(hipMemcpyDtoA, InvalidHandle, kTests, nullptr, 0, t.device, 16);
  FAILS(hipMemcpyAtoH, InvalidHandle, kTests, t.host, nullptr, 0, 16);
  FAILS(hipMemcpyAtoH, InvalidValue, kTests, nullptr, t.array, 0, 16);
  FAILS(hipMemcpyAtoH, InvalidValue, kTests, t.host, t.array, 0, 2048);
  FAILS(hipMemcpyAtoHAsync, InvalidHandle, kTests, t.host, nullptr, 0, 16, t.stream);
  FAILS(hipMemcpyAtoD, InvalidHandle, kTests, t.device, nullptr, 0, 16);
}
