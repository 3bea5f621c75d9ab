"""Names that a kernel does not need to become faster, and how results could be made cheaper.

A name that the original body uses already stays allowed.
"""

from __future__ import annotations

import re

# Why, in sentences that begin with the name.
NOT_CHECKED = "promises the compiler what nothing checks"
TELLS_LAUNCHES = "tells one launch from another, and nothing that results need"
NOTHING_BUT_SLOW = "it keeps the compiler from optimising and changes no result"

# Words that are refused wherever they stand, also inside of macros that the body uses.
ASSEMBLY = frozenset({"asm", "__asm", "__asm__"})
OUTSIDE_WORLD = frozenset(
    {
        # what differs from build to build or names the place of the build
        "__DATE__", "__TIME__", "__TIMESTAMP__", "__FILE__", "__FILE_NAME__", "__BASE_FILE__",
        "__LINE__", "__COUNTER__", "__INCLUDE_LEVEL__", "__has_include", "__has_include_next",
        "__has_embed", "__builtin_FILE", "__builtin_LINE", "__builtin_FUNCTION",
        "__builtin_COLUMN", "__builtin_source_location", "source_location",
    }
)  # fmt: skip
PRAGMA_OPERATORS = frozenset({"_Pragma", "__pragma"})
ATTRIBUTE_WORDS = frozenset({"__attribute__", "__attribute", "__declspec", "thread_local"})
# HIP's own words, which are macros around attributes.
QUALIFIER_MACROS = frozenset(
    {
        "__shared__", "__device__", "__host__", "__constant__", "__forceinline__", "__noinline__",
        "__inline_hint__", "__restrict__",
    }
)  # fmt: skip
HARMLESS_ATTRIBUTES = frozenset({"likely", "unlikely", "maybe_unused", "fallthrough"})

CLOCKS = frozenset(
    {
        "clock", "clock64", "__clock", "__clock64", "wall_clock64", "__builtin_readcyclecounter",
        "__builtin_readsteadycounter", "__smid", "__nanosleep",
    }
)  # fmt: skip
SIDE_EFFECTS = frozenset(
    {
        "printf", "puts", "putchar", "fprintf", "vprintf", "malloc", "calloc", "realloc", "free",
        "operator new", "operator new[]", "operator delete", "operator delete[]",
        "__builtin_trap", "__builtin_debugtrap", "__builtin_verbose_trap", "__builtin_printf",
        "__trap", "abort", "exit", "_Exit", "assert", "__assert_fail", "__assertfail",
        "__ockl_printf_begin", "__ockl_hostcall_internal", "hostcall",
    }
)  # fmt: skip
HOST_APIS = re.compile(r"(?:hip[A-Z]\w*|hsa_\w+|rocm_\w+|roctx\w*|amd_comgr\w*|hiprtc\w*)$")
# Types and constants of HIP that are no calls.
NOT_HOST_APIS = re.compile(
    r"hip(?:_bfloat16|Float\w*|Double\w*|Complex\w*|C\w*f|CreateChannel\w*)$"
)

# Promises to the compiler that nothing checks: where they do not hold, any result may come out. And
# questions about what the compiler knows, which two builds of the same source answer differently.
ASSUMPTIONS = frozenset(
    {
        "__builtin_assume", "__builtin_assume_aligned", "__builtin_assume_separate_storage",
        "__builtin_assume_dereferenceable", "__builtin_unreachable", "__assume", "unreachable",
        "assume_aligned", "__builtin_constant_p", "__builtin_is_constant_evaluated",
        "is_constant_evaluated",
    }
)  # fmt: skip
# How, where and by whom a launch was made. An application and a replay differ there and there only.
DISPATCH = re.compile(
    r"(?:__builtin_amdgcn_(?:dispatch_ptr|dispatch_id|queue_ptr|implicitarg_ptr|"
    r"kernarg_segment_ptr|implicit_buffer_ptr|s_getreg|s_get_waveid_in_workgroup|s_getpc)|"
    r"__builtin_(?:return_address|frame_address|stack_address|nondeterministic_value))$"
)
# Functions of the device library that a kernel may name: places of its threads, and arithmetic.
DEVICE_LIBRARY = re.compile(r"__ockl_\w+$")
HARMLESS_DEVICE_LIBRARY = re.compile(
    r"__ockl_(?:get_(?:global|local|group)_(?:id|size)|get_num_groups|get_work_dim|lane_u32|"
    r"activelane_u32|wf(?:red|scan|all|any|same)\w*|activelane\w*|sdot\w+|udot\w+|fdot\w+|"
    r"clz_\w+|ctz_\w+|popcount_\w+|add_sat_\w+|sub_sat_\w+|mul24_\w+|mul_hi_\w+|sadd\w*)$"
)

# Hardware builtins that move or compute data of the wave; all other builtins are refused.
WAVE_BUILTIN = re.compile(r"__builtin_amdgcn_\w+$")
HARMLESS_BUILTINS = re.compile(
    r"__builtin_amdgcn_(?:"
    r"work(?:group|item)_\w+|grid_size_\w+|mbcnt_\w+|readfirstlane|readlane|writelane|ballot\w*|"
    r"[us]?icmp\w*|fcmp\w*|mov_dpp\w*|update_dpp|permlane\w*|perm|alignb\w*|[us]bfe|lerp|"
    r"ds_(?:bpermute|permute|swizzle|atomic_\w+|fadd\w*|fmin\w*|fmax\w*|read_tr\w*)|"
    r"s_barrier|wave_barrier|fence|sched_barrier|sched_group_barrier|iglp_opt|"
    r"raw_(?:ptr_)?buffer_\w+|global_load_lds|global_atomic_\w+|flat_atomic_\w+|make_buffer_rsrc|"
    r"fmed3\w?|fract\w?|ldexp\w?|frexp_\w+|cubeid|class\w?|div_(?:scale|fmas|fixup)\w?|"
    r"sad_\w+|msad_\w+|[us]dot\w+|mfma_f32_\w+x\w+x\w+f32|mfma_f64_\w+|mfma_i32_\w+i8|"
    r"wavefrontsize|is_shared|is_private"
    r")$"
)

# Less accurate than what they stand in for.
FAST_FUNCTIONS = frozenset(
    {
        "__expf", "__exp10f", "__logf", "__log2f", "__log10f", "__powf", "__sinf", "__cosf",
        "__sincosf", "__tanf", "__fdividef", "__frsqrt_rn", "__frcp_rn_approx", "__saturatef",
    }
)  # fmt: skip
FAST_BUILTINS = re.compile(
    r"(?:__builtin_amdgcn_(?:rcp|rsq|sqrt|exp2?|log2?|sin|cos|rsq_clamp|fdot\w+|cvt_\w+|"
    r"mfma_\w*(?:f16|bf16|bf16_1k|xf32|fp8\w*|bf8\w*)|smfmac_\w+)[fhl]?|"
    r"__ocml_native_\w+|__builtin_nontemporal_fast\w*)$"
)
LOW_PRECISION_TYPE = re.compile(
    r"(?<![A-Za-z0-9_])(?:_Float16|__fp16|__half(?:2)?(?:_raw)?|half2?|__bf16|__hip_bfloat162?|"
    r"hip_bfloat16|__hip_fp8\w*|__hip_fp6\w*|__hip_fp4\w*|rocwmma\w*)(?![A-Za-z0-9_])"
)
FAST_MATH_PRAGMA = re.compile(r"#pragma (?:clang fp|STDC|float_control|fp_contract)\b")
UNROLL_PRAGMA = re.compile(
    r"#pragma (?:unroll(?: ?\(?\w+\)?)?|nounroll|clang loop (?:unroll|unroll_count|vectorize|"
    r"interleave|vectorize_width|interleave_count) ?\( ?\w+ ?\))$"
)
