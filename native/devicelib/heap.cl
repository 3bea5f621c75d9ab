// malloc and free inside kernels. The runtime provides the heap, 128 KiB behind what the hidden
// argument heap_v1 points to; there is the heap of the stock device library, whose layout is its own:
//   u64 bytes     of the whole heap, this header included
//   u64 next      0 at start: the offset of the first byte never handed out
//   u64 free[64]  0 at start: per size class, the offset of the first free block and a turn counter
// A block is a power of two of at least 32 bytes. Its first 16 bytes hold the size class and, while
// it is free, the offset of the next free block.
#include "implicit_arguments.h"

typedef __global atomic_ulong word;

#define SMALLEST_CLASS 5
#define HEADER_BYTES 16
#define HEAP_HEADER_BYTES 528
#define STOCK_HEAP_BYTES 131072
// The low 40 bits of a free list are an offset; the rest counts changes, so that a block that came
// back in the meantime is noticed.
#define OFFSET_MASK 0xffffffffffUL
#define ONE_TURN 0x10000000000UL

static ulong load(word* p) {
  return __opencl_atomic_load(p, memory_order_acquire, memory_scope_device);
}
static bool replace(word* p, ulong* expected, ulong value) {
  return __opencl_atomic_compare_exchange_strong(p, expected, value, memory_order_acq_rel,
                                                 memory_order_acquire, memory_scope_device);
}
static __global char* heap(void) {
  __global char* stock = HIDDEN_POINTER(char, HIDDEN_HEAP_V1);
  return stock ? stock + STOCK_HEAP_BYTES : stock;
}
static word* free_list(__global char* base, uint size_class) {
  return (word*)(base + 16) + size_class;
}

static ulong take_free(__global char* base, uint size_class) {
  word* list = free_list(base, size_class);
  ulong head = load(list);
  while (head & OFFSET_MASK) {
    const ulong next = load((word*)(base + (head & OFFSET_MASK)) + 1);
    if (replace(list, &head, next | ((head & ~OFFSET_MASK) + ONE_TURN))) return head & OFFSET_MASK;
  }
  return 0;
}

static ulong take_new(__global char* base, uint size_class) {
  const ulong limit = *(__global ulong*)base, bytes = 1UL << size_class;
  word* next = (word*)base + 1;
  ulong used = load(next), begin;
  do {
    begin = used ? used : HEAP_HEADER_BYTES;
    if (begin > limit || bytes > limit - begin) return 0;
  } while (!replace(next, &used, begin + bytes));
  return begin;
}

ulong __ockl_dm_alloc(ulong bytes) {
  __global char* base = heap();
  if (!base || bytes == 0 || bytes > OFFSET_MASK) return 0;
  const uint needed = 64 - __builtin_clzl(bytes + HEADER_BYTES - 1);
  const uint size_class = needed < SMALLEST_CLASS ? SMALLEST_CLASS : needed;
  ulong block = take_free(base, size_class);
  if (!block) block = take_new(base, size_class);
  if (!block) return 0;
  *(__global ulong*)(base + block) = size_class;
  return (ulong)(base + block + HEADER_BYTES);
}

void __ockl_dm_dealloc(ulong address) {
  if (!address) return;
  __global char* base = heap();
  const ulong block = address - HEADER_BYTES - (ulong)base;
  word* list = free_list(base, (uint)*(__global ulong*)(base + block));
  ulong head = load(list);
  do {
    __opencl_atomic_store((word*)(base + block) + 1, head & OFFSET_MASK, memory_order_release,
                          memory_scope_device);
  } while (!replace(list, &head, block | ((head & ~OFFSET_MASK) + ONE_TURN)));
}
