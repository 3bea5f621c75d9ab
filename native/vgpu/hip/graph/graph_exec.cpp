#include "hip/graph/graph_exec.h"

#include <algorithm>
#include <map>

#include "hip/copy/copy.h"
#include "hip/core/clock.h"
#include "hip/core/event.h"
#include "hip/core/memory.h"
#include "hip/core/stream.h"

namespace vgpu::hip {
namespace {

constexpr unsigned kLanes = 4;  // queues that HIP uses for the branches of a graph

// Appends the steps of `graph`; `before` are steps that its roots wait for. False: a circle.
bool flatten(const Graph& graph, const std::vector<size_t>& before, Steps& steps) {
  const std::vector<Node*> order = graph.ordered();
  if (order.empty() && !graph.nodes().empty()) return false;
  std::map<const Node*, size_t> index;
  for (Node* node : order) {
    std::vector<size_t> after = before;
    if (!node->needs.empty()) after.clear();
    for (Node* need : node->needs) after.push_back(index[need]);
    if (node->child) {
      const size_t first = steps.size();
      if (!flatten(*node->child, after, steps)) return false;
      for (size_t i = first; i < steps.size(); ++i) after.push_back(i);
    }
    index[node] = steps.size();
    steps.push_back({node, node->type, node->task, node->event, std::move(after), 0, true});
  }
  return true;
}

// A step stays on the lane of a step it follows when nothing else has followed there yet.
void assign_lanes(Steps& steps) {
  std::vector<size_t> tail(kLanes, SIZE_MAX);
  unsigned next = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    auto ends_lane = [&](size_t before) { return tail[steps[before].lane] == before; };
    auto found = std::find_if(step.after.begin(), step.after.end(), ends_lane);
    step.lane = found != step.after.end() ? steps[*found].lane : next++ % kLanes;
    tail[step.lane] = i;
  }
}

void collect_memory(const Graph& graph, std::vector<std::shared_ptr<GraphMemory>>& found) {
  for (auto& node : graph.nodes()) {
    if (node->memory) found.push_back(node->memory);
    if (node->child) collect_memory(*node->child, found);
  }
}

// ROCm's host copies the last part of the way itself, inside hipGraphLaunch.
bool holds_host(const Step& step) {
  const auto* copy = dynamic_cast<const CopyTask*>(step.task.get());
  return copy && step.enabled && is_pageable_host(copy->target);
}

class GraphTask : public Task {
 public:
  // `points`: per step what an event step waits for or finishes, and what a copy that the host waits
  // for finishes; empty when the launch was captured, then events are looked up as the steps run.
  GraphTask(std::shared_ptr<const Steps> steps, std::vector<CompletionPtr> points)
      : steps_(std::move(steps)), points_(std::move(points)) {}

  uint64_t run(Stream& stream) const override {
    const uint64_t ready = vrocm_host_now();
    std::vector<uint64_t> ends(steps_->size(), ready);
    uint64_t last = ready;
    for (size_t i = 0; i < steps_->size(); ++i) {
      const Step& step = (*steps_)[i];
      uint64_t start = ready;
      for (size_t before : step.after) start = std::max(start, ends[before]);
      ends[i] = step.enabled ? run_step(i, stream, start) : start;
      last = std::max(last, ends[i]);
    }
    return last;
  }
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeGraph; }

 private:
  uint64_t run_step(size_t index, Stream& stream, uint64_t start) const {
    const Step& step = (*steps_)[index];
    if (step.type == hipGraphNodeTypeWaitEvent) {
      CompletionPtr point = points_.empty() ? step.event->point() : points_[index];
      return point ? std::max(start, point->wait()) : start;
    }
    if (step.type == hipGraphNodeTypeEventRecord) {
      CompletionPtr point = points_.empty() ? std::make_shared<Completion>() : points_[index];
      point->finish(start);
      if (points_.empty()) step.event->record(std::move(point));
    }
    if (!step.task) return start;
    vrocm_service_set_time(start);
    const uint64_t end = std::max(start, step.task->run(stream.lane(step.lane)));
    if (!points_.empty() && points_[index]) points_[index]->finish(end);
    return end;
  }

  std::shared_ptr<const Steps> steps_;
  std::vector<CompletionPtr> points_;
};

}  // namespace

std::unique_ptr<GraphExec> GraphExec::make(const Graph& graph, unsigned long long flags) {
  auto steps = std::make_shared<Steps>();
  if (!flatten(graph, {}, *steps)) return nullptr;
  assign_lanes(*steps);
  std::unique_ptr<GraphExec> exec(new GraphExec());
  exec->steps_ = std::move(steps);
  exec->flags_ = flags;
  collect_memory(graph, exec->memory_);
  return exec;
}

GraphExec::Launch GraphExec::launch(bool starts_now) const {
  std::lock_guard<std::mutex> hold(mutex_);
  Launch launch;
  std::vector<CompletionPtr> points(starts_now ? steps_->size() : 0);
  std::map<const Event*, CompletionPtr> latest;  // a wait sees the records of steps before it
  for (size_t i = 0; i < points.size(); ++i) {
    const Step& step = (*steps_)[i];
    if (step.type == hipGraphNodeTypeWaitEvent) {
      auto own = latest.find(step.event.get());
      points[i] = own == latest.end() ? step.event->point() : own->second;
    } else if (step.type == hipGraphNodeTypeEventRecord && step.enabled) {
      points[i] = latest[step.event.get()] = std::make_shared<Completion>();
      launch.recorded.emplace_back(step.event, points[i]);
    } else if (holds_host(step)) {
      launch.host_waits_for.push_back(points[i] = std::make_shared<Completion>());
    }
  }
  launch.task = std::make_shared<GraphTask>(steps_, std::move(points));
  return launch;
}

const Step* GraphExec::find(const Node* node) const {
  std::lock_guard<std::mutex> hold(mutex_);
  for (const Step& step : *steps_)
    if (step.origin == node) return &step;
  return nullptr;
}

hipGraphExecUpdateResult GraphExec::update(const Graph& graph, const Node** error_node) {
  auto fresh = std::make_shared<Steps>();
  if (!flatten(graph, {}, *fresh)) return hipGraphExecUpdateErrorTopologyChanged;
  std::lock_guard<std::mutex> hold(mutex_);
  if (fresh->size() != steps_->size()) return hipGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < fresh->size(); ++i) {
    const Step& before = (*steps_)[i];
    Step& now = (*fresh)[i];
    *error_node = now.origin;
    if (now.type != before.type) return hipGraphExecUpdateErrorNodeTypeChanged;
    if (now.after != before.after) return hipGraphExecUpdateErrorTopologyChanged;
    if (!same_direction(before.task.get(), now.task.get()))
      return hipGraphExecUpdateErrorParametersChanged;
    now.lane = before.lane;
    now.origin = before.origin;  // the program keeps naming the nodes it instantiated
  }
  *error_node = nullptr;
  steps_ = std::move(fresh);
  collect_memory(graph, memory_);
  return hipGraphExecUpdateSuccess;
}

}  // namespace vgpu::hip
