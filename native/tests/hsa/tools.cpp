// A small program for the tests with tools: what it does appears in their output.
#include "check.h"

HSA_TEST(one_queue_one_packet_one_allocation) {
  Session session;
  hsa_queue_t* queue = session.queue();
  const hsa_signal_t done = make_signal(1);
  const auto packet = barrier_and({}, done);
  enqueue(queue, &packet);
  wait_until_zero(done);
  session.allocate(session.device, 4096);
  CHECK_OK(hsa_queue_destroy(queue));
}

HSA_TEST(ends_without_shut_down) {
  CHECK_OK(hsa_init());
  make_signal(5);
}
