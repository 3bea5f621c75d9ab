#include "data.h"

// a: how 64 letters of a read become 128 of a gene in the fewest changes; a wave fills the table
// along its diagonals, then goes back the way that was the best.
constexpr int kReads = 304 * 12, kRead = 64, kGene = 128, kDiagonals = kRead + kGene - 1;
constexpr int kInWord = 16, kWords = (kDiagonals + kInWord - 1) / kInWord;
enum Move { kBoth, kUp, kLeft };

struct Wide {
  int moves[kDiagonals][kRead];

  __device__ void note(int diagonal, int row, int move, unsigned&) { moves[diagonal][row] = move; }
  __device__ int at(int diagonal, int row) const { return moves[diagonal][row]; }
};

struct Packed {
  unsigned words[kWords][kRead];

  __device__ void note(int diagonal, int row, int move, unsigned& noted) {
    noted |= move << diagonal % kInWord * 2;
    if (diagonal % kInWord != kInWord - 1 && diagonal != kDiagonals - 1) return;
    words[diagonal / kInWord][row] = noted;
    noted = 0;
  }
  __device__ int at(int diagonal, int row) const {
    return words[diagonal / kInWord][row] >> diagonal % kInWord * 2 & 3;
  }
};

__device__ int better(int corner, int above, int left, int& move) {
  const int nearer = min(above, left) + 1;
  move = corner <= nearer ? kBoth : above <= left ? kUp : kLeft;
  return min(corner, nearer);
}

template <typename Table>
__device__ int way_back(const Table& table) {
  int row = kRead - 1, column = kGene - 1, sum = 0;
  while (row >= 0 && column >= 0) {
    const int move = table.at(row + column, row);
    sum = (sum * 5 + move + 1) & 0xffff;
    row -= move != kLeft;
    column -= move != kUp;
  }
  return sum;
}

template <typename Table>
__global__ __launch_bounds__(kRead) void align(const int* reads, const int* genes, int* out) {
  __shared__ Table table;
  __shared__ int gene[kGene];
  const int lane = threadIdx.x, letter = reads[blockIdx.x * kRead + lane];
  for (int k = lane; k < kGene; k += kRead) gene[k] = genes[blockIdx.x * kGene + k];
  __syncthreads();
  int own = lane + 1, corner = lane;
  unsigned noted = 0;
#pragma unroll 1
  for (int diagonal = 0; diagonal < kDiagonals; ++diagonal) {
    const int before = __shfl_up(own, 1), column = diagonal - lane;
    const int above = lane ? before : column + 1;
    int move = kBoth;
    if (column >= 0 && column < kGene) {
      own = better(corner + (letter != gene[column]), above, own, move);
      corner = above;
    }
    table.note(diagonal, lane, move, noted);
  }
  __syncthreads();
  const int way = way_back(table);
  if (lane == kRead - 1) out[blockIdx.x] = own + way;
}

double a(int variant) {
  int* reads = mixed<int>(kReads * kRead, 4);
  int* genes = mixed<int>(kReads * kGene, 4);
  int* out = filled<int>(kReads, 0);
  if (variant) align<Packed><<<kReads, kRead>>>(reads, genes, out);
  else align<Wide><<<kReads, kRead>>>(reads, genes, out);
  return total(out, kReads);
}

// b: heat in a plate until a watched place does not change any more, or 24 times; the GPU writes
// each change to memory of the host.
constexpr int kEdge = 1024, kPlate = kEdge * kEdge, kTimes = 24, kBehind = 4, kWatched = 77777;

__global__ void relax(const int* now, int* next, int* change) {
  const int i = work_item();
  const int sum = now[(i + 1) % kPlate] + now[(i + kPlate - 1) % kPlate] +
                  now[(i + kEdge) % kPlate] + now[(i + kPlate - kEdge) % kPlate];
  next[i] = sum / 4 + 1;
  if (i == kWatched) *change = next[i] - now[i] + (1 << 20);
}

double b(int variant) {
  int* now = mixed<int>(kPlate, 1 << 20);
  int* next = filled<int>(kPlate, 0);
  int* changes = nullptr;
  HIP_CHECK(hipHostMalloc(&changes, sizeof(int) * kTimes));
  hipEvent_t ended[kTimes];
  for (auto& event : ended) HIP_CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  HIP_CHECK(hipDeviceSynchronize());
  const int behind = variant ? kBehind : 0;
  for (int time = 0; time < kTimes; ++time) {
    relax<<<kPlate / 256, 256>>>(now, next, changes + time);
    HIP_CHECK(hipEventRecord(ended[time]));
    std::swap(now, next);
    if (time < behind) continue;
    HIP_CHECK(hipEventSynchronize(ended[time - behind]));
    if (changes[time - behind] == 0) break;
  }
  return total(now, kPlate);
}

// c: how alike molecules are to four others, by 1024 marks of one bit.
constexpr int kMolecules = 304 * 512, kMarks = 32, kAsked = 4;

template <int kVariant>
__device__ int marks(unsigned word) {
  if (kVariant) return __popc(word);
  int sum = 0;
#pragma unroll
  for (int bit = 0; bit < 32; ++bit) sum += word >> bit & 1;
  return sum;
}

template <int kVariant>
__global__ __launch_bounds__(256) void alike(const unsigned* molecules, const unsigned* asked,
                                             int* out) {
  int shared[kAsked] = {}, all[kAsked] = {};
#pragma unroll 1
  for (int k = 0; k < kMarks; ++k) {
    const unsigned own = molecules[k * kMolecules + work_item()];
#pragma unroll
    for (int j = 0; j < kAsked; ++j) {
      shared[j] += marks<kVariant>(own & asked[k * kAsked + j]);
      all[j] += marks<kVariant>(own | asked[k * kAsked + j]);
    }
  }
  int best = 0;
#pragma unroll
  for (int j = 0; j < kAsked; ++j)
    best = max(best, static_cast<int>(shared[j] * 1024.0f / (all[j] + 1)));
  out[work_item()] = best;
}

double c(int variant) {
  auto* molecules = mixed<unsigned>(kMolecules * kMarks, 4294967291u);
  auto* asked = mixed<unsigned>(256, 4294967291u);
  int* out = filled<int>(kMolecules, 0);
  VARIANT(variant, alike, <<<kMolecules / 256, 256>>>(molecules, asked, out));
  return total(out, kMolecules);
}

// d: energies between the six atoms of a box and those of each of 27 boxes around it, and itself.
constexpr int kAround = 27, kAtoms = 6, kX = 32, kY = 32, kZ = 19, kBoxes = kX * kY * kZ;

__global__ void attract(const float* places, float* out) {
  const int box = blockIdx.x * blockDim.y + threadIdx.y, side = threadIdx.x;
  if (box >= kBoxes) return;
  const int dx = side % 3 - 1, dy = side / 3 % 3 - 1, dz = side / 9 - 1;
  const int x = (box + kX + dx) % kX, y = (box / kX + kY + dy) % kY;
  const int z = (box / (kX * kY) + kZ + dz) % kZ, other = (z * kY + y) * kX + x;
  float own[3][kAtoms], sum = 0;
#pragma unroll
  for (int k = 0; k < 3 * kAtoms; ++k) own[k / kAtoms][k % kAtoms] = places[k * kBoxes + box];
#pragma unroll 1
  for (int j = 0; j < kAtoms; ++j) {
    const float px = places[j * kBoxes + other] + dx * 64;
    const float py = places[(kAtoms + j) * kBoxes + other] + dy * 64;
    const float pz = places[(2 * kAtoms + j) * kBoxes + other] + dz * 64;
#pragma unroll
    for (int i = 0; i < kAtoms; ++i) {
      const float ax = own[0][i] - px, ay = own[1][i] - py, az = own[2][i] - pz;
      const float near = rsqrtf(ax * ax + ay * ay + az * az + 1), two = near * near;
      const float six = two * two * two;
      sum += six * six * 4096 - six * 64 + near * (1 + two * (2 + two * (3 + two)));
    }
  }
  out[box * kAround + side] = sum;
}

double d(int variant) {
  float* places = mixed<float>(kBoxes * 3 * kAtoms, 64);
  float* out = filled<float>(kBoxes * kAround, 0);
  const int packed = variant ? 9 : 1;
  attract<<<(kBoxes + packed - 1) / packed, dim3(kAround, packed)>>>(places, out);
  return total(out, kBoxes * kAround);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
