// What processes share of an event: how often it was recorded, and how many of these records the
// devices have reached. Both are signals of HSA that processes can attach to.
#pragma once

#include <hip/hip_runtime_api.h>
#include <hsa/hsa_ext_amd.h>

#include <memory>

namespace vgpu::hip {

class SharedEvent {
 public:
  // What hipIpcEventHandle_t's 64 bytes hold.
  struct Handle {
    hsa_amd_ipc_signal_t recorded, reached;
  };
  static_assert(sizeof(Handle) <= sizeof(hipIpcEventHandle_t), "fits into HIP's handle");

  static std::shared_ptr<SharedEvent> create();                      // null: there is no memory
  static std::shared_ptr<SharedEvent> attach(const Handle& handle);  // null: no event of the kind
  SharedEvent(hsa_signal_t recorded, hsa_signal_t reached);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  bool give(Handle* handle) const;
  int64_t record();  // the number of this record, for reach()
  void reach(int64_t number);
  bool is_reached() const;
  void wait() const;  // for the record that is the last one now, or the end of the process

 private:
  const hsa_signal_t recorded_, reached_;
};

}  // namespace vgpu::hip
