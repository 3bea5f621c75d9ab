// What a capture forbids, and the calls that begin, end and ask about one.
void capture_call_rows(Things& t) {
  hipGraph_t graph, made;
  hipGraphNode_t node;
  hipStreamCaptureStatus status;
  unsigned long long id;
  auto mode = static_cast<hipStreamCaptureMode>(77);
  (void)hipGraphCreate(&graph, 0);
  FAILS(hipStreamBeginCapture, InvalidValue, kTests, t.stream, mode);
  FAILS(hipStreamBeginCapture, StreamCaptureUnsupported, kTests, nullptr,
        hipStreamCaptureModeGlobal);
  FAILS(hipStreamBeginCapture, InvalidHandle, kHeader, t.gone_stream, hipStreamCaptureModeGlobal);
  FAILS(hipStreamBeginCapture_spt, InvalidValue, kTests, nullptr, mode);
  FAILS(hipStreamBeginCaptureToGraph, InvalidValue, kTests, t.stream, nullptr, nullptr, nullptr,
        0, hipStreamCaptureModeGlobal);
  FAILS(hipStreamEndCapture, InvalidValue, kTests, t.stream, nullptr);
  FAILS(hipStreamEndCapture, IllegalState, kTests, t.stream, &made);
  FAILS(hipStreamEndCapture_spt, IllegalState, kTests, nullptr, &made);
  FAILS(hipStreamIsCapturing, InvalidValue, kTests, t.stream, nullptr);
  FAILS(hipStreamIsCapturing_spt, InvalidValue, kTests, nullptr, nullptr);
  FAILS(hipStreamGetCaptureInfo, InvalidValue, kTests, t.stream, nullptr, &id);
  FAILS(hipStreamGetCaptureInfo_spt, InvalidValue, kTests, nullptr, nullptr, &id);
  FAILS(hipStreamGetCaptureInfo_v2, InvalidValue, kTests, t.stream, nullptr, &id, nullptr,
        nullptr, nullptr);
  FAILS(hipStreamGetCaptureInfo_v2, InvalidHandle, kHeader, t.gone_stream, &status, nullptr,
        nullptr, nullptr, nullptr);
  FAILS(hipStreamGetCaptureInfo_v2_spt, InvalidValue, kTests, nullptr, nullptr, &id, nullptr,
        nullptr, nullptr);
  FAILS(hipStreamUpdateCaptureDependencies, IllegalState, kTests, t.stream, &node, 0, 0);
  FAILS(hipThreadExchangeStreamCaptureMode, InvalidValue, kTests, nullptr);
  FAILS(hipThreadExchangeStreamCaptureMode, InvalidValue, kTests, &mode);
}

// Each in a capture of its own: a call that is refused breaks it.
template <class Row>
void while_capturing(hipStream_t stream, Row row,
                     hipStreamCaptureMode mode = hipStreamCaptureModeGlobal) {
  hipGraph_t graph;
  (void)hipStreamBeginCapture(stream, mode);
  row();
  (void)hipStreamEndCapture(stream, &graph);
}

void capture_rows(Things& t) {
  capture_call_rows(t);
  hipStream_t other, s = t.stream;
  hipEvent_t captured;
  hipStreamCaptureStatus status;
  hipMemPool_t pool;
  void* pointer;
  (void)hipStreamCreate(&other);
  (void)hipEventCreate(&captured);
  (void)hipDeviceGetDefaultMemPool(&pool, 0);
  while_capturing(s, [&] { FAILS(hipDeviceSynchronize, StreamCaptureUnsupported, kTests); });
  while_capturing(s, [&] { FAILS(hipDeviceSynchronize, StreamCaptureUnsupported, kTests); },
                  hipStreamCaptureModeRelaxed);
  while_capturing(s, [&] { FAILS(hipCtxSynchronize, StreamCaptureUnsupported, kTests); });
  while_capturing(s, [&] { FAILS(hipStreamSynchronize, StreamCaptureUnsupported, kTests, s); });
  while_capturing(s, [&] { FAILS(hipStreamSynchronize, StreamCaptureUnsupported, kTests, other); });
  while_capturing(s, [&] { FAILS(hipStreamQuery, StreamCaptureUnsupported, kTests, s); });
  while_capturing(s, [&] { FAILS(hipMalloc, StreamCaptureUnsupported, kTests, &pointer, 16); });
  while_capturing(s, [&] { FAILS(hipHostFree, StreamCaptureUnsupported, kClr, t.pinned); });
  while_capturing(s, [&] {
    FAILS(hipMemcpy, StreamCaptureImplicit, kTests, t.device, t.host, 16, hipMemcpyHostToDevice);
  });
  while_capturing(s, [&] { FAILS(hipMemset, StreamCaptureImplicit, kTests, t.device, 0, 16); });
  while_capturing(s, [&] { FAILS(hipDeviceSetMemPool, StreamCaptureUnsupported, kHip7, 0, pool); });
  while_capturing(s, [&] {
    FAILS(hipDeviceSetCacheConfig, StreamCaptureUnsupported, kHip7, hipFuncCachePreferL1);
  });
  while_capturing(s, [&] {
    FAILS(hipMallocManaged, StreamCaptureUnsupported, kHip7, &pointer, 16, hipMemAttachGlobal);
  });
  while_capturing(s, [&] {
    FAILS(hipStreamIsCapturing, StreamCaptureImplicit, kTests, nullptr, &status);
  });
  while_capturing(s, [&] {
    (void)hipEventRecord(captured, s);
    FAILS(hipEventSynchronize, CapturedEvent, kTests, captured);
  });
  while_capturing(s, [&] {
    (void)hipEventRecord(captured, s);
    FAILS(hipEventQuery, CapturedEvent, kTests, captured);
  });
  while_capturing(s, [&] {
    FAILS(hipStreamBeginCapture, IllegalState, kTests, s, hipStreamCaptureModeGlobal);
  });
}
