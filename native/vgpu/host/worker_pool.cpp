#include "host/worker_pool.h"

#include <algorithm>

namespace vgpu {

WorkerPool& WorkerPool::instance() {
  static WorkerPool* pool = new WorkerPool;  // its threads outlive static destructors
  return *pool;
}

void WorkerPool::grow(unsigned threads) {
  for (; threads_ < threads; ++threads_) std::thread([this] { serve(); }).detach();
}

void WorkerPool::run(unsigned helpers, const std::function<void()>& work) {
  if (helpers == 0) return work();
  auto job = std::make_shared<Job>(Job{&work, helpers});
  {
    std::lock_guard lock(mutex_);
    grow(helpers);
    jobs_.push_back(job);
  }
  arrived_.notify_all();
  work();
  std::unique_lock lock(mutex_);
  job->wanted = 0;  // nobody else may join: the work is shared out
  jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), job), jobs_.end());
  left_.wait(lock, [&] { return job->active == 0; });
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [&] { return !jobs_.empty(); });
    std::shared_ptr<Job> job = jobs_.front();
    if (--job->wanted == 0) jobs_.pop_front();
    ++job->active;
    lock.unlock();
    (*job->work)();
    lock.lock();
    if (--job->active == 0) left_.notify_all();
  }
}

}  // namespace vgpu
