#include "hsa/copy/copy_engine.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "hsa/trace/trace_sink.h"

namespace vrocm {
namespace {

class CopyEngine {
 public:
  CopyEngine() : thread_([this] { serve(); }) {}

  ~CopyEngine() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    wake_signal_waiters();
    if (thread_.get_id() == std::this_thread::get_id()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  void submit(CopyJob job) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
  }

  bool idle() {
    std::lock_guard<std::mutex> lock(mutex_);
    return jobs_.empty();
  }

 private:
  void serve() {
    for (;;) {
      CopyJob* job = nullptr;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
        if (stop_) return;
        job = &jobs_.front();  // stays there while it runs: the engine is not idle
      }
      if (!run(*job)) return;
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.pop_front();
    }
  }

  bool run(CopyJob& job) {
    const auto ready = [&job] {
      return std::all_of(job.dependencies.begin(), job.dependencies.end(),
                         [](Signal* signal) { return signal->load() == 0; });
    };
    wait_for_signals([&] { return stop_ || ready(); }, kForever);
    if (stop_) return false;
    uint64_t start = std::max(job.enqueued_ns, last_end_);
    for (Signal* signal : job.dependencies) start = std::max(start, signal->time());
    job.record.start_ns = start;
    job.record.end_ns = start;
    job.copy();
    job.record.end_ns += copy_duration_ns(job.link, job.record.bytes);
    if (job.traced) trace_copy(job.record);
    last_end_ = job.record.end_ns;
    if (job.completion) job.completion->complete(start, last_end_);
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CopyJob> jobs_;
  std::atomic<bool> stop_{false};
  uint64_t last_end_ = 0;
  std::thread thread_;
};

struct Engines {
  std::mutex mutex;
  std::map<std::pair<Agent*, int>, std::unique_ptr<CopyEngine>> running;
};

Engines& engines() {
  static Engines* instance = new Engines;
  return *instance;
}

}  // namespace

void submit_copy(Agent& agent, int engine, CopyJob job) {
  Engines& e = engines();
  std::lock_guard<std::mutex> lock(e.mutex);
  std::unique_ptr<CopyEngine>& slot = e.running[{&agent, engine}];
  if (!slot) slot = std::make_unique<CopyEngine>();
  slot->submit(std::move(job));
}

uint32_t idle_engines(Agent& agent) {
  Engines& e = engines();
  std::lock_guard<std::mutex> lock(e.mutex);
  uint32_t mask = 0;
  for (int engine = 0; engine < kSdmaEngineCount; ++engine) {
    const auto it = e.running.find({&agent, engine});
    if (it == e.running.end() || it->second->idle()) mask |= 1u << engine;
  }
  return mask;
}

void stop_copy_engines() {
  std::map<std::pair<Agent*, int>, std::unique_ptr<CopyEngine>> stopping;
  {
    Engines& e = engines();
    std::lock_guard<std::mutex> lock(e.mutex);
    stopping.swap(e.running);
  }
}

Link link_between(const Agent& dst, const Agent& src) {
  if (dst.is_gpu()) return src.is_gpu() ? Link::DeviceToDevice : Link::HostToDevice;
  return src.is_gpu() ? Link::DeviceToHost : Link::HostToHost;
}

int engine_for(Link link) {
  switch (link) {
    case Link::HostToDevice: return 0;
    case Link::DeviceToHost: return 1;
    default: return kBlitEngine;
  }
}

}  // namespace vrocm
