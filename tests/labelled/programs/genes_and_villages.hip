#include "data.h"

// a: how much each of 2048 genes has to do with an illness that some of 4864 people have; there is
// a row for each of them.
constexpr int kPeople = 4864, kGenes = 2048, kTile = 32, kGroups = 152;

__global__ __launch_bounds__(256) void transpose(const float* __restrict__ in,
                                                 float* __restrict__ out) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, gene = blockIdx.x * kTile, person = blockIdx.y * kTile;
#pragma unroll
  for (int y = threadIdx.y; y < kTile; y += 8) tile[y][x] = in[(person + y) * kGenes + gene + x];
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < kTile; y += 8) out[(gene + y) * kPeople + person + x] = tile[x][y];
}

__global__ __launch_bounds__(64) void sum_rows(const float* __restrict__ genes,
                                               const float* __restrict__ ill,
                                               float* __restrict__ out) {
  const float* own = genes + blockIdx.x * kPeople;
  float sum = 0;
#pragma unroll 19
  for (int k = 0; k < kPeople; k += 64) sum += own[k + threadIdx.x] * ill[k + threadIdx.x];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ __launch_bounds__(256) void sum_columns(const float* __restrict__ people,
                                                   const float* __restrict__ ill,
                                                   float* __restrict__ parts) {
  const int gene = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * (kPeople / kGroups);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPeople / kGroups; ++k)
    sum += people[(first + k) * kGenes + gene] * ill[first + k];
  parts[blockIdx.y * kGenes + gene] = sum;
}

__global__ __launch_bounds__(64) void sum_parts(const float* __restrict__ parts,
                                                float* __restrict__ out) {
  float sum = 0;
#pragma unroll 38
  for (int k = 0; k < kGroups; ++k) sum += parts[k * kGenes + work_item()];
  out[work_item()] = sum;
}

double a(int variant) {
  float *people = mixed<float>(kPeople * kGenes, 8), *ill = mixed<float>(kPeople, 2);
  float *genes = filled<float>(kPeople * kGenes, 0), *out = filled<float>(kGenes, 0);
  if (variant) {
    sum_columns<<<dim3(kGenes / 256, kGroups), 256>>>(people, ill, genes);
    sum_parts<<<kGenes / 64, 64>>>(genes, out);
  } else {
    transpose<<<dim3(kGenes / kTile, kPeople / kTile), dim3(kTile, 8)>>>(people, genes);
    sum_rows<<<kGenes, 64>>>(genes, ill, out);
  }
  return total(out, kGenes);
}

// b: how far 155648 travellers are from the nearest of ten airports, on the globe.
constexpr int kTravellers = 304 * 512, kAirports = 10;

template <typename Real>
__device__ Real part_of_globe(Real north, Real east, Real to_north, Real to_east) {
  const Real half = sin((to_north - north) / 2), side = sin((to_east - east) / 2);
  return half * half + cos(north) * cos(to_north) * side * side;
}

template <typename Real>
__global__ __launch_bounds__(256) void nearest(const short2* __restrict__ travellers,
                                               const short2* __restrict__ airports,
                                               int* __restrict__ out) {
  const Real unit = Real(3.14159265358979324 / 18000);
  const short2 own = travellers[work_item()];
  const Real north = (own.x - 6000) * unit, east = own.y * unit;
  Real best = 1;
#pragma unroll 1
  for (int k = 0; k < kAirports; ++k) {
    const short2 airport = airports[k];
    const Real part = part_of_globe(north, east, (airport.x - 6000) * unit, airport.y * unit);
    best = part < best ? part : best;
  }
  out[work_item()] = static_cast<int>(16 * Real(6371) * asin(sqrt(best)));
}

double b(int variant) {
  auto* places = reinterpret_cast<short2*>(mixed<short>(2 * kTravellers, 12000));
  auto* airports = reinterpret_cast<short2*>(mixed<short>(256, 11903));
  int* out = filled<int>(kTravellers, 0);
  if (variant) nearest<float><<<kTravellers / 256, 256>>>(places, airports, out);
  else nearest<double><<<kTravellers / 256, 256>>>(places, airports, out);
  return total(out, kTravellers);
}

// c: what is thought in 2432 villages of 64 people: about each of eight things everybody listens to
// somebody, who listens to somebody else; what comes from eight away makes an opinion, 16 times.
constexpr int kVillages = 2432, kThings = 8, kTimes = 16;

template <int kAtOnce>
__global__ __launch_bounds__(128) void listen(const int* __restrict__ opinions,
                                              int* __restrict__ out) {
  int own = opinions[work_item()];
#pragma unroll 1
  for (int time = 0; time < kTimes; ++time) {
    int heard = 0;
#pragma unroll 1
    for (int thing = 0; thing < kThings; thing += kAtOnce) {
      int from[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) from[k] = own * (2 * (thing + k) + 3) >> 3 & 63;
#pragma unroll
      for (int away = 1; away < 8; away *= 2)
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) from[k] = __shfl(from[k], from[k]);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) heard = heard * 5 + from[k];
    }
    own = (own + heard) & 0xffff;
  }
  out[work_item()] = own;
}

double c(int variant) {
  int *opinions = mixed<int>(kVillages * 64, 65521), *out = filled<int>(kVillages * 64, 0);
  if (variant) listen<8><<<kVillages / 2, 128>>>(opinions, out);
  else listen<1><<<kVillages / 2, 128>>>(opinions, out);
  return total(out, kVillages * 64);
}

// d: how often proteins may begin in each of 19 chromosomes: places of three given bases; a word of
// memory holds 16.
constexpr int kChromosomes = 19, kRow = 4096, kWords = 4;

template <int kVariant>
__global__ __launch_bounds__(256) void begins(const unsigned* __restrict__ bases,
                                              int* __restrict__ out) {
  const int chromosome = blockIdx.y, first = chromosome * kRow * kWords;
  const int at = first + blockIdx.x * 256 * kWords + threadIdx.x;
  int found = 0;
#pragma unroll 1
  for (int k = 0; k < kWords; ++k) {
    const unsigned word = bases[at + k * 256], next = bases[at + k * 256 + 1];
    const unsigned long long both = static_cast<unsigned long long>(next) << 32 | word;
#pragma unroll
    for (int base = 0; base < 16; ++base) {
      const bool fits = (both >> 2 * base & 63) == 14;
      if (kVariant) found += fits;
      else if (fits) atomicAdd(out + chromosome, 1);
    }
  }
  if (kVariant) atomicAdd(out + chromosome, found);
}

double d(int variant) {
  constexpr int kAll = kChromosomes * kRow * kWords;
  auto* bases = mixed<unsigned>(kAll + 256, 4294967291u);
  int* out = filled<int>(kChromosomes, 0);
  VARIANT(variant, begins, <<<dim3(kRow / 256, kChromosomes), 256>>>(bases, out));
  return total(out, kChromosomes);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
