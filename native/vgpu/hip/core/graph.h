// Graphs: nodes and what they depend on. A node is a task, or one of the kinds without work of
// their own: empty, child graph, event record and wait, memory.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "hip/core/handle_set.h"
#include "hip/core/task.h"

namespace vgpu::hip {

class Event;
class Graph;

// Memory of an allocation node: its address is known when the node is made and stays the same for
// every launch. Freed with the last graph or executable graph that knows it.
struct GraphMemory {
  explicit GraphMemory(const hipMemAllocNodeParams& parameters);
  ~GraphMemory();
  hipMemAllocNodeParams parameters;
};

// What all graphs of the process hold, and the most they held since the last reset.
uint64_t graph_memory_bytes();
uint64_t graph_memory_high();
void reset_graph_memory_high();
// Marks the memory of an allocation node as freed by a node; false for any other address, or when
// a free node has it already.
bool take_graph_memory(const void* address);

struct UserObject;

// What a graph holds of one object; programs count up to INT_MAX.
struct HeldObject {
  UserObject* object;
  uint64_t references;
};

struct Node {
  Graph* graph = nullptr;
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  TaskPtr task;
  std::unique_ptr<Graph> child;
  std::shared_ptr<Event> event;
  std::shared_ptr<GraphMemory> memory;
  void* freed = nullptr;  // the address of a free node
  std::vector<Node*> needs, needed_by;
  const Node* cloned_from = nullptr;
  std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes;  // of a kernel
  std::vector<void*> argument_pointers;  // what hipGraphKernelNodeGetParams hands out
};

class Graph {
 public:
  Graph();
  ~Graph();

  Node* add(Node node, const std::vector<Node*>& needs);
  void remove(Node* node);
  void connect(Node* from, Node* to);
  bool disconnect(Node* from, Node* to);  // false when there is no such edge
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  std::vector<Node*> roots() const;
  std::vector<Node*> leaves() const;

  // Every node after what it needs, otherwise in the order of creation. Empty when the edges form
  // a circle.
  std::vector<Node*> ordered() const;

  std::unique_ptr<Graph> clone() const;

  bool has_memory_nodes() const;
  bool instantiated = false;
  std::vector<HeldObject> user_objects;  // in the order in which they came

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
};

// Null for handles that are not (or no longer) alive.
inline Graph* find_graph(hipGraph_t handle) { return HandleSet<Graph>::get().find(handle); }
inline Node* find_node(hipGraphNode_t handle) { return HandleSet<Node>::get().find(handle); }

inline hipGraph_t handle_of(Graph* graph) { return reinterpret_cast<hipGraph_t>(graph); }
inline hipGraphNode_t handle_of(const Node* node) {
  return reinterpret_cast<hipGraphNode_t>(const_cast<Node*>(node));
}

// Reference counts of hipUserObject_t; the last release calls the program's destructor and takes
// the object out of the graphs that hold it. Releasing more than there is has no effect.
struct UserObject {
  void* object;
  hipHostFn_t destroy;
  uint64_t references;
  std::set<Graph*> holders;
};
void release_user_object(UserObject* object, uint64_t count);

}  // namespace vgpu::hip
