// Host threads that help the thread which runs a dispatch.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace vgpu {

class WorkerPool {
 public:
  static WorkerPool& instance();

  // Runs `work` on this thread and on up to `helpers` others at the same time; returns when all
  // that started have returned. `work` has to find its own share (a ticket counter).
  void run(unsigned helpers, const std::function<void()>& work);

 private:
  struct Job {
    const std::function<void()>* work;
    unsigned wanted;      // helpers that may still join
    unsigned active = 0;  // helpers inside work
  };

  void serve();
  void grow(unsigned threads);

  std::mutex mutex_;
  std::condition_variable arrived_, left_;
  std::deque<std::shared_ptr<Job>> jobs_;
  unsigned threads_ = 0;
};

}  // namespace vgpu
