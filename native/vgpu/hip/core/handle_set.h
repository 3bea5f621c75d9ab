// Which handles of one kind the program holds: a call with any other fails instead of crashing.
#pragma once

#include <mutex>
#include <set>

namespace vgpu::hip {

template <class T>
class HandleSet {
 public:
  // Never destroyed: programs free handles in their own exit functions.
  static HandleSet& get() {
    static HandleSet* instance = new HandleSet();
    return *instance;
  }
  void add(T* object) {
    std::lock_guard<std::mutex> hold(mutex_);
    alive_.insert(object);
  }
  // False when the handle was not alive.
  bool remove(T* object) {
    std::lock_guard<std::mutex> hold(mutex_);
    return alive_.erase(object) != 0;
  }
  template <class Handle>
  T* find(Handle handle) const {
    auto* object = reinterpret_cast<T*>(handle);
    std::lock_guard<std::mutex> hold(mutex_);
    return alive_.count(object) ? object : nullptr;
  }

 private:
  mutable std::mutex mutex_;
  std::set<T*> alive_;
};

}  // namespace vgpu::hip
