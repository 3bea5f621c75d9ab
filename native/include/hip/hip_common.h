// What every HIP header needs first: the platform, symbol visibility, feature tests.
#pragma once

#if defined(__clang__) && defined(__HIP__)
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#define __HIP_CLANG_ONLY__ 1
#else
#define __HIP_CLANG_ONLY__ 0
#endif

#if !defined(__HIP_PLATFORM_AMD__)
#error "These headers serve AMD devices only: define __HIP_PLATFORM_AMD__ or compile with hipcc."
#endif

#if defined(__clang__) && defined(__HIP__) && !defined(__HIPCC__)
#define __HIPCC__ 1
#endif

#define HIP_PUBLIC_API __attribute__((visibility("default")))
#define HIP_INTERNAL_EXPORTED_API __attribute__((visibility("default")))
#define HIP_DEPRECATED(msg) __attribute__((deprecated(msg)))

// 1 while compiling for a device, 0 on the host.
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define __HIP_ON_DEVICE__ 1
#else
#define __HIP_ON_DEVICE__ 0
#endif

#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_DOUBLES__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_WARP_VOTE__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_WARP_BALLOT__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_WARP_SHUFFLE__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_3DGRID__ __HIP_ON_DEVICE__
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__ 0
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__ 0
#define __HIP_ARCH_HAS_SURFACE_FUNCS__ 0
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__ 0
