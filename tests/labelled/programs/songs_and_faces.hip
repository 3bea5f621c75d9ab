#include "data.h"

// a: which of three songs is the most like what 155648 people hummed: 16 notes of theirs are laid
// along 24 of the song, with some held longer, and differences are added up.
constexpr int kPeople = 304 * 512, kHummed = 16, kNotes = 24, kSongs = 3, kFar = 1 << 20;

// Rows that take turns.
__device__ int two_rows(const unsigned char* __restrict__ hummed, const int* __restrict__ song) {
  int one[kNotes + 1], two[kNotes + 1], *before = one, *now = two;
#pragma unroll
  for (int k = 0; k <= kNotes; ++k) one[k] = kFar;
  one[0] = 0;
  for (int i = 0; i < kHummed; ++i) {
    const int note = hummed[i * kPeople];
    now[0] = kFar;
#pragma unroll
    for (int k = 0; k < kNotes; ++k)
      now[k + 1] = abs(note - song[k]) + min(now[k], min(before[k], before[k + 1]));
    int* const written = now;
    now = before;
    before = written;
  }
  return before[kNotes];
}

// A row that is written over.
__device__ int one_row(const unsigned char* __restrict__ hummed, const int* __restrict__ song) {
  int row[kNotes + 1];
#pragma unroll
  for (int k = 0; k <= kNotes; ++k) row[k] = kFar;
  row[0] = 0;
  for (int i = 0; i < kHummed; ++i) {
    const int note = hummed[i * kPeople];
    int before = row[0];
    row[0] = kFar;
#pragma unroll
    for (int k = 0; k < kNotes; ++k) {
      const int least = min(row[k], min(before, row[k + 1]));
      before = row[k + 1];
      row[k + 1] = abs(note - song[k]) + least;
    }
  }
  return row[kNotes];
}

template <int kVariant>
__global__ __launch_bounds__(256) void recall(const unsigned char* __restrict__ hummed,
                                              const int* __restrict__ songs,
                                              int* __restrict__ out) {
  const unsigned char* own = hummed + work_item();
  int best = kFar;
#pragma unroll 1
  for (int song = 0; song < kSongs; ++song) {
    const int* notes = songs + song * kNotes;
    best = min(best, (kVariant ? one_row(own, notes) : two_rows(own, notes)) * kSongs + song);
  }
  out[work_item()] = best;
}

double a(int variant) {
  auto* hummed = mixed<unsigned char>(kHummed * kPeople, 40);
  int *songs = mixed<int>(256, 40), *out = filled<int>(kPeople, 0);
  VARIANT(variant, recall, <<<kPeople / 256, 256>>>(hummed, songs, out));
  return total(out, kPeople);
}

// b: when 1216 meetings of 40 people may be: 2048 quarters of an hour, each of them a byte in the
// calendars of 256 people, with a bit for each place that they could come to.
constexpr int kMeetings = 1216, kInvited = 40, kCalendars = 256, kQuarters = 2048;

template <int kWide>
__global__ __launch_bounds__(128) void meet(const unsigned char* __restrict__ calendars,
                                            const int* __restrict__ invited,
                                            unsigned char* __restrict__ out) {
  typedef unsigned char Some __attribute__((ext_vector_type(kWide)));
  const int at = (blockIdx.x * 128 + threadIdx.x) * kWide, meeting = blockIdx.y;
  Some free = 255;
#pragma unroll 8
  for (int k = 0; k < kInvited; ++k) {
    const int person = invited[meeting * kInvited + k];
    free &= *reinterpret_cast<const Some*>(calendars + person * kQuarters + at);
  }
  *reinterpret_cast<Some*>(out + meeting * kQuarters + at) = free;
}

__global__ void prepare_calendars(unsigned char* calendars) {
  const unsigned chance = hashed(work_item());
  calendars[work_item()] = chance % 16 ? 255 - (1 << chance / 16 % 16) : 15;
}

double b(int variant) {
  auto* calendars = filled<unsigned char>(kCalendars * kQuarters, 0);
  prepare_calendars<<<kCalendars * kQuarters / 256, 256>>>(calendars);
  int* invited = mixed<int>(kMeetings * kInvited, kCalendars);
  auto* out = filled<unsigned char>(kMeetings * kQuarters, 0);
  if (variant) meet<16><<<dim3(1, kMeetings), 128>>>(calendars, invited, out);
  else meet<1><<<dim3(kQuarters / 128, kMeetings), 128>>>(calendars, invited, out);
  return total(out, kMeetings * kQuarters);
}

// c: how alike each of 77824 faces is to the one of 64 known faces that is the most like it; a face
// is 128 numbers in FP16.
constexpr int kFaces = 304 * 256, kKnown = 64, kNumbers = 128;

typedef _Float16 Half2 __attribute__((ext_vector_type(2)));
typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef _Float16 Half8 __attribute__((ext_vector_type(8)));
typedef float Float4 __attribute__((ext_vector_type(4)));

__global__ void prepare_numbers(_Float16* data) {
  data[work_item()] = static_cast<_Float16>(static_cast<float>(hashed(work_item()) % 15) - 7);
}

__global__ __launch_bounds__(256) void recognize(const Half8* __restrict__ faces,
                                                 const Half8* __restrict__ known,
                                                 float* __restrict__ out) {
  Half8 own[kNumbers / 8];
  float best = 0;
#pragma unroll
  for (int k = 0; k < kNumbers / 8; ++k) own[k] = faces[k * kFaces + work_item()];
#pragma unroll 2
  for (int face = 0; face < kKnown; ++face) {
    float sum = 0, more = 0;
#pragma unroll
    for (int k = 0; k < kNumbers / 8; ++k) {
      const Half8 other = known[face * (kNumbers / 8) + k];
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        sum += static_cast<float>(own[k][i]) * static_cast<float>(other[i]);
        more += static_cast<float>(own[k][i + 1]) * static_cast<float>(other[i + 1]);
      }
    }
    best = fmaxf(best, sum + more);
  }
  out[work_item()] = best;
}

// A wave has 64 faces, in tiles of 16 of them and 16 known ones.
__global__ __launch_bounds__(256) void recognize_tiles(const Half8* __restrict__ faces,
                                                       const Half8* __restrict__ known,
                                                       float* __restrict__ out) {
  const int column = threadIdx.x % 16, part = threadIdx.x % 64 / 16;
  const int first = work_item() / 64 * 64 + column;
  Half8 own[4][kNumbers / 32];
  float best[4] = {};
#pragma unroll
  for (int k = 0; k < kNumbers / 32; ++k)
#pragma unroll
    for (int tile = 0; tile < 4; ++tile)
      own[tile][k] = faces[(k * 4 + part) * kFaces + first + tile * 16];
#pragma unroll 1
  for (int face = 0; face < kKnown; face += 16) {
    Float4 sums[4] = {};
#pragma unroll
    for (int k = 0; k < kNumbers / 32; ++k) {
      const Half8 other = known[(face + column) * (kNumbers / 8) + k * 4 + part];
#pragma unroll
      for (int tile = 0; tile < 4; ++tile) {
        sums[tile] =
            __builtin_amdgcn_mfma_f32_16x16x16f16(other.lo, own[tile][k].lo, sums[tile], 0, 0, 0);
        sums[tile] =
            __builtin_amdgcn_mfma_f32_16x16x16f16(other.hi, own[tile][k].hi, sums[tile], 0, 0, 0);
      }
    }
#pragma unroll
    for (int tile = 0; tile < 4; ++tile)
#pragma unroll
      for (int i = 0; i < 4; ++i) best[tile] = fmaxf(best[tile], sums[tile][i]);
  }
#pragma unroll
  for (int tile = 0; tile < 4; ++tile) {
    best[tile] = fmaxf(best[tile], __shfl_xor(best[tile], 16));
    best[tile] = fmaxf(best[tile], __shfl_xor(best[tile], 32));
    if (part == tile) out[first + tile * 16] = best[tile];
  }
}

double c(int variant) {
  auto *faces = filled<_Float16>(kFaces * kNumbers, 0),
       *known = filled<_Float16>(kKnown * kNumbers, 0);
  prepare_numbers<<<kFaces * kNumbers / 256, 256>>>(faces);
  prepare_numbers<<<kKnown * kNumbers / 256, 256>>>(known);
  float* out = filled<float>(kFaces, 0);
  const auto *all = reinterpret_cast<const Half8*>(faces),
             *some = reinterpret_cast<const Half8*>(known);
  if (variant) recognize_tiles<<<kFaces / 256, 256>>>(all, some, out);
  else recognize<<<kFaces / 256, 256>>>(all, some, out);
  return total(out, kFaces);
}

// d: in how many steps people get out of a house of 2048 x 1216 places with walls in it; four places
// in a row to a work-item, and six rounds in which each place asks those around it.
constexpr int kHouseX = 2048, kHouseY = 1216, kHouse = kHouseX * kHouseY, kRounds = 6;

template <typename Number>
__global__ void prepare_house(Number* steps, Number* walls) {
  const unsigned chance = hashed(work_item());
  steps[work_item()] = chance % 61 ? 200 : 0;
  walls[work_item()] = chance / 64 % 5 == 0;
}

template <typename Number>
__global__ __launch_bounds__(256) void ask_around(const Number* __restrict__ steps,
                                                  const Number* __restrict__ walls,
                                                  Number* __restrict__ out) {
  typedef Number Four __attribute__((ext_vector_type(4)));
  const int x = (blockIdx.x * 256 + threadIdx.x) * 4, y = blockIdx.y, i = y * kHouseX + x;
  const auto four_at = [](const Number* from) { return *reinterpret_cast<const Four*>(from); };
  const Four own = four_at(steps + i), wall = four_at(walls + i);
  const Four above = four_at(steps + (y ? i - kHouseX : i));
  const Four below = four_at(steps + (y < kHouseY - 1 ? i + kHouseX : i));
  const int row[6] = {
      steps[x ? i - 1 : i], own[0], own[1], own[2], own[3], steps[x < kHouseX - 4 ? i + 4 : i + 3]};
  Four now;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int across = min(row[k], row[k + 2]), down = min<int>(above[k], below[k]);
    now[k] = wall[k] ? 200 : min(row[k + 1], min(across, down) + 1);
  }
  *reinterpret_cast<Four*>(out + i) = now;
}

template <typename Number>
double get_out() {
  Number *steps = filled<Number>(kHouse, 0), *walls = filled<Number>(kHouse, 0);
  Number* next = filled<Number>(kHouse, 0);
  prepare_house<<<kHouse / 256, 256>>>(steps, walls);
  for (int round = 0; round < kRounds; ++round) {
    ask_around<<<dim3(kHouseX / 1024, kHouseY), 256>>>(steps, walls, next);
    std::swap(steps, next);
  }
  return total(steps, kHouse);
}

double d(int variant) { return variant ? get_out<unsigned char>() : get_out<int>(); }

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
