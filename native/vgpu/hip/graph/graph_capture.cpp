#include "hip/core/graph_capture.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "hip/core/event.h"
#include "hip/core/stream.h"

namespace vgpu::hip {
namespace {

// Captures under way. One lock for all: capturing is rare and short.
struct Captures {
  std::recursive_mutex mutex;
  std::set<std::shared_ptr<Capture>> active;
  std::atomic<size_t> count{0};
  uint64_t next_id = 1;
};

Captures& captures() {
  static Captures* instance = new Captures();
  return *instance;
}

using Hold = std::lock_guard<std::recursive_mutex>;

thread_local hipStreamCaptureMode thread_mode = hipStreamCaptureModeGlobal;

hipError_t spoil(Capture& capture, hipError_t status) {
  capture.invalid = true;
  return status;
}

void leave(const std::shared_ptr<Capture>& capture) {
  for (auto& [stream, tail] : capture->tails) stream->capture.reset();
  captures().active.erase(capture);
  captures().count = captures().active.size();
}

// Whether a capture forbids this thread what would break it.
bool binds_this_thread(const Capture& capture) {
  const bool own = capture.thread == std::this_thread::get_id();
  if (capture.mode == hipStreamCaptureModeRelaxed) return false;
  if (capture.mode == hipStreamCaptureModeThreadLocal) return own;
  return own ? thread_mode != hipStreamCaptureModeRelaxed
             : thread_mode == hipStreamCaptureModeGlobal;
}

// With the lock held; null when there is none.
Capture* capture_that_default_stream_would_join() {
  for (const auto& capture : captures().active)
    for (auto& [stream, tail] : capture->tails)
      if (stream->blocking() && binds_this_thread(*capture)) return capture.get();
  return nullptr;
}

void add_unique(std::vector<Node*>& to, const std::vector<Node*>& nodes) {
  for (Node* node : nodes)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

bool has_unjoined_work(const Capture& capture) {
  const std::vector<Node*>& tail = capture.tails.at(capture.origin);
  for (auto& [stream, nodes] : capture.tails) {
    if (stream == capture.origin) continue;
    for (Node* node : nodes)
      if (node->needed_by.empty() && std::find(tail.begin(), tail.end(), node) == tail.end())
        return true;
  }
  return false;
}

}  // namespace

hipError_t begin_capture(Stream& stream, hipStreamCaptureMode mode, Graph* into,
                         const std::vector<Node*>& needs) {
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return hipErrorInvalidValue;
  if (stream.is_default()) return hipErrorStreamCaptureUnsupported;
  Hold hold(captures().mutex);
  if (stream.capture) return hipErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->id = captures().next_id++;
  if (!into) capture->own = std::make_unique<Graph>();
  capture->graph = into ? into : capture->own.get();
  capture->mode = mode;
  capture->origin = &stream;
  capture->thread = std::this_thread::get_id();
  capture->tails[&stream] = needs;
  stream.capture = capture;
  captures().active.insert(capture);
  captures().count = captures().active.size();
  return hipSuccess;
}

hipError_t end_capture(Stream& stream, Graph** graph) {
  Hold hold(captures().mutex);
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return hipErrorIllegalState;
  if (capture->origin != &stream) return spoil(*capture, hipErrorStreamCaptureUnmatched);
  if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return hipErrorStreamCaptureWrongThread;
  const bool unjoined = has_unjoined_work(*capture);
  leave(capture);
  *graph = nullptr;
  if (capture->invalid) return hipErrorStreamCaptureInvalidated;
  if (unjoined) return hipErrorStreamCaptureUnjoined;
  *graph = capture->own ? capture->own.release() : capture->graph;
  return hipSuccess;
}

void abandon_capture(Stream& stream) {
  Hold hold(captures().mutex);
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return;
  capture->invalid = true;
  if (capture->origin == &stream) leave(capture);
  capture->tails.erase(&stream);
  stream.capture.reset();
}

hipError_t capture_node(Stream& stream, Node node, Node** added) {
  Hold hold(captures().mutex);
  Capture& capture = *stream.capture;
  if (capture.invalid) return hipErrorStreamCaptureInvalidated;
  Node* made = capture.graph->add(std::move(node), capture.tails[&stream]);
  capture.tails[&stream] = {made};
  if (added) *added = made;
  return hipSuccess;
}

hipError_t capture_task(Stream& stream, TaskPtr task) {
  Node node;
  node.type = task ? task->node_type() : hipGraphNodeTypeEmpty;
  node.task = std::move(task);
  return capture_node(stream, std::move(node));
}

hipError_t capture_record(Stream& stream, Event& event, bool external) {
  if (external) {
    Node node;
    node.type = hipGraphNodeTypeEventRecord;
    node.event = event.shared_from_this();
    return capture_node(stream, std::move(node));
  }
  Hold hold(captures().mutex);
  if (stream.capture->invalid) return hipErrorStreamCaptureInvalidated;
  auto point = std::make_shared<CapturedPoint>();
  point->capture = stream.capture;
  point->nodes = stream.capture->tails[&stream];
  event.capture(std::move(point));
  return hipSuccess;
}

bool capture_wait(Stream& stream, Event& event, bool external, hipError_t& status) {
  Hold hold(captures().mutex);
  if (stream.capture && external) {
    Node node;
    node.type = hipGraphNodeTypeWaitEvent;
    node.event = event.shared_from_this();
    status = capture_node(stream, std::move(node));
    return true;
  }
  std::shared_ptr<CapturedPoint> point = event.captured();
  if (!point) {
    if (!stream.capture) return false;
    // Work of the time before the capture cannot be part of a graph; no work at all can.
    status = event.point() ? spoil(*stream.capture, hipErrorStreamCaptureIsolation) : hipSuccess;
    return true;
  }
  std::shared_ptr<Capture> capture = point->capture.lock();
  if (!capture || !captures().active.count(capture)) {
    status = hipErrorCapturedEvent;
  } else if (stream.capture && stream.capture != capture) {
    status = spoil(*capture, hipErrorStreamCaptureMerge);
  } else if (stream.is_default()) {
    status = spoil(*capture, hipErrorStreamCaptureImplicit);
  } else {
    stream.capture = capture;
    add_unique(capture->tails[&stream], point->nodes);
    status = hipSuccess;
  }
  return true;
}

hipError_t capture_forbids_synchronizing() {
  if (captures().count == 0) return hipSuccess;
  Hold hold(captures().mutex);
  hipError_t status = hipSuccess;
  for (const auto& capture : captures().active)
    status = spoil(*capture, hipErrorStreamCaptureUnsupported);
  return status;
}

hipError_t capture_forbids_waiting() {
  if (captures().count == 0) return hipSuccess;
  Hold hold(captures().mutex);
  for (const auto& capture : captures().active)
    if (binds_this_thread(*capture)) return spoil(*capture, hipErrorStreamCaptureUnsupported);
  return hipSuccess;
}

hipError_t capture_forbids_default_stream() {
  if (captures().count == 0) return hipSuccess;
  Hold hold(captures().mutex);
  Capture* capture = capture_that_default_stream_would_join();
  return capture ? spoil(*capture, hipErrorStreamCaptureImplicit) : hipSuccess;
}

hipError_t capture_forbids_asking_default_stream() {
  if (captures().count == 0) return hipSuccess;
  Hold hold(captures().mutex);
  return capture_that_default_stream_would_join() ? hipErrorStreamCaptureImplicit : hipSuccess;
}

hipError_t capture_forbids_asking(const Event& event) {
  std::shared_ptr<CapturedPoint> point = event.captured();
  if (!point) return hipSuccess;
  Hold hold(captures().mutex);
  std::shared_ptr<Capture> capture = point->capture.lock();
  return capture ? spoil(*capture, hipErrorCapturedEvent) : hipErrorCapturedEvent;
}

hipStreamCaptureMode exchange_capture_mode(hipStreamCaptureMode mode) {
  std::swap(thread_mode, mode);
  return mode;
}

}  // namespace vgpu::hip
