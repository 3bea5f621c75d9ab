// Streams, events, waits, host functions.
void event_rows(Things& t) {
  hipEvent_t made, unfinished, silent, never;
  float ms;
  uint32_t* gate;
  (void)hipHostMalloc(&gate, 64, 0);
  *gate = 0;
  (void)hipEventCreate(&unfinished);
  (void)hipEventCreate(&never);
  (void)hipEventCreateWithFlags(&silent, hipEventDisableTiming);
  make_gone_handles(t);
  (void)hipEventRecord(t.event, t.stream);
  (void)hipEventRecord(silent, t.stream);
  (void)hipStreamSynchronize(t.stream);
  (void)hipStreamWaitValue32(t.stream, gate, 1, hipStreamWaitValueEq, ~0u);
  (void)hipEventRecord(unfinished, t.stream);
  FAILS(hipEventCreate, InvalidValue, kTests, nullptr);
  FAILS(hipEventCreateWithFlags, InvalidValue, kTests, nullptr, 0);
  FAILS(hipEventCreateWithFlags, InvalidValue, kTests, &made, 0x100);
  FAILS(hipEventCreateWithFlags, InvalidValue, kTests, &made, hipEventInterprocess);
  FAILS(hipEventCreateWithFlags, InvalidValue, kTests, &made,
        hipEventReleaseToDevice | hipEventReleaseToSystem);
  FAILS(hipEventDestroy, InvalidHandle, kTests, nullptr);
  FAILS(hipEventDestroy, InvalidHandle, kTests, t.gone_event);
  FAILS(hipEventRecord, InvalidHandle, kTests, nullptr, t.stream);
  FAILS(hipEventRecord, InvalidHandle, kTests, t.gone_event, t.stream);
  FAILS(hipEventRecordWithFlags, InvalidHandle, kHeader, nullptr, t.stream, 0);
  FAILS(hipEventRecordWithFlags, InvalidValue, kHeader, t.event, t.stream, 77);
  FAILS(hipEventRecord_spt, InvalidHandle, kTests, nullptr, nullptr);
  FAILS(hipEventSynchronize, InvalidHandle, kTests, nullptr);
  FAILS(hipEventQuery, InvalidHandle, kTests, t.gone_event);
  FAILS(hipEventQuery, NotReady, kTests, unfinished);
  hipIpcEventHandle_t shared{};
  FAILS(hipIpcGetEventHandle, InvalidValue, kTests, nullptr, t.event);
  FAILS(hipIpcGetEventHandle, InvalidValue, kTests, &shared, nullptr);
  FAILS(hipIpcGetEventHandle, InvalidConfiguration, kClr, &shared, t.event);
  FAILS(hipIpcOpenEventHandle, InvalidValue, kTests, nullptr, shared);
  FAILS(hipIpcOpenEventHandle, InvalidValue, kClr, &made, shared);
  FAILS(hipEventElapsedTime, InvalidValue, kTests, nullptr, t.event, t.event);
  FAILS(hipEventElapsedTime, InvalidHandle, kTests, &ms, nullptr, t.event);
  FAILS(hipEventElapsedTime, InvalidHandle, kTests, &ms, t.event, nullptr);
  FAILS(hipEventElapsedTime, InvalidHandle, kTests, &ms, silent, t.event);
  FAILS(hipEventElapsedTime, InvalidHandle, kTests, &ms, t.event, never);
  FAILS(hipEventElapsedTime, NotReady, kTests, &ms, t.event, unfinished);
  FAILS(hipEventElapsedTime, NotReady, kTests, &ms, unfinished, t.event);
  FAILS(hipStreamQuery, NotReady, kTests, t.stream);
  FAILS(hipStreamQuery, NotReady, kClr, nullptr);
  __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
  (void)hipStreamSynchronize(t.stream);
}

void value_rows(Things& t) {
  hipStreamBatchMemOpParams operation{};
  operation.operation = static_cast<hipStreamBatchMemOpType>(77);
  FAILS(hipStreamWaitValue32, InvalidValue, kTests, t.stream, nullptr, 1, hipStreamWaitValueEq, 1);
  FAILS(hipStreamWaitValue32, InvalidValue, kTests, t.stream, t.pinned, 1, 77, 1);
  FAILS(hipStreamWaitValue32, InvalidHandle, kTests, t.gone_stream, t.pinned, 1,
        hipStreamWaitValueEq, 1);
  FAILS(hipStreamWaitValue64, InvalidValue, kTests, t.stream, nullptr, 1, hipStreamWaitValueEq, 1);
  FAILS(hipStreamWaitValue64, InvalidValue, kTests, t.stream, t.pinned, 1, 77, 1);
  FAILS(hipStreamWriteValue32, InvalidValue, kTests, t.stream, nullptr, 1, 0);
  FAILS(hipStreamWriteValue64, InvalidValue, kTests, t.stream, nullptr, 1, 0);
  FAILS(hipStreamBatchMemOp, InvalidValue, kHeader, t.stream, 1, nullptr, 0);
  FAILS(hipStreamBatchMemOp, InvalidValue, kHeader, t.stream, 0, &operation, 0);
  FAILS(hipStreamBatchMemOp, InvalidValue, kHeader, t.stream, 1, &operation, 0);
}

void stream_rows(Things& t) {
  hipStream_t made;
  unsigned flags;
  unsigned long long id;
  int number;
  uint32_t mask = 1;
  hipLaunchAttributeValue value{};
  const auto callback = [](hipStream_t, hipError_t, void*) {};
  FAILS(hipStreamCreate, InvalidValue, kTests, nullptr);
  FAILS(hipStreamCreateWithFlags, InvalidValue, kTests, nullptr, 0);
  FAILS(hipStreamCreateWithFlags, InvalidValue, kTests, &made, 77);
  FAILS(hipStreamCreateWithPriority, InvalidValue, kTests, nullptr, 0, 0);
  FAILS(hipStreamCreateWithPriority, InvalidValue, kTests, &made, 77, 0);
  FAILS(hipExtStreamCreateWithCUMask, InvalidValue, kTests, &made, 0, &mask);
  FAILS(hipExtStreamCreateWithCUMask, InvalidValue, kTests, &made, 1, nullptr);
  FAILS(hipExtStreamCreateWithCUMask, InvalidValue, kTests, nullptr, 1, &mask);
  FAILS(hipExtStreamGetCUMask, InvalidValue, kTests, t.stream, 0, &mask);
  FAILS(hipExtStreamGetCUMask, InvalidValue, kTests, t.stream, 1, nullptr);
  FAILS(hipStreamDestroy, InvalidHandle, kTests, nullptr);
  FAILS(hipStreamDestroy, InvalidHandle, kTests, t.gone_stream);
  FAILS(hipStreamQuery, InvalidHandle, kHeader, t.gone_stream);
  FAILS(hipStreamQuery_spt, InvalidHandle, kHeader, t.gone_stream);
  FAILS(hipStreamSynchronize, InvalidHandle, kHeader, t.gone_stream);
  FAILS(hipStreamSynchronize_spt, InvalidHandle, kHeader, t.gone_stream);
  FAILS(hipStreamWaitEvent, InvalidHandle, kTests, t.stream, nullptr, 0);
  FAILS(hipStreamWaitEvent, InvalidHandle, kTests, t.gone_stream, t.event, 0);
  FAILS(hipStreamWaitEvent, InvalidValue, kTests, t.stream, t.event, ~0u);
  FAILS(hipStreamWaitEvent_spt, InvalidHandle, kTests, nullptr, nullptr, 0);
  FAILS(hipStreamGetFlags, InvalidValue, kTests, nullptr, &flags);
  FAILS(hipStreamGetFlags, InvalidValue, kTests, t.stream, nullptr);
  FAILS(hipStreamGetFlags_spt, InvalidValue, kTests, nullptr, nullptr);
  FAILS(hipStreamGetId, InvalidValue, kHeader, t.stream, nullptr);
  FAILS(hipStreamGetId, InvalidHandle, kHeader, t.gone_stream, &id);
  FAILS(hipStreamGetPriority, InvalidValue, kTests, t.stream, nullptr);
  FAILS(hipStreamGetPriority_spt, InvalidValue, kTests, nullptr, nullptr);
  FAILS(hipStreamGetDevice, InvalidValue, kTests, t.stream, nullptr);
  FAILS(hipStreamGetDevice, InvalidHandle, kHeader, t.gone_stream, &number);
  FAILS(hipStreamAddCallback, InvalidValue, kTests, t.stream, nullptr, nullptr, 0);
  FAILS(hipStreamAddCallback, InvalidValue, kTests, t.stream, callback, nullptr, 77);
  FAILS(hipStreamAddCallback_spt, InvalidValue, kTests, nullptr, nullptr, nullptr, 0);
  FAILS(hipLaunchHostFunc, InvalidValue, kTests, t.stream, nullptr, nullptr);
  FAILS(hipLaunchHostFunc_spt, InvalidValue, kTests, nullptr, nullptr, nullptr);
  FAILS(hipStreamSetAttribute, InvalidValue, kHeader, t.stream, hipLaunchAttributePriority,
        nullptr);
  FAILS(hipStreamGetAttribute, InvalidValue, kHeader, t.stream, hipLaunchAttributePriority,
        nullptr);
  FAILS(hipStreamGetAttribute, InvalidHandle, kHeader, t.gone_stream, hipLaunchAttributePriority,
        &value);
  event_rows(t);
  value_rows(t);
}
