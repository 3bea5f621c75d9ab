#include "exec/lanes/lane_access.h"

#include "exec/lanes/whole_words.h"
#include "exec/wave/asked_checks.h"
#include "exec/wave/handlers.h"
#include "exec/wave/services.h"
#include "memory/touched_pages.h"

namespace vgpu {
namespace {

// Calls `move(host address, bytes)` for the pieces of private memory that hold the data: it is
// interleaved by dword over the lanes.
template <class Move>
void for_private_pieces(Wave& w, const Inst& i, int lane, uint64_t address, size_t bytes,
                        Move move) {
  uint64_t offset = address & kApertureLimit;
  if (offset + bytes > w.scratch_bytes) raise_fault(w, i, Fault::MemoryAccess, lane, address);
  while (bytes) {
    size_t piece = 4 - offset % 4;
    if (piece > bytes) piece = bytes;
    move(w.scratch + offset / 4 * 256 + uint64_t(lane) * 4 + offset % 4, piece);
    offset += piece;
    bytes -= piece;
  }
}

// Null outside of the allocation, where reads give 0 and writes are dropped. Through a flat address
// that is an aperture violation, which stops the process.
uint8_t* lds_pointer(Wave& w, const Inst& i, int lane, uint64_t address, size_t bytes) {
  uint64_t offset = address & kApertureLimit;
  if (offset + bytes <= w.lds_bytes) return w.lds + offset;
  if (i.format == Format::FLAT) raise_fault(w, i, Fault::LdsOverflow, lane, offset);
  lane_outside_lds(w, i, lane, offset);
  return nullptr;
}

uint8_t* global_pointer(Wave& w, const Inst& i, int lane, uint64_t address, size_t bytes) {
  AccessRange range;
  if (!find_range(address, address + bytes, range))
    raise_fault(w, i, Fault::MemoryAccess, lane, address);
  if (w.touched) TouchedPages::mark(w.touched, address + range.to_physical);
  return reinterpret_cast<uint8_t*>(address);
}

bool is_shared(uint64_t address) { return address >> 32 == kSharedAperture >> 32; }
bool is_private(uint64_t address) { return address >> 32 == kPrivateAperture >> 32; }

}  // namespace

void lane_read(Wave& w, const Inst& i, int lane, uint64_t address, void* to, size_t bytes) {
  uint8_t* out = static_cast<uint8_t*>(to);
  if (is_private(address)) {
    for_private_pieces(w, i, lane, address, bytes, [&](const uint8_t* host, size_t piece) {
      std::memcpy(out, host, piece);
      out += piece;
    });
  } else if (is_shared(address)) {
    const uint8_t* from = lds_pointer(w, i, lane, address, bytes);
    if (from) std::memcpy(out, from, bytes);
    else std::memset(out, 0, bytes);
  } else {
    VGPU_TARGET::move_whole(out, global_pointer(w, i, lane, address, bytes), bytes, address);
  }
}

void lane_write(Wave& w, const Inst& i, int lane, uint64_t address, const void* from,
                size_t bytes) {
  const uint8_t* in = static_cast<const uint8_t*>(from);
  if (is_private(address)) {
    for_private_pieces(w, i, lane, address, bytes, [&](uint8_t* host, size_t piece) {
      std::memcpy(host, in, piece);
      in += piece;
    });
  } else if (is_shared(address)) {
    uint8_t* to = lds_pointer(w, i, lane, address, bytes);
    if (to) std::memcpy(to, in, bytes);
  } else {
    VGPU_TARGET::move_whole(global_pointer(w, i, lane, address, bytes), in, bytes, address);
  }
}

void lane_outside_lds(Wave& w, const Inst& i, int lane, uint64_t offset) {
  if (checks().memory) raise_fault(w, i, Fault::LdsOverflow, lane, offset);
}

void check_lanes(Wave& w, const Inst& i, const uint64_t* addresses, uint64_t exec, uint64_t bytes) {
  AccessRange range;
  for (uint64_t left = exec; left; left &= left - 1) {
    int lane = __builtin_ctzll(left);
    uint64_t low = addresses[lane], high = low + bytes;
    if ((low < range.low || high > range.high) && !find_range(low, high, range))
      raise_fault(w, i, Fault::MemoryAccess, lane, low);
    if (w.touched) TouchedPages::mark(w.touched, low + range.to_physical);
  }
}

}  // namespace vgpu
