// Stream capture: while it is on, submitted work becomes nodes of a graph instead of running.
#pragma once

#include <hip/hip_runtime_api.h>

#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "hip/core/graph.h"
#include "hip/core/task.h"

namespace vgpu::hip {

class Stream;

struct Capture {
  uint64_t id = 0;
  Graph* graph = nullptr;  // owned by `own` unless the program gave it
  std::unique_ptr<Graph> own;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  Stream* origin = nullptr;
  std::thread::id thread;
  bool invalid = false;
  std::map<Stream*, std::vector<Node*>> tails;  // what the next node of a stream depends on
};

// Where an event was recorded while its stream was captured.
struct CapturedPoint {
  std::weak_ptr<Capture> capture;
  std::vector<Node*> nodes;
};

hipError_t begin_capture(Stream& stream, hipStreamCaptureMode mode, Graph* into,
                         const std::vector<Node*>& needs);
hipError_t end_capture(Stream& stream, Graph** graph);
void abandon_capture(Stream& stream);  // the stream is being destroyed

// Adds a node behind the stream's tail. Fails, and spoils the capture, where HIP does.
hipError_t capture_node(Stream& stream, Node node, Node** added = nullptr);
hipError_t capture_task(Stream& stream, TaskPtr task);
hipError_t capture_record(Stream& stream, Event& event, bool external);
// A wait for an event that was recorded during a capture joins the waiting stream to it.
// Returns false when the wait has nothing to do with a capture.
bool capture_wait(Stream& stream, Event& event, bool external, hipError_t& status);

// Calls that wait or allocate are refused while a capture that this thread must respect is on.
hipError_t capture_forbids_waiting();
// Waiting for a whole device is refused by captures of every mode and thread.
hipError_t capture_forbids_synchronizing();
// Work on the legacy default stream would wait for the streams being captured.
hipError_t capture_forbids_default_stream();
// The same for a question about that stream, which leaves the capture alone.
hipError_t capture_forbids_asking_default_stream();
// An event whose last record is part of a capture has no state; asking breaks the capture.
hipError_t capture_forbids_asking(const Event& event);
hipStreamCaptureMode exchange_capture_mode(hipStreamCaptureMode mode);

}  // namespace vgpu::hip
