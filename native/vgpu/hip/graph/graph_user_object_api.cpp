// Objects of the program that live as long as graphs need them.
#include <algorithm>
#include <climits>

#include "hip/core/api.h"
#include "hip/core/graph.h"

namespace vgpu::hip {
namespace {

bool is_count(unsigned count) { return count > 0 && count <= INT_MAX; }

auto held_by(Graph& graph, const UserObject* object) {
  return std::find_if(graph.user_objects.begin(), graph.user_objects.end(),
                      [object](const HeldObject& held) { return held.object == object; });
}

UserObject* find(hipUserObject_t handle) { return HandleSet<UserObject>::get().find(handle); }

// An object that is gone already is no error, as in ROCm: nothing happens.
hipError_t retain(Graph& graph, UserObject* object, unsigned count, unsigned flags) {
  if (!object) return hipSuccess;
  if (flags != hipGraphUserObjectMove) object->references += count;
  auto held = held_by(graph, object);
  if (held == graph.user_objects.end()) graph.user_objects.push_back({object, count});
  else held->references += count;
  object->holders.insert(&graph);
  return hipSuccess;
}

void release_held(Graph& graph, UserObject* object, unsigned count) {
  auto held = held_by(graph, object);
  if (!object || object->references < count || held == graph.user_objects.end()) return;
  held->references -= std::min<uint64_t>(count, held->references);
  if (held->references == 0) {
    graph.user_objects.erase(held);
    object->holders.erase(&graph);
  }
  release_user_object(object, count);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipUserObjectCreate(hipUserObject_t* object_out, void* ptr, hipHostFn_t destroy,
                               unsigned initialRefcount, unsigned flags) {
  HIP_API(hipUserObjectCreate, object_out, ptr, destroy, initialRefcount, flags);
  if (!object_out || !destroy || !is_count(initialRefcount) ||
      flags != hipUserObjectNoDestructorSync)
    HIP_RETURN(hipErrorInvalidValue);
  auto* made = new UserObject{ptr, destroy, initialRefcount, {}};
  HandleSet<UserObject>::get().add(made);
  *object_out = reinterpret_cast<hipUserObject_t>(made);
  HIP_RETURN(hipSuccess);
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned count) {
  HIP_API(hipUserObjectRetain, object, count);
  if (!object || !is_count(count)) HIP_RETURN(hipErrorInvalidValue);
  if (UserObject* known = find(object)) known->references += count;
  HIP_RETURN(hipSuccess);
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count) {
  HIP_API(hipUserObjectRelease, object, count);
  if (!object || !is_count(count)) HIP_RETURN(hipErrorInvalidValue);
  release_user_object(reinterpret_cast<UserObject*>(object), count);
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count,
                                    unsigned flags) {
  HIP_API(hipGraphRetainUserObject, graph, object, count, flags);
  Graph* known = find_graph(graph);
  if (!known || !object || !is_count(count) || (flags && flags != hipGraphUserObjectMove))
    HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(retain(*known, find(object), count, flags));
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count) {
  HIP_API(hipGraphReleaseUserObject, graph, object, count);
  Graph* known = find_graph(graph);
  if (!known || !object || !is_count(count)) HIP_RETURN(hipErrorInvalidValue);
  release_held(*known, find(object), count);
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
