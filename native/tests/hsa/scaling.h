// Everything that the kernel `scale` needs to run.
#pragma once

#include "check.h"

struct ScaleArguments {  // void scale(int* out, const int* in, int factor), workgroups of 256
  int* out;
  const int* in;
  int factor;
};

struct Scaling {
  Session session;
  LoadedKernel kernel = load_kernel(session, "scale.kd");
  hsa_queue_t* queue = session.queue();
  int* in = static_cast<int*>(session.allocate(session.device, 4096));
  int* out = static_cast<int*>(session.allocate(session.device, 4096));
  ScaleArguments* arguments = static_cast<ScaleArguments*>(session.allocate(session.kernarg, 4096));
  hsa_signal_t done = make_signal(1);

  Scaling() {
    for (int i = 0; i < 1024; ++i) in[i] = i;
    *arguments = {out, in, 3};
  }
  void run(uint32_t grid, uint16_t workgroup) {
    const auto packet = dispatch_packet(kernel, grid, workgroup, arguments, done);
    enqueue(queue, &packet);
    wait_until_zero(done);
  }
};
