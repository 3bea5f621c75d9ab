// Copies and fills of plain memory, symbols.
void symbol_rows(Things& t) {
  const void* var = HIP_SYMBOL(symbol);
  void* pointer = nullptr;
  size_t bytes;
  FAILS(hipGetSymbolAddress, InvalidValue, kTests, nullptr, var);
  FAILS(hipGetSymbolAddress, InvalidSymbol, kTests, &pointer, t.host);
  FAILS(hipGetSymbolSize, InvalidValue, kTests, nullptr, var);
  FAILS(hipGetSymbolSize, InvalidSymbol, kTests, &bytes, t.host);
  FAILS(hipMemcpyToSymbol, InvalidSymbol, kTests, t.host, t.host, 4, 0, hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbol, InvalidValue, kTests, var, nullptr, 4, 0, hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbol, InvalidValue, kTests, var, t.host, 17, 0, hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbol, InvalidMemcpyDirection, kTests, var, t.host, 4, 0,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol, InvalidSymbol, kTests, t.host, t.host, 4, 0, hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol, InvalidValue, kTests, nullptr, var, 4, 0, hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol, InvalidValue, kTests, t.host, var, 4, 13, hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol, InvalidMemcpyDirection, kTests, t.host, var, 4, 0,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbolAsync, InvalidSymbol, kTests, t.host, t.host, 4, 0,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpyToSymbolAsync, InvalidValue, kTests, var, nullptr, 4, 0, hipMemcpyHostToDevice,
        nullptr);
  FAILS(hipMemcpyToSymbolAsync, InvalidValue, kTests, var, t.host, 17, 0, hipMemcpyHostToDevice,
        nullptr);
  FAILS(hipMemcpyToSymbolAsync, InvalidMemcpyDirection, kTests, var, t.host, 4, 0,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpyFromSymbolAsync, InvalidSymbol, kTests, t.host, t.host, 4, 0,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpyFromSymbolAsync, InvalidValue, kTests, nullptr, var, 4, 0, hipMemcpyDeviceToHost,
        nullptr);
  FAILS(hipMemcpyFromSymbolAsync, InvalidValue, kTests, t.host, var, 4, 13, hipMemcpyDeviceToHost,
        nullptr);
  FAILS(hipMemcpyFromSymbolAsync, InvalidMemcpyDirection, kTests, t.host, var, 4, 0,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpyToSymbol_spt, InvalidSymbol, kTests, t.host, t.host, 4, 0, hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbol_spt, InvalidValue, kTests, var, nullptr, 4, 0, hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbol_spt, InvalidValue, kTests, var, t.host, 17, 0, hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbol_spt, InvalidMemcpyDirection, kTests, var, t.host, 4, 0,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol_spt, InvalidSymbol, kTests, t.host, t.host, 4, 0,
        hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol_spt, InvalidValue, kTests, nullptr, var, 4, 0, hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol_spt, InvalidValue, kTests, t.host, var, 4, 13, hipMemcpyDeviceToHost);
  FAILS(hipMemcpyFromSymbol_spt, InvalidMemcpyDirection, kTests, t.host, var, 4, 0,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpyToSymbolAsync_spt, InvalidSymbol, kTests, t.host, t.host, 4, 0,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpyToSymbolAsync_spt, InvalidValue, kTests, var, nullptr, 4, 0,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpyToSymbolAsync_spt, InvalidValue, kTests, var, t.host, 17, 0,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpyToSymbolAsync_spt, InvalidMemcpyDirection, kTests, var, t.host, 4, 0,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpyFromSymbolAsync_spt, InvalidSymbol, kTests, t.host, t.host, 4, 0,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpyFromSymbolAsync_spt, InvalidValue, kTests, nullptr, var, 4, 0,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpyFromSymbolAsync_spt, InvalidValue, kTests, t.host, var, 4, 13,
        hipMemcpyDeviceToHost, nullptr);
  FAILS(hipMemcpyFromSymbolAsync_spt, InvalidMemcpyDirection, kTests, t.host, var, 4, 0,
        hipMemcpyHostToDevice, nullptr);
}

void linear_copy_rows(Things& t) {
  const auto strange = static_cast<hipMemcpyKind>(77);
  auto* near_end = static_cast<char*>(t.device) + 4090;
  FAILS(hipMemcpy, InvalidValue, kTests, nullptr, t.host, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpy, InvalidValue, kTests, t.device, nullptr, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpy, InvalidMemcpyDirection, kTests, t.device, t.host, 16, strange);
  FAILS(hipMemcpy, InvalidValue, kTests, near_end, t.host, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpy, InvalidValue, kTests, t.host, near_end, 16, hipMemcpyDeviceToHost);
  FAILS(hipMemcpy, InvalidValue, kClr, t.host + 64, t.host, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpy_spt, InvalidValue, kTests, nullptr, t.host, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpy_spt, InvalidValue, kTests, t.device, nullptr, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpy_spt, InvalidMemcpyDirection, kTests, t.device, t.host, 16, strange);
  FAILS(hipMemcpy_spt, InvalidValue, kTests, near_end, t.host, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpy_spt, InvalidValue, kTests, t.host, near_end, 16, hipMemcpyDeviceToHost);
  FAILS(hipMemcpy_spt, InvalidValue, kClr, t.host + 64, t.host, 16, hipMemcpyHostToDevice);
  FAILS(hipMemcpyWithStream, InvalidValue, kTests, nullptr, t.host, 16, hipMemcpyHostToDevice,
        t.stream);
  FAILS(hipMemcpyWithStream, InvalidValue, kTests, t.device, nullptr, 16, hipMemcpyHostToDevice,
        t.stream);
  FAILS(hipMemcpyWithStream, InvalidMemcpyDirection, kTests, t.device, t.host, 16, strange,
        t.stream);
  FAILS(hipMemcpyWithStream, InvalidValue, kTests, near_end, t.host, 16, hipMemcpyHostToDevice,
        t.stream);
  FAILS(hipMemcpyWithStream, InvalidValue, kTests, t.host, near_end, 16, hipMemcpyDeviceToHost,
        t.stream);
  FAILS(hipMemcpyWithStream, InvalidValue, kClr, t.host + 64, t.host, 16, hipMemcpyHostToDevice,
        t.stream);
  FAILS(hipMemcpyAsync, InvalidValue, kTests, nullptr, t.host, 16, hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpyAsync, InvalidValue, kTests, t.device, nullptr, 16, hipMemcpyHostToDevice,
        t.stream);
  FAILS(hipMemcpyAsync, InvalidMemcpyDirection, kTests, t.device, t.host, 16, strange, t.stream);
  FAILS(hipMemcpyAsync, InvalidValue, kTests, near_end, t.host, 16, hipMemcpyHostToDevice,
        t.stream);
  FAILS(hipMemcpyAsync, InvalidValue, kTests, t.host, near_end, 16, hipMemcpyDeviceToHost,
        t.stream);
  FAILS(hipMemcpyAsync, InvalidValue, kClr, t.host + 64, t.host, 16, hipMemcpyHostToDevice,
        t.stream);
  FAILS(hipMemcpyAsync_spt, InvalidValue, kTests, nullptr, t.host, 16, hipMemcpyHostToDevice,
        nullptr);
  FAILS(hipMemcpyAsync_spt, InvalidValue, kTests, t.device, nullptr, 16, hipMemcpyHostToDevice,
        nullptr);
  FAILS(hipMemcpyAsync_spt, InvalidMemcpyDirection, kTests, t.device, t.host, 16, strange, nullptr);
  FAILS(hipMemcpyAsync_spt, InvalidValue, kTests, near_end, t.host, 16, hipMemcpyHostToDevice,
        nullptr);
  FAILS(hipMemcpyAsync_spt, InvalidValue, kTests, t.host, near_end, 16, hipMemcpyDeviceToHost,
        nullptr);
  FAILS(hipMemcpyAsync_spt, InvalidValue, kClr, t.host + 64, t.host, 16, hipMemcpyHostToDevice,
        nullptr);
  FAILS(hipMemcpyWithStream, InvalidHandle, kHeader, t.device, t.host, 16, hipMemcpyHostToDevice,
        t.gone_stream);
  FAILS(hipMemcpyAsync, InvalidHandle, kHeader, t.device, t.host, 16, hipMemcpyHostToDevice,
        t.gone_stream);
  FAILS(hipMemcpyAsync_spt, InvalidHandle, kHeader, t.device, t.host, 16, hipMemcpyHostToDevice,
        t.gone_stream);
  FAILS(hipMemcpyHtoD, InvalidValue, kTests, nullptr, t.host, 16);
  FAILS(hipMemcpyHtoD, InvalidValue, kTests, near_end, t.host, 16);
  FAILS(hipMemcpyHtoDAsync, InvalidValue, kTests, nullptr, t.host, 16, t.stream);
  FAILS(hipMemcpyHtoDAsync, InvalidValue, kTests, near_end, t.host, 16, t.stream);
  FAILS(hipMemcpyDtoD, InvalidValue, kTests, nullptr, t.other, 16);
  FAILS(hipMemcpyDtoD, InvalidValue, kTests, near_end, t.other, 16);
  FAILS(hipMemcpyDtoDAsync, InvalidValue, kTests, nullptr, t.other, 16, t.stream);
  FAILS(hipMemcpyDtoDAsync, InvalidValue, kTests, near_end, t.other, 16, t.stream);
  FAILS(hipMemcpyDtoH, InvalidValue, kTests, t.host, nullptr, 16);
  FAILS(hipMemcpyDtoH, InvalidValue, kTests, t.host, near_end, 16);
  FAILS(hipMemcpyDtoHAsync, InvalidValue, kTests, t.host, nullptr, 16, t.stream);
  FAILS(hipMemcpyDtoHAsync, InvalidValue, kTests, t.host, near_end, 16, t.stream);
  FAILS(hipMemcpyPeer, InvalidDevice, kTests, t.device, 99, t.other, 0, 16);
  FAILS(hipMemcpyPeer, InvalidDevice, kTests, t.device, 0, t.other, -1, 16);
  FAILS(hipMemcpyPeer, InvalidValue, kTests, nullptr, 0, t.other, 0, 16);
  FAILS(hipMemcpyPeerAsync, InvalidDevice, kTests, t.device, 0, t.other, 99, 16, t.stream);
  FAILS(hipMemcpyPeerAsync, InvalidValue, kTests, t.device, 0, nullptr, 0, 16, t.stream);
  void* targets[] = {t.device};
  void* sources[] = {near_end};
  size_t sizes[] = {16}, failed = 7;
  FAILS(hipMemcpyBatchAsync, InvalidValue, kHeader, nullptr, sources, sizes, 1, nullptr, nullptr, 0,
        &failed, t.stream);
  FAILS(hipMemcpyBatchAsync, InvalidValue, kHeader, targets, sources, sizes, 1, nullptr, nullptr, 0,
        &failed, t.stream);
}

void fill_rows(Things& t) {
  auto* near_end = static_cast<char*>(t.device) + 4090;
  FAILS(hipMemset, InvalidValue, kTests, nullptr, 0, 16);
  FAILS(hipMemset, InvalidValue, kTests, near_end, 0, 16);
  FAILS(hipMemset, InvalidValue, kTests, t.host, 0, 16);
  FAILS(hipMemset_spt, InvalidValue, kTests, nullptr, 0, 16);
  FAILS(hipMemset_spt, InvalidValue, kTests, near_end, 0, 16);
  FAILS(hipMemset_spt, InvalidValue, kTests, t.host, 0, 16);
  FAILS(hipMemsetAsync, InvalidValue, kTests, nullptr, 0, 16, t.stream);
  FAILS(hipMemsetAsync, InvalidValue, kTests, near_end, 0, 16, t.stream);
  FAILS(hipMemsetAsync, InvalidValue, kTests, t.host, 0, 16, t.stream);
  FAILS(hipMemsetAsync_spt, InvalidValue, kTests, nullptr, 0, 16, nullptr);
  FAILS(hipMemsetAsync_spt, InvalidValue, kTests, near_end, 0, 16, nullptr);
  FAILS(hipMemsetAsync_spt, InvalidValue, kTests, t.host, 0, 16, nullptr);
  FAILS(hipMemsetD8, InvalidValue, kTests, nullptr, 0, 16);
  FAILS(hipMemsetD8, InvalidValue, kTests, near_end, 0, 16);
  FAILS(hipMemsetD8, InvalidValue, kTests, t.host, 0, 16);
  FAILS(hipMemsetD8Async, InvalidValue, kTests, nullptr, 0, 16, t.stream);
  FAILS(hipMemsetD8Async, InvalidValue, kTests, near_end, 0, 16, t.stream);
  FAILS(hipMemsetD8Async, InvalidValue, kTests, t.host, 0, 16, t.stream);
  FAILS(hipMemsetD16, InvalidValue, kTests, nullptr, 0, 16);
  FAILS(hipMemsetD16, InvalidValue, kTests, near_end, 0, 16);
  FAILS(hipMemsetD16, InvalidValue, kTests, t.host, 0, 16);
  FAILS(hipMemsetD16Async, InvalidValue, kTests, nullptr, 0, 16, t.stream);
  FAILS(hipMemsetD16Async, InvalidValue, kTests, near_end, 0, 16, t.stream);
  FAILS(hipMemsetD16Async, InvalidValue, kTests, t.host, 0, 16, t.stream);
  FAILS(hipMemsetD32, InvalidValue, kTests, nullptr, 0, 16);
  FAILS(hipMemsetD32, InvalidValue, kTests, near_end, 0, 16);
  FAILS(hipMemsetD32, InvalidValue, kTests, t.host, 0, 16);
  FAILS(hipMemsetD32Async, InvalidValue, kTests, nullptr, 0, 16, t.stream);
  FAILS(hipMemsetD32Async, InvalidValue, kTests, near_end, 0, 16, t.stream);
  FAILS(hipMemsetD32Async, InvalidValue, kTests, t.host, 0, 16, t.stream);
  FAILS(hipMemsetAsync, InvalidHandle, kHeader, t.device, 0, 16, t.gone_stream);
  FAILS(hipMemset2D, InvalidValue, kTests, nullptr, 64, 0, 16, 4);
  FAILS(hipMemset2D, InvalidValue, kTests, t.device, 8, 0, 16, 4);
  FAILS(hipMemset2D, InvalidValue, kTests, t.device, 64, 0, 16, 99);
  FAILS(hipMemset2D_spt, InvalidValue, kTests, nullptr, 64, 0, 16, 4);
  FAILS(hipMemset2D_spt, InvalidValue, kTests, t.device, 8, 0, 16, 4);
  FAILS(hipMemset2D_spt, InvalidValue, kTests, t.device, 64, 0, 16, 99);
  FAILS(hipMemset2DAsync, InvalidValue, kTests, nullptr, 64, 0, 16, 4, t.stream);
  FAILS(hipMemset2DAsync, InvalidValue, kTests, t.device, 8, 0, 16, 4, t.stream);
  FAILS(hipMemset2DAsync, InvalidValue, kTests, t.device, 64, 0, 16, 99, t.stream);
  FAILS(hipMemset2DAsync_spt, InvalidValue, kTests, nullptr, 64, 0, 16, 4, nullptr);
  FAILS(hipMemset2DAsync_spt, InvalidValue, kTests, t.device, 8, 0, 16, 4, nullptr);
  FAILS(hipMemset2DAsync_spt, InvalidValue, kTests, t.device, 64, 0, 16, 99, nullptr);
  FAILS(hipMemsetD2D8, InvalidValue, kTests, nullptr, 64, 0, 16, 4);
  FAILS(hipMemsetD2D8, InvalidValue, kTests, t.device, 8, 0, 16, 4);
  FAILS(hipMemsetD2D8, InvalidValue, kTests, t.device, 64, 0, 16, 99);
  FAILS(hipMemsetD2D8Async, InvalidValue, kTests, nullptr, 64, 0, 16, 4, t.stream);
  FAILS(hipMemsetD2D8Async, InvalidValue, kTests, t.device, 8, 0, 16, 4, t.stream);
  FAILS(hipMemsetD2D8Async, InvalidValue, kTests, t.device, 64, 0, 16, 99, t.stream);
  FAILS(hipMemsetD2D16, InvalidValue, kTests, nullptr, 64, 0, 16, 4);
  FAILS(hipMemsetD2D16, InvalidValue, kTests, t.device, 8, 0, 16, 4);
  FAILS(hipMemsetD2D16, InvalidValue, kTests, t.device, 64, 0, 16, 99);
  FAILS(hipMemsetD2D16Async, InvalidValue, kTests, nullptr, 64, 0, 16, 4, t.stream);
  FAILS(hipMemsetD2D16Async, InvalidValue, kTests, t.device, 8, 0, 16, 4, t.stream);
  FAILS(hipMemsetD2D16Async, InvalidValue, kTests, t.device, 64, 0, 16, 99, t.stream);
  FAILS(hipMemsetD2D32, InvalidValue, kTests, nullptr, 64, 0, 16, 4);
  FAILS(hipMemsetD2D32, InvalidValue, kTests, t.device, 8, 0, 16, 4);
  FAILS(hipMemsetD2D32, InvalidValue, kTests, t.device, 64, 0, 16, 99);
  FAILS(hipMemsetD2D32Async, InvalidValue, kTests, nullptr, 64, 0, 16, 4, t.stream);
  FAILS(hipMemsetD2D32Async, InvalidValue, kTests, t.device, 8, 0, 16, 4, t.stream);
  FAILS(hipMemsetD2D32Async, InvalidValue, kTests, t.device, 64, 0, 16, 99, t.stream);
  const hipPitchedPtr box = make_hipPitchedPtr(t.device, 64, 64, 8);
  const hipPitchedPtr nothing = make_hipPitchedPtr(nullptr, 64, 64, 8);
  const hipExtent some = make_hipExtent(16, 4, 2), wide = make_hipExtent(65, 4, 2);
  const hipExtent deep = make_hipExtent(16, 4, 99);
  FAILS(hipMemset3D, InvalidValue, kTests, nothing, 0, some);
  FAILS(hipMemset3D, InvalidValue, kTests, box, 0, wide);
  FAILS(hipMemset3D, InvalidValue, kTests, box, 0, deep);
  FAILS(hipMemset3D_spt, InvalidValue, kTests, nothing, 0, some);
  FAILS(hipMemset3D_spt, InvalidValue, kTests, box, 0, wide);
  FAILS(hipMemset3D_spt, InvalidValue, kTests, box, 0, deep);
  FAILS(hipMemset3DAsync, InvalidValue, kTests, nothing, 0, some, t.stream);
  FAILS(hipMemset3DAsync, InvalidValue, kTests, box, 0, wide, t.stream);
  FAILS(hipMemset3DAsync, InvalidValue, kTests, box, 0, deep, t.stream);
  FAILS(hipMemset3DAsync_spt, InvalidValue, kTests, nothing, 0, some, nullptr);
  FAILS(hipMemset3DAsync_spt, InvalidValue, kTests, box, 0, wide, nullptr);
  FAILS(hipMemset3DAsync_spt, InvalidValue, kTests, box, 0, deep, nullptr);
}

void box_copy_rows(Things& t) {
  const auto strange = static_cast<hipMemcpyKind>(77);
  FAILS(hipMemcpy2D, InvalidValue, kTests, nullptr, 64, t.host, 64, 16, 4, hipMemcpyHostToDevice);
  FAILS(hipMemcpy2D, InvalidPitchValue, kTests, t.device, 8, t.host, 64, 16, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2D, InvalidPitchValue, kTests, t.device, 64, t.host, 8, 16, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2D, InvalidMemcpyDirection, kTests, t.device, 64, t.host, 64, 16, 4, strange);
  FAILS(hipMemcpy2D, InvalidValue, kTests, t.device, 64, t.host, 64, 16, 99, hipMemcpyHostToDevice);
  FAILS(hipMemcpy2D_spt, InvalidValue, kTests, nullptr, 64, t.host, 64, 16, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2D_spt, InvalidPitchValue, kTests, t.device, 8, t.host, 64, 16, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2D_spt, InvalidPitchValue, kTests, t.device, 64, t.host, 8, 16, 4,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2D_spt, InvalidMemcpyDirection, kTests, t.device, 64, t.host, 64, 16, 4, strange);
  FAILS(hipMemcpy2D_spt, InvalidValue, kTests, t.device, 64, t.host, 64, 16, 99,
        hipMemcpyHostToDevice);
  FAILS(hipMemcpy2DAsync, InvalidValue, kTests, nullptr, 64, t.host, 64, 16, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DAsync, InvalidPitchValue, kTests, t.device, 8, t.host, 64, 16, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DAsync, InvalidPitchValue, kTests, t.device, 64, t.host, 8, 16, 4,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DAsync, InvalidMemcpyDirection, kTests, t.device, 64, t.host, 64, 16, 4,
        strange, t.stream);
  FAILS(hipMemcpy2DAsync, InvalidValue, kTests, t.device, 64, t.host, 64, 16, 99,
        hipMemcpyHostToDevice, t.stream);
  FAILS(hipMemcpy2DAsync_spt, InvalidValue, kTests, nullptr, 64, t.host, 64, 16, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DAsync_spt, InvalidPitchValue, kTests, t.device, 8, t.host, 64, 16, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DAsync_spt, InvalidPitchValue, kTests, t.device, 64, t.host, 8, 16, 4,
        hipMemcpyHostToDevice, nullptr);
  FAILS(hipMemcpy2DAsync_spt, InvalidMemcpyDirection, kTests, t.device, 64, t.host, 64, 16, 4,
        strange, nullptr);
  FAILS(hipMemcpy2DAsync_spt, InvalidValue, kTests, t.device, 64, t.host, 64, 16, 99,
        hipMemcpyHostToDevice, nullptr);
  hipMemcpy3DParms none{}, narrow{}, twisted{};
  narrow.srcPtr = twisted.srcPtr = make_hipPitchedPtr(t.host, 64, 64, 4);
  narrow.dstPtr = make_hipPitchedPtr(t.device, 8, 64, 4);
  twisted.dstPtr = make_hipPitchedPtr(t.device, 64, 64, 4);
  narrow.extent = twisted.extent = make_hipExtent(16, 4, 1);
  narrow.kind = hipMemcpyHostToDevice;
  twisted.kind = strange;
  FAILS(hipMemcpy3D, InvalidValue, kTests, nullptr);
  FAILS(hipMemcpy3D, InvalidValue, kTests, &none);
  FAILS(hipMemcpy3D, InvalidPitchValue, kTests, &narrow);
  FAILS(hipMemcpy3D, InvalidMemcpyDirection, kTests, &twisted);
  FAILS(hipMemcpy3D_spt, InvalidValue, kTests, nullptr);
  FAILS(hipMemcpy3D_spt, InvalidValue, kTests, &none);
  FAILS(hipMemcpy3D_spt, InvalidPitchValue, kTests, &narrow);
  FAILS(hipMemcpy3D_spt, InvalidMemcpyDirection, kTests, &twisted);
  FAILS(hipMemcpy3DAsync, InvalidValue, kTests, nullptr, t.stream);
  FAILS(hipMemcpy3DAsync, InvalidValue, kTests, &none, t.stream);
  FAILS(hipMemcpy3DAsync, InvalidPitchValue, kTests, &narrow, t.stream);
  FAILS(hipMemcpy3DAsync, InvalidMemcpyDirection, kTests, &twisted, t.stream);
  FAILS(hipMemcpy3DAsync_spt, InvalidValue, kTests, nullptr, nullptr);
  FAILS(hipMemcpy3DAsync_spt, InvalidValue, kTests, &none, nullptr);
  FAILS(hipMemcpy3DAsync_spt, InvalidPitchValue, kTests, &narrow, nullptr);
  FAILS(hipMemcpy3DAsync_spt, InvalidMemcpyDirection, kTests, &twisted, nullptr);
  hipMemcpy3DPeerParms no_peer{};
  FAILS(hipMemcpy3DPeer, InvalidValue, kHeader, nullptr);
  FAILS(hipMemcpy3DPeer, InvalidValue, kHeader, &no_peer);
  FAILS(hipMemcpy3DPeerAsync, InvalidValue, kHeader, nullptr, t.stream);
  HIP_MEMCPY3D driver{};
  driver.srcMemoryType = hipMemoryTypeHost;
  driver.dstMemoryType = hipMemoryTypeDevice;
  driver.srcHost = t.host;
  driver.WidthInBytes = 16;
  driver.Height = driver.Depth = 1;             // no target
  FAILS(hipDrvMemcpy3D, InvalidValue, kTests, nullptr);
  FAILS(hipDrvMemcpy3D, InvalidValue, kTests, &driver);
  FAILS(hipDrvMemcpy3DAsync, InvalidValue, kTests, nullptr, t.stream);
  FAILS(hipDrvMemcpy3DAsync, InvalidValue, kTests, &driver, t.stream);
  hip_Memcpy2D flat{};
  flat.srcMemoryType = flat.dstMemoryType = hipMemoryTypeDevice;
  flat.srcDevice = t.device;
  flat.dstDevice = t.other;
  flat.srcPitch = flat.dstPitch = 64;
  flat.srcY = 64;                               // behind the end
  flat.WidthInBytes = 16;
  flat.Height = 1;
  FAILS(hipMemcpyParam2D, InvalidValue, kTests, nullptr);
  FAILS(hipMemcpyParam2D, InvalidValue, kTests, &flat);
  FAILS(hipMemcpyParam2DAsync, InvalidValue, kTests, nullptr, t.stream);
  FAILS(hipDrvMemcpy2DUnaligned, InvalidValue, kTests, nullptr);
  FAILS(hipDrvMemcpy2DUnaligned, InvalidValue, kTests, &flat);
}

void copy_rows(Things& t) {
  linear_copy_rows(t);
  symbol_rows(t);
  fill_rows(t);
  box_copy_rows(t);
}
