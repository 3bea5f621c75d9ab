// The parts of the counting model that have no state, for the tests to compare with references.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../vgpu/memory/placement.h"
#include "../vgpu/model/xcd/event_queue.h"
#include "../vgpu/model/requests/lane_loops.h"
#include "../vgpu/model/memory/history_view.h"
#include "../vgpu/model/memory/memory_system.h"
#include "../vgpu/model/requests/requests.h"

extern "C" {

struct ModelRequests {
  uint64_t requests[vgpu::model::kMostRequests];
  uint8_t sectors[vgpu::model::kMostRequests];
  uint32_t count, tag_accesses, lane_requests, translations, conflicts;
};

void model_coalesce(const uint64_t* addresses, uint64_t exec, uint32_t bytes, ModelRequests* out) {
  vgpu::model::Coalesced requests;
  vgpu::model::coalesce(addresses, exec, bytes, 0, requests);
  std::copy(requests.requests, requests.requests + requests.count, out->requests);
  std::copy(requests.sectors, requests.sectors + requests.count, out->sectors);
  out->count = requests.count;
  out->tag_accesses = requests.tag_accesses;
  out->lane_requests = requests.lane_requests;
  out->translations = requests.translations;
  out->conflicts = requests.conflicts;
}

struct ModelLdsCycles {
  uint32_t active, conflicts, same_address, unaligned;
};

void model_lds_cycles(const uint64_t* addresses, uint64_t exec, uint32_t bytes, uint32_t touch,
                      ModelLdsCycles* out) {
  vgpu::LaneAccess access;
  access.shape = {vgpu::Touch(touch), uint8_t(bytes), 0};
  access.exec = exec;
  std::memcpy(access.at, addresses, sizeof access.at);
  access.row = vgpu::model::lane_loops().in_a_row(addresses, exec, bytes);
  vgpu::model::LdsCycles cycles = vgpu::model::lds_cycles(access);
  *out = {cycles.active, cycles.conflicts, cycles.same_address, cycles.unaligned};
}

// The first `begun` waves are due at these times, each other one as long after the event that is
// taken when it comes in; writes the order in which waves are taken.
void model_event_order(const double* times, uint32_t waves, uint32_t begun, uint32_t* order) {
  vgpu::model::EventQueue events;
  for (uint32_t wave = 0; wave < begun; ++wave) events.push({times[wave], wave});
  for (uint32_t next = begun; !events.empty();) {
    const double due = events.next().time;
    *order++ = events.pop().wave;
    if (next < waves) events.push({due + times[next], next});
    next += next < waves;
  }
}

// Cycles that single accesses take of an XCD that does nothing else; `lines` are of the cache's own
// size. 0: vector loads, 1: scalar loads, 2: instruction fetches.
void model_latencies(int cache, const uint64_t* lines, uint32_t count, double* cycles) {
  using namespace vgpu::model;
  constexpr double kApart = 1e5;
  MemoryHistory history;
  bool first = false;
  history.begin({});
  HistoryView view(history, {});
  MemorySystem memory(1, view);
  for (uint32_t n = 0; n < count; ++n) {
    const double at = n * kApart;
    TapeAccess access;
    access.count = access.lanes = 1;
    access.bytes = 4;
    const uint64_t whole = lines[n] << 2 | 1, half = lines[n] / 2 << 2 | (lines[n] % 2 ? 2 : 1);
    cycles[n] = (cache == 0   ? memory.vector(0, access, &whole, at)
                 : cache == 1 ? memory.scalar(0, access, &half, at)
                              : memory.fetch(0, 0, lines[n], at, first)) -
                at;
  }
}

// Dispatches one after the other, each with pages from firsts[n], counts[n] of them, which all XCDs
// touch: the share of their lines that the Infinity Cache has when the dispatch begins.
void model_infinity_cache(const uint32_t* firsts, const uint32_t* counts, uint32_t dispatches,
                          double* kept) {
  using namespace vgpu;
  constexpr uint64_t kLinesPerPage =
      TouchedPages::kPageBytes / model::calibration::kVectorLineBytes;
  model::MemoryHistory history;
  for (uint32_t n = 0; n < dispatches; ++n) {
    TouchedMemory touched;
    touched.bytes = uint64_t(counts[n]) * TouchedPages::kPageBytes;
    for (uint32_t page = firsts[n]; page < firsts[n] + counts[n]; ++page)
      touched.pages.push_back({page, 0xff});
    history.begin(touched);
    model::HistoryView view(history, history.look_from({}, touched, {}));
    uint64_t held = 0;
    for (const TouchedPage& page : touched.pages)
      for (uint64_t line = 0; line < kLinesPerPage; ++line)
        held +=
            view.holds(page.number * kLinesPerPage + line, false) == model::HistoryView::Held::Yes;
    view.add_to_history();
    kept[n] = double(held) / (double(counts[n]) * kLinesPerPage);
    history.end();
  }
}

// Whether the translation cache of a CU has each page when it is asked for.
void model_translations(const uint64_t* pages, uint32_t count, uint8_t* hits) {
  vgpu::model::MemoryHistory history;
  vgpu::model::HistoryView view(history, {});
  for (uint32_t n = 0; n < count; ++n) hits[n] = view.translated(0, pages[n]);
}

// XCDs ask for pages, so many each: whether CU 0 has the translation (first half of the answers), and
// whether anybody has touched the page. `apart`: each XCD has a view that was begun before any other was
// added. `holds`: whether what it was told holds true when those before it have been added.
void model_views(const uint32_t* pages, uint32_t xcds, uint32_t each, bool apart, uint8_t* answers,
                 uint8_t* holds) {
  using namespace vgpu::model;
  constexpr uint64_t kLines = uint64_t(calibration::kPageBytes) / calibration::kVectorLineBytes;
  MemoryHistory history;
  history.begin({});
  std::vector<HistoryView> views;
  for (uint32_t xcd = 0; apart && xcd < xcds; ++xcd) views.emplace_back(history, HistoryOutlook());
  for (uint32_t xcd = 0; xcd < xcds; ++xcd) {
    if (!apart) views.emplace_back(history, HistoryOutlook());
    for (uint32_t n = xcd * each; n < (xcd + 1) * each; ++n) {
      answers[n] = views[xcd].translated(0, pages[n]);
      answers[xcds * each + n] = views[xcd].first_touch(pages[n] * kLines);
    }
    if (!apart) views[xcd].add_to_history();
  }
  for (uint32_t xcd = 0; apart && xcd < xcds; ++xcd) {
    holds[xcd] = views[xcd].holds_true();
    views[xcd].add_to_history();
  }
}

// Who has each page of [0, pages) behind moves of [begin, end) to an agent; false when the parts do
// not lie one behind the other.
bool model_placement(const uint64_t (*moves)[3], uint32_t count, uint64_t pages, uint32_t* owners) {
  vgpu::Placement placement;
  for (uint32_t n = 0; n < count; ++n)
    placement.move(moves[n][0], moves[n][1], uint32_t(moves[n][2]));
  uint64_t at = 0;
  for (const vgpu::Placement::Part& part : placement.parts(0, pages)) {
    if (part.begin != at || part.end <= at) return false;
    for (; at < part.end; ++at) owners[at] = part.owner;
  }
  return at == pages;
}

}  // extern "C"
