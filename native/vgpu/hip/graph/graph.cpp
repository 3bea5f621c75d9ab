#include "hip/core/graph.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "hip/core/memory.h"

namespace vgpu::hip {
namespace {

// What allocation nodes hold, and which of it no free node has yet.
struct GraphMemoryBook {
  std::mutex mutex;
  uint64_t bytes = 0, high = 0;
  std::set<const void*> not_freed;
};

GraphMemoryBook& book() {
  static GraphMemoryBook* instance = new GraphMemoryBook();
  return *instance;
}

void erase_value(std::vector<Node*>& from, Node* node) {
  from.erase(std::remove(from.begin(), from.end(), node), from.end());
}

bool contains(const std::vector<Node*>& nodes, const Node* node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

// What a copy of a node shares with the original and what it has of its own.
Node copy_of(const Node& original) {
  Node copy;
  copy.type = original.type;
  copy.task = original.task;
  copy.event = original.event;
  copy.memory = original.memory;
  copy.freed = original.freed;
  copy.attributes = original.attributes;
  copy.cloned_from = &original;
  if (original.child) copy.child = original.child->clone();
  return copy;
}

}  // namespace

GraphMemory::GraphMemory(const hipMemAllocNodeParams& parameters) : parameters(parameters) {
  std::lock_guard<std::mutex> hold(book().mutex);
  book().bytes += parameters.bytesize;
  book().high = std::max(book().high, book().bytes);
  book().not_freed.insert(parameters.dptr);
}

GraphMemory::~GraphMemory() {
  {
    std::lock_guard<std::mutex> hold(book().mutex);
    book().bytes -= parameters.bytesize;
    book().not_freed.erase(parameters.dptr);
  }
  if (parameters.dptr) (void)release(parameters.dptr);
}

uint64_t graph_memory_bytes() {
  std::lock_guard<std::mutex> hold(book().mutex);
  return book().bytes;
}

uint64_t graph_memory_high() {
  std::lock_guard<std::mutex> hold(book().mutex);
  return book().high;
}

void reset_graph_memory_high() {
  std::lock_guard<std::mutex> hold(book().mutex);
  book().high = book().bytes;
}

bool take_graph_memory(const void* address) {
  std::lock_guard<std::mutex> hold(book().mutex);
  return book().not_freed.erase(address) != 0;
}

Graph::Graph() { HandleSet<Graph>::get().add(this); }

Graph::~Graph() {
  for (auto& node : nodes_) HandleSet<Node>::get().remove(node.get());
  for (const HeldObject& held : user_objects) held.object->holders.erase(this);
  // A graph may have been given more references than there are.
  for (const HeldObject& held : std::exchange(user_objects, {}))
    release_user_object(held.object, std::min(held.references, held.object->references));
  HandleSet<Graph>::get().remove(this);
}

Node* Graph::add(Node node, const std::vector<Node*>& needs) {
  nodes_.push_back(std::make_unique<Node>(std::move(node)));
  Node* added = nodes_.back().get();
  added->graph = this;
  HandleSet<Node>::get().add(added);
  for (Node* before : needs) connect(before, added);
  return added;
}

void Graph::remove(Node* node) {
  for (Node* before : node->needs) erase_value(before->needed_by, node);
  for (Node* after : node->needed_by) erase_value(after->needs, node);
  HandleSet<Node>::get().remove(node);
  auto is_node = [node](const std::unique_ptr<Node>& owned) { return owned.get() == node; };
  nodes_.erase(std::find_if(nodes_.begin(), nodes_.end(), is_node));
}

void Graph::connect(Node* from, Node* to) {
  if (contains(to->needs, from)) return;
  to->needs.push_back(from);
  from->needed_by.push_back(to);
}

bool Graph::disconnect(Node* from, Node* to) {
  if (!contains(to->needs, from)) return false;
  erase_value(to->needs, from);
  erase_value(from->needed_by, to);
  return true;
}

bool Graph::has_memory_nodes() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const std::unique_ptr<Node>& node) {
    return node->type == hipGraphNodeTypeMemAlloc || node->type == hipGraphNodeTypeMemFree;
  });
}

std::vector<Node*> Graph::roots() const {
  std::vector<Node*> found;
  for (auto& node : nodes_)
    if (node->needs.empty()) found.push_back(node.get());
  return found;
}

std::vector<Node*> Graph::leaves() const {
  std::vector<Node*> found;
  for (auto& node : nodes_)
    if (node->needed_by.empty()) found.push_back(node.get());
  return found;
}

std::vector<Node*> Graph::ordered() const {
  std::map<Node*, size_t> missing;
  std::vector<Node*> order = roots();
  for (auto& node : nodes_) missing[node.get()] = node->needs.size();
  for (size_t i = 0; i < order.size(); ++i)
    for (Node* after : order[i]->needed_by)
      if (--missing[after] == 0) order.push_back(after);
  if (order.size() != nodes_.size()) order.clear();
  return order;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::map<const Node*, Node*> twin;
  for (auto& node : nodes_) twin[node.get()] = copy->add(copy_of(*node), {});
  for (auto& node : nodes_)
    for (Node* before : node->needs) copy->connect(twin[before], twin[node.get()]);
  return copy;
}

void release_user_object(UserObject* object, uint64_t count) {
  if (!HandleSet<UserObject>::get().find(object) || count > object->references) return;
  object->references -= count;
  if (object->references) return;
  HandleSet<UserObject>::get().remove(object);
  for (Graph* holder : object->holders) {
    auto& held = holder->user_objects;
    held.erase(std::find_if(held.begin(), held.end(),
                            [object](const HeldObject& one) { return one.object == object; }));
  }
  object->destroy(object->object);
  delete object;
}

}  // namespace vgpu::hip
