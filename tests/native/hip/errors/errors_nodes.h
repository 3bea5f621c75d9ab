// Nodes of graphs, one set of rows for each kind.
struct NodeThings {
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t made, empty, kernel, copy, fill, host, child, record, wait, memory, to_symbol,
        from_symbol;
  hipKernelNodeParams kernel_call{}, no_kernel{};
  hipMemcpy3DParms copy_call{}, no_copy{};
  hipMemsetParams fill_call{}, no_fill{};
  hipHostNodeParams host_call{}, no_host{};
  hipMemAllocNodeParams memory_call{};
  HIP_MEMCPY3D driver_copy{}, no_driver_copy{};
  void* arguments[1];
};

void fill_in(Things& t, NodeThings& n) {
  n.arguments[0] = &t.device;
  n.kernel_call.func = reinterpret_cast<void*>(kernel);
  n.kernel_call.gridDim = n.kernel_call.blockDim = dim3(1);
  n.kernel_call.kernelParams = n.arguments;
  n.copy_call.srcPtr = make_hipPitchedPtr(t.host, 64, 64, 1);
  n.copy_call.dstPtr = make_hipPitchedPtr(t.device, 64, 64, 1);
  n.copy_call.extent = make_hipExtent(64, 1, 1);
  n.copy_call.kind = hipMemcpyHostToDevice;
  n.fill_call.dst = t.device;
  n.fill_call.elementSize = 4;
  n.fill_call.width = 4;
  n.fill_call.height = 1;
  n.host_call.fn = [](void*) {};
  n.memory_call.bytesize = 64;
  n.memory_call.poolProps.allocType = hipMemAllocationTypePinned;
  n.memory_call.poolProps.location = {hipMemLocationTypeDevice, 0};
  n.driver_copy.srcMemoryType = hipMemoryTypeHost;
  n.driver_copy.dstMemoryType = hipMemoryTypeDevice;
  n.driver_copy.srcHost = t.host;
  n.driver_copy.dstDevice = t.device;
  n.driver_copy.WidthInBytes = 16;
  n.driver_copy.Height = n.driver_copy.Depth = 1;
  hipGraph_t inner;
  (void)hipGraphCreate(&n.graph, 0);
  (void)hipGraphCreate(&inner, 0);
  (void)hipGraphAddEmptyNode(&n.empty, n.graph, nullptr, 0);
  (void)hipGraphAddKernelNode(&n.kernel, n.graph, nullptr, 0, &n.kernel_call);
  (void)hipGraphAddMemcpyNode(&n.copy, n.graph, nullptr, 0, &n.copy_call);
  (void)hipGraphAddMemsetNode(&n.fill, n.graph, nullptr, 0, &n.fill_call);
  (void)hipGraphAddHostNode(&n.host, n.graph, nullptr, 0, &n.host_call);
  (void)hipGraphAddChildGraphNode(&n.child, n.graph, nullptr, 0, inner);
  (void)hipGraphAddEventRecordNode(&n.record, n.graph, nullptr, 0, t.event);
  (void)hipGraphAddEventWaitNode(&n.wait, n.graph, nullptr, 0, t.event);
  (void)hipGraphInstantiate(&n.exec, n.graph, nullptr, nullptr, 0);
}

void work_node_rows(Things& t, NodeThings& n) {
  hipKernelNodeParams kernel_out;
  hipMemcpy3DParms copy_out;
  hipMemsetParams fill_out;
  hipHostNodeParams host_out;
  hipMemsetParams too_wide = n.fill_call, flat = n.fill_call, odd = n.fill_call;
  too_wide.width = 5000;
  flat.height = 0;
  odd.elementSize = 3;
  hipKernelNodeParams no_arguments = n.kernel_call;
  no_arguments.kernelParams = nullptr;
  hipMemcpy3DParms back = n.copy_call;
  back.srcPtr = n.copy_call.dstPtr;
  back.dstPtr = n.copy_call.srcPtr;
  back.kind = hipMemcpyDeviceToHost;
  FAILS(hipGraphAddKernelNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, &n.kernel_call);
  FAILS(hipGraphAddKernelNode, InvalidValue, kTests, &n.made, nullptr, nullptr, 0, &n.kernel_call);
  FAILS(hipGraphAddKernelNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 1, &n.kernel_call);
  FAILS(hipGraphAddKernelNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphAddKernelNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &n.no_kernel);
  FAILS(hipGraphKernelNodeGetParams, InvalidValue, kTests, nullptr, &kernel_out);
  FAILS(hipGraphKernelNodeGetParams, InvalidValue, kTests, n.kernel, nullptr);
  FAILS(hipGraphKernelNodeGetParams, InvalidValue, kTests, n.empty, &kernel_out);
  FAILS(hipGraphKernelNodeSetParams, InvalidValue, kTests, nullptr, &n.kernel_call);
  FAILS(hipGraphKernelNodeSetParams, InvalidValue, kTests, n.kernel, nullptr);
  FAILS(hipGraphKernelNodeSetParams, InvalidValue, kTests, n.empty, &n.kernel_call);
  FAILS(hipGraphExecKernelNodeSetParams, InvalidValue, kTests, nullptr, n.kernel, &n.kernel_call);
  FAILS(hipGraphExecKernelNodeSetParams, InvalidValue, kTests, n.exec, nullptr, &n.kernel_call);
  FAILS(hipGraphExecKernelNodeSetParams, InvalidValue, kTests, n.exec, n.kernel, nullptr);
  FAILS(hipGraphAddMemcpyNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, &n.copy_call);
  FAILS(hipGraphAddMemcpyNode, InvalidValue, kTests, &n.made, nullptr, nullptr, 0, &n.copy_call);
  FAILS(hipGraphAddMemcpyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 1, &n.copy_call);
  FAILS(hipGraphAddMemcpyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphAddMemcpyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &n.no_copy);
  FAILS(hipGraphMemcpyNodeGetParams, InvalidValue, kTests, nullptr, &copy_out);
  FAILS(hipGraphMemcpyNodeGetParams, InvalidValue, kTests, n.copy, nullptr);
  FAILS(hipGraphMemcpyNodeGetParams, InvalidValue, kTests, n.empty, &copy_out);
  FAILS(hipGraphMemcpyNodeSetParams, InvalidValue, kTests, nullptr, &n.copy_call);
  FAILS(hipGraphMemcpyNodeSetParams, InvalidValue, kTests, n.copy, nullptr);
  FAILS(hipGraphMemcpyNodeSetParams, InvalidValue, kTests, n.empty, &n.copy_call);
  FAILS(hipGraphExecMemcpyNodeSetParams, InvalidValue, kTests, nullptr, n.copy, &n.copy_call);
  FAILS(hipGraphExecMemcpyNodeSetParams, InvalidValue, kTests, n.exec, nullptr, &n.copy_call);
  FAILS(hipGraphExecMemcpyNodeSetParams, InvalidValue, kTests, n.exec, n.copy, nullptr);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, &n.fill_call);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, &n.made, nullptr, nullptr, 0, &n.fill_call);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 1, &n.fill_call);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &n.no_fill);
  FAILS(hipGraphMemsetNodeGetParams, InvalidValue, kTests, nullptr, &fill_out);
  FAILS(hipGraphMemsetNodeGetParams, InvalidValue, kTests, n.fill, nullptr);
  FAILS(hipGraphMemsetNodeGetParams, InvalidValue, kTests, n.empty, &fill_out);
  FAILS(hipGraphMemsetNodeSetParams, InvalidValue, kTests, nullptr, &n.fill_call);
  FAILS(hipGraphMemsetNodeSetParams, InvalidValue, kTests, n.fill, nullptr);
  FAILS(hipGraphMemsetNodeSetParams, InvalidValue, kTests, n.empty, &n.fill_call);
  FAILS(hipGraphExecMemsetNodeSetParams, InvalidValue, kTests, nullptr, n.fill, &n.fill_call);
  FAILS(hipGraphExecMemsetNodeSetParams, InvalidValue, kTests, n.exec, nullptr, &n.fill_call);
  FAILS(hipGraphExecMemsetNodeSetParams, InvalidValue, kTests, n.exec, n.fill, nullptr);
  FAILS(hipGraphAddHostNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, &n.host_call);
  FAILS(hipGraphAddHostNode, InvalidValue, kTests, &n.made, nullptr, nullptr, 0, &n.host_call);
  FAILS(hipGraphAddHostNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 1, &n.host_call);
  FAILS(hipGraphAddHostNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphAddHostNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &n.no_host);
  FAILS(hipGraphHostNodeGetParams, InvalidValue, kTests, nullptr, &host_out);
  FAILS(hipGraphHostNodeGetParams, InvalidValue, kTests, n.host, nullptr);
  FAILS(hipGraphHostNodeGetParams, InvalidValue, kTests, n.empty, &host_out);
  FAILS(hipGraphHostNodeSetParams, InvalidValue, kTests, nullptr, &n.host_call);
  FAILS(hipGraphHostNodeSetParams, InvalidValue, kTests, n.host, nullptr);
  FAILS(hipGraphHostNodeSetParams, InvalidValue, kTests, n.empty, &n.host_call);
  FAILS(hipGraphExecHostNodeSetParams, InvalidValue, kTests, nullptr, n.host, &n.host_call);
  FAILS(hipGraphExecHostNodeSetParams, InvalidValue, kTests, n.exec, nullptr, &n.host_call);
  FAILS(hipGraphExecHostNodeSetParams, InvalidValue, kTests, n.exec, n.host, nullptr);
  FAILS(hipGraphAddKernelNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &no_arguments);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &too_wide);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &flat);
  FAILS(hipGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &odd);
  FAILS(hipGraphExecMemcpyNodeSetParams, InvalidValue, kTests, n.exec, n.copy, &back);
  FAILS(hipDrvGraphAddMemcpyNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0,
        &n.driver_copy, nullptr);
  FAILS(hipDrvGraphAddMemcpyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0,
        &n.no_driver_copy, nullptr);
  HIP_MEMCPY3D pitched = n.driver_copy, arrayless = n.driver_copy, tall = n.driver_copy;
  hipMemcpy3DParms pitched_box = n.copy_call, tall_box = n.copy_call;
  tall.Height = tall_box.extent.height = 1 << 20;    // begins inside, ends outside
  pitched.dstPitch = pitched_box.dstPtr.pitch = INT_MAX;
  arrayless.srcMemoryType = hipMemoryTypeArray;
  FAILS(hipDrvGraphAddMemcpyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &pitched,
        nullptr);
  FAILS(hipDrvGraphAddMemcpyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &arrayless,
        nullptr);
  FAILS(hipGraphAddMemcpyNode, InvalidValue, kClr, &n.made, n.graph, nullptr, 0, &pitched_box);
  FAILS(hipDrvGraphAddMemcpyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &tall,
        nullptr);
  FAILS(hipGraphAddMemcpyNode, InvalidValue, kClr, &n.made, n.graph, nullptr, 0, &tall_box);
  FAILS(hipDrvGraphMemcpyNodeSetParams, InvalidValue, kTests, nullptr, &n.driver_copy);
  FAILS(hipDrvGraphExecMemcpyNodeSetParams, InvalidValue, kTests, nullptr, n.copy, &n.driver_copy,
        nullptr);
  FAILS(hipDrvGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr,
        nullptr);
  FAILS(hipDrvGraphAddMemsetNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &too_wide,
        nullptr);
  FAILS(hipDrvGraphExecMemsetNodeSetParams, InvalidValue, kTests, nullptr, n.fill, &n.fill_call,
        nullptr);
  hipGraphNodeParams general{};
  general.type = static_cast<hipGraphNodeType>(0x40000000);
  FAILS(hipGraphAddNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphAddNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &general);
  FAILS(hipGraphNodeSetParams, InvalidValue, kHeader, n.kernel, nullptr);
  FAILS(hipGraphExecNodeSetParams, InvalidValue, kHeader, nullptr, n.kernel, &general);
}

void copy_node_rows(Things& t, NodeThings& n) {
  const void* var = HIP_SYMBOL(symbol);
  const auto to = hipMemcpyHostToDevice, back = hipMemcpyDeviceToHost;
  (void)hipGraphAddMemcpyNodeToSymbol(&n.to_symbol, n.graph, nullptr, 0, var, t.host, 8, 0, to);
  (void)hipGraphAddMemcpyNodeFromSymbol(&n.from_symbol, n.graph, nullptr, 0, t.host, var, 8, 0,
        back);
  FAILS(hipGraphAddMemcpyNode1D, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, t.device,
        t.host, 8, to);
  FAILS(hipGraphAddMemcpyNode1D, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr,
        t.host, 8, to);
  FAILS(hipGraphAddMemcpyNode1D, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, t.device,
        t.host, 5000, to);
  FAILS(hipGraphMemcpyNodeSetParams1D, InvalidValue, kTests, nullptr, t.device, t.host, 8, to);
  FAILS(hipGraphMemcpyNodeSetParams1D, InvalidValue, kTests, n.copy, t.device, t.host, 0, to);
  FAILS(hipGraphMemcpyNodeSetParams1D, InvalidValue, kTests, n.copy, t.device, t.device, 8,
        hipMemcpyDeviceToDevice);
  FAILS(hipGraphExecMemcpyNodeSetParams1D, InvalidValue, kTests, nullptr, n.copy, t.device,
        t.host, 8, to);
  FAILS(hipGraphExecMemcpyNodeSetParams1D, InvalidValue, kTests, n.exec, n.copy, t.device, t.host,
        0, to);
  FAILS(hipGraphExecMemcpyNodeSetParams1D, InvalidValue, kTests, n.exec, n.copy, t.host, t.device,
        8, back);
  FAILS(hipGraphAddMemcpyNodeToSymbol, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, var,
        t.host, 8, 0, to);
  FAILS(hipGraphAddMemcpyNodeToSymbol, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, var,
        t.host, 8, 12, to);
  FAILS(hipGraphAddMemcpyNodeToSymbol, InvalidSymbol, kTests, &n.made, n.graph, nullptr, 0,
        t.host, t.device, 8, 0, to);
  FAILS(hipGraphMemcpyNodeSetParamsToSymbol, InvalidValue, kTests, n.to_symbol, var, var, 8, 0, to);
  FAILS(hipGraphMemcpyNodeSetParamsToSymbol, InvalidValue, kTests, nullptr, var, t.host, 8, 0, to);
  FAILS(hipGraphExecMemcpyNodeSetParamsToSymbol, InvalidValue, kTests, n.exec, nullptr, var,
        t.host, 8, 0, to);
  FAILS(hipGraphAddMemcpyNodeFromSymbol, InvalidValue, kTests, nullptr, n.graph, nullptr, 0,
        t.host, var, 8, 0, back);
  FAILS(hipGraphAddMemcpyNodeFromSymbol, InvalidValue, kTests, &n.made, n.graph, nullptr, 0,
        t.host, var, 17, 0, back);
  FAILS(hipGraphMemcpyNodeSetParamsFromSymbol, InvalidValue, kTests, n.from_symbol, nullptr, var,
        8, 0, back);
  FAILS(hipGraphExecMemcpyNodeSetParamsFromSymbol, InvalidValue, kTests, nullptr, n.from_symbol,
        t.host, var, 8, 0, back);
}

void special_node_rows(Things& t, NodeThings& n) {
  hipEvent_t event;
  hipGraph_t inner;
  hipMemAllocNodeParams wrong = n.memory_call, asked;
  hipLaunchAttributeValue value{};
  void* freed = nullptr;
  wrong.poolProps.location.id = 99;
  (void)hipGraphAddMemAllocNode(&n.memory, n.graph, nullptr, 0, &n.memory_call);
  FAILS(hipGraphAddEmptyNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0);
  FAILS(hipGraphAddEmptyNode, InvalidValue, kTests, &n.made, nullptr, nullptr, 0);
  FAILS(hipGraphAddEmptyNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 1);
  FAILS(hipGraphAddChildGraphNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphChildGraphNodeGetGraph, InvalidValue, kTests, n.empty, &inner);
  FAILS(hipGraphChildGraphNodeGetGraph, InvalidValue, kTests, n.child, nullptr);
  FAILS(hipGraphExecChildGraphNodeSetParams, InvalidValue, kTests, n.exec, n.empty, n.graph);
  FAILS(hipGraphExecChildGraphNodeSetParams, GraphExecUpdateFailure, kTests, n.exec, n.child,
        n.graph);
  FAILS(hipGraphAddEventRecordNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, t.event);
  FAILS(hipGraphAddEventRecordNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphEventRecordNodeGetEvent, InvalidValue, kTests, n.record, nullptr);
  FAILS(hipGraphEventRecordNodeGetEvent, InvalidValue, kTests, n.empty, &event);
  FAILS(hipGraphEventRecordNodeSetEvent, InvalidValue, kTests, n.record, nullptr);
  FAILS(hipGraphEventRecordNodeSetEvent, InvalidValue, kTests, n.empty, t.event);
  FAILS(hipGraphExecEventRecordNodeSetEvent, InvalidValue, kTests, nullptr, n.record, t.event);
  FAILS(hipGraphExecEventRecordNodeSetEvent, InvalidValue, kTests, n.exec, n.record, nullptr);
  FAILS(hipGraphAddEventWaitNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0, t.event);
  FAILS(hipGraphAddEventWaitNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphEventWaitNodeGetEvent, InvalidValue, kTests, n.wait, nullptr);
  FAILS(hipGraphEventWaitNodeGetEvent, InvalidValue, kTests, n.empty, &event);
  FAILS(hipGraphEventWaitNodeSetEvent, InvalidValue, kTests, n.wait, nullptr);
  FAILS(hipGraphEventWaitNodeSetEvent, InvalidValue, kTests, n.empty, t.event);
  FAILS(hipGraphExecEventWaitNodeSetEvent, InvalidValue, kTests, nullptr, n.wait, t.event);
  FAILS(hipGraphExecEventWaitNodeSetEvent, InvalidValue, kTests, n.exec, n.wait, nullptr);
  FAILS(hipGraphAddMemAllocNode, InvalidValue, kTests, nullptr, n.graph, nullptr, 0,
        &n.memory_call);
  FAILS(hipGraphAddMemAllocNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphAddMemAllocNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, &wrong);
  FAILS(hipGraphMemAllocNodeGetParams, InvalidValue, kTests, n.memory, nullptr);
  FAILS(hipGraphMemAllocNodeGetParams, InvalidValue, kTests, n.empty, &asked);
  FAILS(hipGraphAddMemFreeNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphAddMemFreeNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, t.device);
  FAILS(hipGraphMemFreeNodeGetParams, InvalidValue, kTests, n.memory, &freed);
  FAILS(hipDrvGraphAddMemFreeNode, InvalidValue, kTests, &n.made, n.graph, nullptr, 0, nullptr);
  FAILS(hipGraphKernelNodeSetAttribute, InvalidValue, kTests, n.empty, hipLaunchAttributePriority,
        &value);
  FAILS(hipGraphKernelNodeSetAttribute, InvalidValue, kTests, n.kernel,
        static_cast<hipLaunchAttributeID>(-1), &value);
  value.accessPolicyWindow.hitRatio = 1.5f;
  FAILS(hipGraphKernelNodeSetAttribute, InvalidValue, kTests, n.kernel,
        hipLaunchAttributeAccessPolicyWindow, &value);
  FAILS(hipGraphKernelNodeGetAttribute, InvalidValue, kTests, n.kernel,
        hipLaunchAttributePriority, nullptr);
  FAILS(hipGraphKernelNodeGetAttribute, InvalidValue, kTests, n.kernel,
        static_cast<hipLaunchAttributeID>(-1), &value);
  FAILS(hipGraphKernelNodeCopyAttributes, InvalidValue, kTests, n.kernel, nullptr);
  hipGraph_t with_memory;
  hipGraphExec_t first, second;
  hipGraphNode_t node;
  (void)hipGraphCreate(&with_memory, 0);
  (void)hipGraphAddMemAllocNode(&node, with_memory, nullptr, 0, &n.memory_call);
  (void)hipGraphInstantiate(&first, with_memory, nullptr, nullptr, 0);
  FAILS(hipGraphInstantiate, NotSupported, kTests, &second, with_memory, nullptr, nullptr, 0);
}

void graph_node_rows(Things& t) {
  NodeThings n;
  fill_in(t, n);
  work_node_rows(t, n);
  copy_node_rows(t, n);
  special_node_rows(t, n);
}
