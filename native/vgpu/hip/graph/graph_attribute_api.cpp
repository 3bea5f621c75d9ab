// Attributes of kernel nodes.
#include "hip/core/api.h"
#include "hip/core/graph.h"
#include "hip/core/runtime.h"
#include "hip/device/device_properties.h"
#include "hip/launch/launch.h"

namespace vgpu::hip {
namespace {

Node* find_kernel(hipGraphNode_t handle) {
  Node* node = find_node(handle);
  return node && node->type == hipGraphNodeTypeKernel ? node : nullptr;
}

bool is_known(hipLaunchAttributeID attribute) {
  return attribute == hipLaunchAttributeAccessPolicyWindow ||
         attribute == hipLaunchAttributeCooperative || attribute == hipLaunchAttributePriority;
}

bool is_valid(const hipAccessPolicyWindow& window) {
  int largest = 0;
  (void)device_attribute(Runtime::get().current(), hipDeviceAttributeAccessPolicyMaxWindowSize,
                         &largest);
  return window.num_bytes <= static_cast<size_t>(largest) && window.hitRatio >= 0 &&
         window.hitRatio <= 1 && window.missProp != hipAccessPropertyPersisting;
}

// The one attribute that changes the launch; windows and priorities are hints.
void apply_cooperative(Node& node, bool cooperative) {
  const auto* task = dynamic_cast<const KernelTask*>(node.task.get());
  if (!task || task->shape.cooperative == cooperative) return;
  auto changed = std::make_shared<KernelTask>(*task);
  changed->shape.cooperative = cooperative;
  node.task = std::move(changed);
}

hipError_t set(Node* node, hipLaunchAttributeID attribute, const hipLaunchAttributeValue* value) {
  if (!node || !value || !is_known(attribute)) return hipErrorInvalidValue;
  if (attribute == hipLaunchAttributeAccessPolicyWindow && !is_valid(value->accessPolicyWindow))
    return hipErrorInvalidValue;
  node->attributes[attribute] = *value;
  if (attribute == hipLaunchAttributeCooperative) apply_cooperative(*node, value->cooperative != 0);
  return hipSuccess;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                          const hipLaunchAttributeValue* value) {
  HIP_API(hipGraphKernelNodeSetAttribute, hNode, attr, value);
  HIP_RETURN(set(find_kernel(hNode), attr, value));
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                          hipLaunchAttributeValue* value) {
  HIP_API(hipGraphKernelNodeGetAttribute, hNode, attr, value);
  const Node* node = find_kernel(hNode);
  if (!node || !value || !is_known(attr)) HIP_RETURN(hipErrorInvalidValue);
  auto known = node->attributes.find(attr);
  *value = known == node->attributes.end() ? hipLaunchAttributeValue{} : known->second;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst) {
  HIP_API(hipGraphKernelNodeCopyAttributes, hSrc, hDst);
  const Node* source = find_kernel(hSrc);
  Node* target = find_kernel(hDst);
  if (!source || !target) HIP_RETURN(hipErrorInvalidValue);
  for (const auto& [attribute, value] : source->attributes) (void)set(target, attribute, &value);
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
