// Executable graphs: the nodes of a graph and its children in one list, each after what it needs,
// with the lane it runs on. Lanes run side by side in virtual time.
#pragma once

#include <hip/hip_runtime_api.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "hip/core/completion.h"
#include "hip/core/graph.h"
#include "hip/core/handle_set.h"

namespace vgpu::hip {

struct Step {
  const Node* origin;  // the node it was made of; only compared, never followed
  hipGraphNodeType type;
  TaskPtr task;  // null: nothing to run
  std::shared_ptr<Event> event;
  std::vector<size_t> after;  // indices of steps
  unsigned lane;
  bool enabled;
};
using Steps = std::vector<Step>;

class GraphExec {
 public:
  // Null when the graph's edges form a circle.
  static std::unique_ptr<GraphExec> make(const Graph& graph, unsigned long long flags);

  // One launch. `starts_now` unless it is captured into another graph: then the events that the
  // graph records are pending from this call on, and hold their old points before it.
  struct Launch {
    TaskPtr task;
    std::vector<std::pair<std::shared_ptr<Event>, CompletionPtr>> recorded;
    std::vector<CompletionPtr> host_waits_for;  // copies into memory that the device cannot reach
  };
  Launch launch(bool starts_now) const;
  unsigned long long flags() const { return flags_; }

  // Changes the step of a node for launches to come; false when the node is not part of it.
  template <class Change>
  bool change(const Node* node, Change apply) {
    std::lock_guard<std::mutex> hold(mutex_);
    auto changed = std::make_shared<Steps>(*steps_);  // launches under way keep the old list
    for (Step& step : *changed)
      if (step.origin == node) {
        apply(step);
        steps_ = changed;
        return true;
      }
    return false;
  }
  const Step* find(const Node* node) const;

  // Takes over the tasks of a graph of the same shape.
  hipGraphExecUpdateResult update(const Graph& graph, const Node** error_node);

 private:
  GraphExec() = default;
  mutable std::mutex mutex_;
  std::shared_ptr<const Steps> steps_;
  std::vector<std::shared_ptr<GraphMemory>> memory_;
  unsigned long long flags_ = 0;
};

inline GraphExec* find_exec(hipGraphExec_t handle) {
  return HandleSet<GraphExec>::get().find(handle);
}

}  // namespace vgpu::hip
