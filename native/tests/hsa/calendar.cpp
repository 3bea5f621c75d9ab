// Kernels of several streams wait for those submitted before them, and for nobody else.
#include "vrocm/calendar.h"

#include <chrono>
#include <thread>

#include "check.h"
#include "scaling.h"
#include "vrocm/trace.h"

namespace {

constexpr auto kAWhile = std::chrono::milliseconds(200);
constexpr double kMostSeconds = 3;  // the runtime gives up waiting after 5

// Submits `scale` as the kernel of a call and returns without waiting for its end.
void start(Scaling& scaling, uint64_t correlation) {
  vrocm_set_correlation(correlation);
  const auto packet = dispatch_packet(scaling.kernel, 256, 256, scaling.arguments, scaling.done);
  enqueue(scaling.queue, &packet);
}

double seconds_until_done(const Scaling& scaling) {
  const auto begin = std::chrono::steady_clock::now();
  wait_until_zero(scaling.done);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool is_done(const Scaling& scaling) { return hsa_signal_load_scacquire(scaling.done) == 0; }

}  // namespace

HSA_TEST(calendar_waits_for_what_was_submitted_before) {
  Scaling scaling;
  const int earlier = 0, later = 0;
  vrocm_stream_expects(&earlier, 10);
  vrocm_stream_expects(&later, 12);
  start(scaling, 12);
  std::this_thread::sleep_for(kAWhile);
  CHECK(!is_done(scaling));
  vrocm_stream_finished(&earlier, 10);
  CHECK(seconds_until_done(scaling) < kMostSeconds);
}

// A thread got its correlation id first and submits second: its stream may wait for the other.
HSA_TEST(calendar_follows_submission_and_not_correlation) {
  Scaling scaling;
  const int slow_thread = 0, fast_thread = 0;
  vrocm_stream_expects(&fast_thread, 12);
  vrocm_stream_expects(&slow_thread, 10);
  start(scaling, 12);
  CHECK(seconds_until_done(scaling) < kMostSeconds);
}

// The kernels of one call, such as those of a graph, have the place of the call.
HSA_TEST(calendar_gives_a_call_one_place) {
  Scaling scaling;
  const int graph = 0, other = 0, lane = 0;
  vrocm_stream_expects(&graph, 10);
  vrocm_stream_expects(&other, 11);
  vrocm_stream_expects(&lane, 10);
  start(scaling, 10);
  CHECK(seconds_until_done(scaling) < kMostSeconds);
  vrocm_stream_finished(&lane, 10);
  hsa_signal_store_relaxed(scaling.done, 1);
  start(scaling, 11);
  std::this_thread::sleep_for(kAWhile);
  CHECK(!is_done(scaling));
  vrocm_stream_finished(&graph, 10);
  CHECK(seconds_until_done(scaling) < kMostSeconds);
}

HSA_TEST(calendar_waits_for_no_parked_stream_and_for_no_stranger) {
  Scaling scaling;
  const int parked = 0, later = 0;
  vrocm_stream_expects(&parked, 10);
  vrocm_stream_parks(&parked, 1);
  vrocm_stream_expects(&later, 12);
  start(scaling, 12);
  CHECK(seconds_until_done(scaling) < kMostSeconds);
  vrocm_stream_parks(&parked, 0);
  hsa_signal_store_relaxed(scaling.done, 1);
  start(scaling, 77);  // nobody announced it
  CHECK(seconds_until_done(scaling) < kMostSeconds);
}

HSA_TEST(calendar_waits_in_vain_only_once) {
  Scaling scaling;
  const int stuck = 0, later = 0;
  vrocm_stream_expects(&stuck, 10);
  vrocm_stream_expects(&later, 12);
  vrocm_stream_expects(&later, 13);
  vrocm_stream_expects(&later, 14);
  start(scaling, 12);
  CHECK(seconds_until_done(scaling) > kMostSeconds);
  vrocm_stream_finished(&later, 12);
  hsa_signal_store_relaxed(scaling.done, 1);
  start(scaling, 13);
  CHECK(seconds_until_done(scaling) < kMostSeconds);
  vrocm_stream_finished(&later, 13);
  vrocm_stream_expects(&stuck, 15);
  vrocm_stream_finished(&stuck, 15);  // it moves again: it is waited for
  hsa_signal_store_relaxed(scaling.done, 1);
  start(scaling, 14);
  std::this_thread::sleep_for(kAWhile);
  CHECK(!is_done(scaling));
  vrocm_stream_finished(&stuck, 10);
  CHECK(seconds_until_done(scaling) < kMostSeconds);
}
