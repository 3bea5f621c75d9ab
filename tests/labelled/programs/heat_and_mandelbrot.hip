#include "data.h"

// a: heat in a plate, three steps. Mended: neighbouring work-items own neighbouring columns.
constexpr int kSide = 1024;

template <int kVariant>
__global__ void diffuse(const float* now, float* next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = kVariant ? j : i, column = kVariant ? i : j;
  const int here = row * kSide + column;
  if (row == 0 || column == 0 || row == kSide - 1 || column == kSide - 1) {
    next[here] = now[here];
    return;
  }
  const float around = now[here - 1] + now[here + 1] + now[here - kSide] + now[here + kSide];
  next[here] = now[here] + 0.125f * (around - 4 * now[here]);
}

double a(int variant) {
  float* now = mixed<float>(kSide * kSide, 64);
  float* next = filled<float>(kSide * kSide, 0);
  const dim3 group(64, 4), grid(kSide / 64, kSide / 4);
  for (int step = 0; step < 3; ++step) {
    VARIANT(variant, diffuse, <<<grid, group>>>(now, next));
    std::swap(now, next);
  }
  return total(now, kSide * kSide);
}

// b: the set of Mandelbrot, rows given to workgroups that stay. Mended: rows dealt in turn instead
// of bands of eight.
constexpr int kWidth = 1024, kGroups = 304, kBand = 8;

template <int kVariant>
__global__ __launch_bounds__(kWidth) void escape(int* counts) {
  for (int k = 0; k < kBand; ++k) {
    const int row = kVariant ? k * kGroups + blockIdx.x : blockIdx.x * kBand + k;
    const float x = -2.0f + 2.5f * threadIdx.x / kWidth;
    const float y = -1.25f + 2.5f * row / (kGroups * kBand);
    float re = 0, im = 0;
    int count = 0;
    while (count < 200 && fmaf(re, re, im * im) < 4) {
      const float next = fmaf(re, re, fmaf(-im, im, x));
      im = fmaf(2 * re, im, y);
      re = next;
      ++count;
    }
    counts[row * kWidth + threadIdx.x] = count;
  }
}

double b(int variant) {
  int* counts = filled<int>(kGroups * kBand * kWidth, 0);
  VARIANT(variant, escape, <<<kGroups, kWidth>>>(counts));
  return total(counts, kGroups * kBand * kWidth);
}

// c: Walsh-Hadamard transforms of 2048 values. Mended: all steps in one launch, in LDS.
constexpr int kPoints = 2048, kBatch = 16;

__global__ void butterfly(int* data, int stride) {
  const int pair = work_item();
  const int low = 2 * (pair - (pair & (stride - 1))) + (pair & (stride - 1));
  const int first = data[low], second = data[low + stride];
  data[low] = first + second;
  data[low + stride] = first - second;
}

__global__ __launch_bounds__(kPoints / 2) void transform(int* data) {
  __shared__ int values[kPoints];
  const int t = threadIdx.x, from = blockIdx.x * kPoints;
  values[t] = data[from + t];
  values[t + kPoints / 2] = data[from + t + kPoints / 2];
  for (int stride = 1; stride < kPoints; stride *= 2) {
    __syncthreads();
    const int low = 2 * (t - (t & (stride - 1))) + (t & (stride - 1));
    const int first = values[low], second = values[low + stride];
    values[low] = first + second;
    values[low + stride] = first - second;
  }
  __syncthreads();
  data[from + t] = values[t];
  data[from + t + kPoints / 2] = values[t + kPoints / 2];
}

double c(int variant) {
  int* data = mixed<int>(kPoints * kBatch, 16);
  if (variant) {
    transform<<<kBatch, kPoints / 2>>>(data);
  } else {
    for (int stride = 1; stride < kPoints; stride *= 2)
      butterfly<<<kPoints * kBatch / 512, 256>>>(data, stride);
  }
  return total(data, kPoints * kBatch);
}

// d: median of 5 x 5 pixels. Mended: exchanges at places known to the compiler instead of an
// insertion that looks for its place.
constexpr int kWindow = 25, kImage = 512;

template <int kVariant>
__global__ void median(const float* in, float* out) {
  const int x = work_item() % kImage, y = work_item() / kImage;
  float sorted[kWindow];
  if constexpr (kVariant == 0) {
    for (int k = 0; k < kWindow; ++k) {
      const float value = in[((y + k / 5) % kImage) * kImage + (x + k % 5) % kImage];
      int place = k;
      while (place > 0 && sorted[place - 1] > value) {
        sorted[place] = sorted[place - 1];
        --place;
      }
      sorted[place] = value;
    }
  } else {
#pragma unroll
    for (int k = 0; k < kWindow; ++k)
      sorted[k] = in[((y + k / 5) % kImage) * kImage + (x + k % 5) % kImage];
#pragma unroll
    for (int done = 0; done <= kWindow / 2; ++done) {
#pragma unroll
      for (int k = kWindow - 1; k > done; --k) {
        const float low = fminf(sorted[k - 1], sorted[k]), high = fmaxf(sorted[k - 1], sorted[k]);
        sorted[k - 1] = low;
        sorted[k] = high;
      }
    }
  }
  out[work_item()] = sorted[kWindow / 2];
}

double d(int variant) {
  float* in = mixed<float>(kImage * kImage, 256);
  float* out = filled<float>(kImage * kImage, 0);
  VARIANT(variant, median, <<<kImage * kImage / 256, 256>>>(in, out));
  return total(out, kImage * kImage);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
