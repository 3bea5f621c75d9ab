#include "hip/record/recorder.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "hip/core/clock.h"
#include "hip/record/agent_record.h"
#include "hip/record/json_line.h"
#include "hip/record/recording_file.h"
#include "metadata/readable_name.h"
#include "vrocm/trace.h"

namespace vgpu::hip {
namespace {

// Who gave an operation to which stream. Kept for every correlation id: one operation, for
// example a graph, may cause many records.
struct Origin {
  uint64_t stream;
  long thread;
};

// With the real time, by which a reader knows what of several processes came first.
JsonObject& stamped(JsonObject& record) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return record.add("real_ns", uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec));
}

class Recorder {
 public:
  explicit Recorder(const std::string& folder);
  bool wants(const char* domain) const { return domains_.count(domain) != 0; }
  bool is_open() const { return open_; }
  void write(JsonObject record) { file_.write(stamped(record).text()); }
  void write(const std::string& json) { file_.write(json); }
  std::string save(const std::string& name, const void* data, size_t bytes) {
    return file_.save_beside(name, data, bytes);
  }
  void finish();
  void forget();

  void remember(uint64_t correlation, const Origin& origin) {
    std::lock_guard<std::mutex> hold(mutex_);
    origins_[correlation] = origin;
  }
  Origin origin(uint64_t correlation) const {
    std::lock_guard<std::mutex> hold(mutex_);
    auto known = origins_.find(correlation);
    return known == origins_.end() ? Origin{0, gettid()} : known->second;
  }

 private:
  void write_process();

  std::set<std::string> domains_;
  RecordingFile file_;
  std::atomic<bool> open_{false};
  mutable std::mutex mutex_;
  std::map<uint64_t, Origin> origins_;
};

std::set<std::string> split(const std::string& list) {
  std::set<std::string> parts;
  for (size_t at = 0; at <= list.size();) {
    size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) parts.insert(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// The parent of a process; 0 when there is none that we can see.
long parent_of(long pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');  // the name in front of it may hold anything
  char state = 0;
  long parent = 0;
  if (name_end == std::string::npos) return 0;
  std::istringstream(line.substr(name_end + 1)) >> state >> parent;
  return parent;
}

std::vector<long> ancestors() {
  std::vector<long> found;
  for (long pid = getppid(); pid > 0; pid = parent_of(pid)) found.push_back(pid);
  return found;
}

// --- what HSA reports ----------------------------------------------------------------------------

JsonObject operation(const char* kind, const Recorder& recorder, uint64_t correlation) {
  const Origin origin = recorder.origin(correlation);
  return JsonObject()
      .add("record", kind)
      .add("stream", origin.stream)
      .add("tid", origin.thread)
      .add("correlation", correlation);
}

void on_dispatch(void* user, const VrocmDispatchRecord* r) {
  auto& recorder = *static_cast<Recorder*>(user);
  JsonObject record = operation("dispatch", recorder, r->correlation_id)
                          .add("id", r->dispatch_id)
                          .add("kernel", r->kernel_id)
                          .add("name", r->kernel_name ? r->kernel_name : "")
                          .add("agent", agent_node(r->agent))
                          .add("queue", r->queue_id)
                          .add("start_ns", r->start_ns)
                          .add("end_ns", r->end_ns)
                          .triple("grid", r->grid)
                          .triple("workgroup", r->workgroup)
                          .add("group_segment_size", r->group_segment_size)
                          .add("private_segment_size", r->private_segment_size)
                          .add("wave_instructions", r->wave_instructions);
  if (r->counters) record.raw("counters", r->counters);
  if (r->thread_trace) record.add("thread_trace", r->thread_trace);
  if (r->bound)
    record.add("bound", r->bound).add("bound_ns", r->bound_ns).add("simulated_ns", r->simulated_ns);
  recorder.write(record);
}

void on_copy(void* user, const VrocmCopyRecord* r) {
  static const char* const kKinds[] = {"HOST_TO_HOST", "HOST_TO_DEVICE", "DEVICE_TO_HOST",
                                       "DEVICE_TO_DEVICE"};
  auto& recorder = *static_cast<Recorder*>(user);
  recorder.write(operation("copy", recorder, r->correlation_id)
                     .add("kind", kKinds[r->kind])
                     .add("dst_agent", agent_node(r->dst_agent))
                     .add("src_agent", agent_node(r->src_agent))
                     .add("dst_address", r->dst)
                     .add("src_address", r->src)
                     .add("bytes", r->bytes)
                     .add("start_ns", r->start_ns)
                     .add("end_ns", r->end_ns));
}

void on_code_object(void* user, const VrocmCodeObjectRecord* r) {
  auto& recorder = *static_cast<Recorder*>(user);
  JsonObject record = JsonObject()
                          .add("record", "code_object")
                          .add("id", r->code_object_id)
                          .add("agent", agent_node(r->agent))
                          .add("uri", r->uri ? r->uri : "")
                          .add("load_base", r->load_base)
                          .add("load_size", r->load_size)
                          .add("load_delta", r->load_delta)
                          .add("loaded", r->loaded);
  if (r->loaded && std::getenv("VROCM_THREAD_TRACE"))
    record.add("file", recorder.save("code-object-" + std::to_string(r->code_object_id), r->elf,
                                     r->elf_bytes));
  recorder.write(record);
}

std::string without_suffix(std::string symbol) {
  if (symbol.size() > 3 && symbol.compare(symbol.size() - 3, 3, ".kd") == 0)
    symbol.resize(symbol.size() - 3);
  return symbol;
}

void on_kernel(void* user, const VrocmKernelRecord* r) {
  static_cast<Recorder*>(user)->write(
      JsonObject()
          .add("record", "kernel")
          .add("id", r->kernel_id)
          .add("code_object", r->code_object_id)
          .add("name", r->name)
          .add("demangled", vrocm::readable_name(without_suffix(r->name)))
          .add("kernel_object", r->kernel_object)
          .add("kernarg_size", r->kernarg_size)
          .add("kernarg_alignment", r->kernarg_alignment)
          .add("group_segment_size", r->group_segment_size)
          .add("private_segment_size", r->private_segment_size)
          .add("sgpr_count", r->sgpr_count)
          .add("arch_vgpr_count", r->arch_vgpr_count)
          .add("accum_vgpr_count", r->accum_vgpr_count));
}

void on_queue(void* user, const VrocmQueueRecord* r) {
  static_cast<Recorder*>(user)->write(JsonObject()
                                          .add("record", "queue")
                                          .add("id", r->queue_id)
                                          .add("agent", agent_node(r->agent))
                                          .add("size", r->size)
                                          .add("created", r->created)
                                          .add("time_ns", r->time_ns));
}

void on_allocation(void* user, const VrocmAllocationRecord* r) {
  auto& recorder = *static_cast<Recorder*>(user);
  recorder.write(JsonObject()
                     .add("record", "allocation")
                     .add("operation", r->allocated ? "ALLOC" : "FREE")
                     .add("agent", agent_node(r->agent))
                     .add("address", r->address)
                     .add("bytes", r->bytes)
                     .add("correlation", r->correlation_id)
                     .add("tid", recorder.origin(r->correlation_id).thread)
                     .add("time_ns", r->time_ns));
}

// --- the recorder --------------------------------------------------------------------------------

Recorder::Recorder(const std::string& folder) {
  const char* chosen = std::getenv("VROCM_TRACE_DOMAINS");
  domains_ = split(chosen ? chosen : "kernel");
  open_ = file_.open(folder);
  if (!open_) return;
  write_process();
  static VrocmTraceSink sink{};
  sink.user = this;
  sink.on_code_object = on_code_object;
  sink.on_kernel_symbol = on_kernel;
  sink.on_queue = on_queue;
  if (wants("kernel")) sink.on_dispatch = on_dispatch;
  if (wants("copy")) sink.on_copy = on_copy;
  if (wants("alloc")) sink.on_allocation = on_allocation;
  vrocm_set_trace_sink(&sink);
}

void Recorder::write_process() {
  write(JsonObject()
            .add("record", "process")
            .add("format", 1)
            .add("pid", getpid())
            .add("ppid", getppid())
            .add("tid", gettid())
            .raw("ancestors", json_list(ancestors(), [](long pid) { return std::to_string(pid); }))
            .raw("command", json_list(command_line(), json_quoted))
            .add("start_ns", vrocm_host_now())
            .add("virtual", true)
            .raw("domains", json_list(domains_, json_quoted)));
}

void Recorder::finish() {
  JsonObject last = JsonObject().add("record", "end").add("end_ns", vrocm_host_now());
  file_.finish(stamped(last).text());
  open_ = false;
}

void Recorder::forget() {
  open_ = false;
  vrocm_set_trace_sink(nullptr);
  file_.forget();
}

// Null when nothing is to be recorded. Made on first use, never destroyed.
Recorder* recorder() {
  static Recorder* instance = []() -> Recorder* {
    const char* folder = std::getenv("VROCM_TRACE");
    if (!folder || !*folder) return nullptr;
    auto* made = new Recorder(folder);
    pthread_atfork(nullptr, nullptr, [] {
      if (Recorder* open = recorder()) open->forget();
    });
    return made;
  }();
  return instance && instance->is_open() ? instance : nullptr;
}

}  // namespace

bool recording() { return recorder() != nullptr; }

bool recording(const char* domain) {
  Recorder* open = recorder();
  return open && open->wants(domain);
}

void finish_recording() {
  if (Recorder* open = recorder()) open->finish();
}

void record_agent(hsa_agent_t agent, unsigned type_index) {
  if (Recorder* open = recorder()) open->write(agent_record(agent, type_index));
}

void record_api(const char* domain, const char* name, uint64_t id, uint64_t parent,
                uint64_t start_ns, uint64_t end_ns, int status,
                const std::vector<ApiArgument>& arguments) {
  Recorder* open = recorder();
  if (!open) return;
  auto argument = [](const ApiArgument& a) {
    return JsonObject().add("name", a.name).add("type", a.type).add("value", a.value).text();
  };
  open->write(JsonObject()
                  .add("record", "api")
                  .add("domain", domain)
                  .add("name", name)
                  .add("id", id)
                  .add("parent", parent)
                  .add("tid", gettid())
                  .add("start_ns", start_ns)
                  .add("end_ns", end_ns)
                  .add("status", status)
                  .raw("args", json_list(arguments, argument)));
}

void record_fill(const void* address, uint64_t bytes, hsa_agent_t agent, uint64_t start_ns,
                 uint64_t end_ns) {
  Recorder* open = recorder();
  if (!open || !open->wants("kernel")) return;
  open->write(operation("fill", *open, vrocm_correlation())
                  .add("agent", agent_node(agent))
                  .add("address", address)
                  .add("bytes", bytes)
                  .add("start_ns", start_ns)
                  .add("end_ns", end_ns));
}

void record_marker(const MarkerRecord& marker) {
  Recorder* open = recorder();
  if (!open || !open->wants("marker")) return;
  open->write(JsonObject()
                  .add("record", "marker")
                  .add("kind", marker.kind)
                  .add("message", marker.message)
                  .add("id", marker.id)
                  .add("tid", marker.thread)
                  .add("start_ns", marker.start_ns)
                  .add("end_ns", marker.end_ns));
}

void record_profiler(const char* action) {
  if (Recorder* open = recorder())
    open->write(JsonObject()
                    .add("record", "profiler")
                    .add("action", action)
                    .add("time_ns", vrocm_host_now()));
}

void record_stream(uint64_t stream_id, const void* handle, int device, unsigned flags,
                   int priority) {
  if (Recorder* open = recorder())
    open->write(JsonObject()
                    .add("record", "stream")
                    .add("id", stream_id)
                    .add("handle", handle)
                    .add("device", device)
                    .add("flags", flags)
                    .add("priority", priority));
}

void record_stream_use(uint64_t correlation, uint64_t stream_id) {
  if (Recorder* open = recorder()) open->remember(correlation, {stream_id, gettid()});
}

}  // namespace vgpu::hip
