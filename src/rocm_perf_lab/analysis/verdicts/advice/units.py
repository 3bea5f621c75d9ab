"""Advice for kernels whose units work: what is moved, looked up and computed, and with what."""

from __future__ import annotations

from rocm_perf_lab.analysis.verdicts.advice import (
    bounds,
    causes,
    expected,
    expected_lds,
    expected_traffic,
)
from rocm_perf_lab.analysis.verdicts.advice.row import Row
from rocm_perf_lab.analysis.verdicts.rules import at_least, below

_NOT_SCATTERED = below("lines_per_access", 20.0)
_VECTOR_WORKS = at_least("vector_busy", 0.3)
_MATRIX_WORKS = at_least("matrix_busy", 0.5)
_MOSTLY_PRODUCTS = at_least("product_share", 0.6)
_PRODUCTS_FROM_L1 = (
    "{product_share:.0%} of the vector instructions are products that are added up, L1 answers "
    "{l1_hits:.0%} of their loads, and the matrix units work {matrix_busy:.0%} of the time"
)
_MEMORY_WORKS = at_least("reached_memory", 0.4)
# Sums of products stay in registers: what stores as it goes makes none.
_NO_PRODUCTS_YET = (below("matrix_busy", 0.25), below("stores_per_product", 0.1))
_LESS_LDS_WORK = (
    "Move wider pieces (ds_read_b128), or keep values in registers: a larger tile per work-item, "
    "exchange inside the wave (__shfl, DPP) instead of through LDS."
)
_FEWER_INSTRUCTIONS = (
    "Spend fewer instructions per result: keep what is computed again and again (a table, a "
    "register), constants and indices out of the loop, fast divisions and roots (-ffast-math where "
    "allowed), packed math (float2)."
)
_MATRIX = (
    "Let the matrix units work: products and convolutions through rocBLAS, hipBLASLt, rocWMMA or "
    "MFMA instructions."
)

UNITS = (
    Row(
        "traffic",
        "Move fewer bytes: tiles that serve many operations from LDS or registers, a narrower "
        "type, one kernel instead of two, neighbouring workgroups that share L2.",
        "the memory system is at {reached_memory:.0%} of its roof, and L2 answers {l2_hits:.0%} of "
        "the requests",
        (_MEMORY_WORKS,),
        bounds.less_traffic,
        expected=expected_traffic.half_the_bytes,
    ),
    Row(
        "traffic",
        "Move fewer bytes: a narrower type, or one kernel instead of two, so that results in "
        "between stay in registers.",
        "the memory system is at {reached_memory:.0%} of its roof: only less traffic makes this "
        "faster",
        (_MEMORY_WORKS,),
        bounds.less_traffic,
        expected=expected_traffic.half_the_bytes,
    ),
    # The roof of Infinity Cache is far above what programs reach of it.
    Row(
        "traffic",
        "Move fewer bytes: tiles that serve many operations from LDS or registers, a narrower "
        "type, one kernel instead of two.",
        "bytes beyond L2 come at {of_hbm:.0%} of the roof of HBM, which Infinity Cache helps with: "
        "there is not much more to have",
        (at_least("of_hbm", 1.0),),
        bounds.less_traffic,
        expected=expected_traffic.half_the_bytes,
    ),
    Row(
        "traffic",
        "Move fewer bytes: values in as few as they need, what follows from others computed and "
        "not loaded, one kernel instead of two.",
        "waves stand in line behind other requests to memory {traced_line:.0%} of the time, where "
        "the way there and back would be {traced_way:.0%}",
        (causes.IN_LINE, _NOT_SCATTERED),
        bounds.less_traffic,
        expected=expected_traffic.half_the_line,
    ),
    Row(
        "traffic",
        "Read each operand once: tiles in LDS that a workgroup shares, or several results per "
        "work-item from registers.",
        "L1 answers {l1_hits:.0%} of what {accesses_per_wave:.0f} memory instructions of a wave "
        "look up: the same lines are read again and again, and waves wait {wait_share:.0%} of "
        "their life",
        causes.READ_AGAIN,
        bounds.less_traffic,
        expected=expected_traffic.read_once,
    ),
    Row(
        "traffic",
        "Read each operand once: several results per work-item from registers, tiles in LDS that a "
        "workgroup shares, what is the same for all lanes through scalar loads.",
        "the vector L1 brings values {l1_moves:.0%} of the time, {access_bytes:.0f} bytes for each "
        "lane and memory instruction, and finds {l1_hits:.0%} of them",
        (
            at_least("l1_moves", 0.5),
            causes.FROM_L1,
            _NOT_SCATTERED,
            below("lds_busy", causes.STAGED),
        ),
        bounds.less_traffic,
        expected=expected_traffic.half_the_lookups,
    ),
    Row(
        "lds-traffic",
        "Keep what only the work-item itself stores and loads in registers: an array that is "
        "indexed by constants, in a loop that is unrolled.",
        "{lds_time:.0%} of the time of its traced waves is accesses of the LDS, their addresses, "
        "and waiting for them, without a barrier in workgroups of {workgroup_size:.0f}: no wave "
        "reads what another stored",
        (
            at_least("lds_time", 0.2),
            *causes.PRIVATE_LDS,
            below("shuffle_share", 0.5),
            causes.NO_CONFLICTS,
        ),
        bounds.fewer_lds_accesses_and_waits,
        expected=expected_lds.in_registers,
    ),
    Row(
        "lds-traffic",
        _LESS_LDS_WORK,
        "the LDS works {lds_busy:.0%} of the time, the vector units {vector_busy:.0%}",
        (causes.BUSY_LDS,),
        bounds.fewer_lds_accesses,
        expected=expected_lds.half_the_lds,
    ),
    Row(
        "lds-traffic",
        _LESS_LDS_WORK,
        "each fused product comes with {operands_per_fma:.2f} loads: the LDS works {lds_busy:.0%} "
        "of the time, the vector L1 {l1_moves:.0%}, the vector units {vector_busy:.0%}",
        (
            at_least("operands_per_fma", 0.5),
            at_least("lds_busy", causes.STAGED),
            at_least("lds_over_others", 1.0),
            causes.NO_CONFLICTS,
        ),
        bounds.fewer_lds_accesses_and_waits,
        expected=expected.half_the_operands,
    ),
    Row(
        "lds-traffic",
        _LESS_LDS_WORK,
        "{lds_time:.0%} of the time of its traced waves is accesses of the LDS, their addresses, "
        "and waiting for them",
        (
            at_least("lds_time", 0.3),
            below("shuffle_share", 0.5),
            causes.NO_CONFLICTS,
        ),
        bounds.fewer_lds_accesses_and_waits,
        expected=expected_lds.half_the_lds,
    ),
    Row(
        "matrix",
        _MATRIX,
        "{product_share:.0%} of the vector instructions are products that are added up, "
        "{operands_per_fma:.2f} loads for each, and the matrix units work {matrix_busy:.0%} of the "
        "time",
        (causes.PRODUCTS, causes.OPERANDS, causes.REUSED, *_NO_PRODUCTS_YET),
        bounds.in_matrix_units,
        expected=expected.in_matrix_units,
    ),
    Row(
        "matrix",
        _MATRIX,
        _PRODUCTS_FROM_L1,
        (causes.PRODUCTS, causes.OPERANDS, at_least("l1_hits", 0.75), *_NO_PRODUCTS_YET),
        bounds.in_matrix_units,
        expected=expected.in_matrix_units,
    ),
    Row(
        "matrix",
        _MATRIX,
        _PRODUCTS_FROM_L1,
        (_MOSTLY_PRODUCTS, causes.OPERANDS, causes.FROM_L1, *_NO_PRODUCTS_YET),
        bounds.in_matrix_units,
        expected=expected.in_matrix_units,
    ),
    # Of a polynomial or a place that is multiplied with a step, one factor is no loaded value.
    Row(
        "matrix",
        _MATRIX,
        "{time_narrow_products:.0%} of the time of its traced waves is products of loaded values "
        "of one or two bytes that are added up, and the matrix units work {matrix_busy:.0%} of the "
        "time",
        (causes.NARROW_PRODUCTS, *_NO_PRODUCTS_YET),
        bounds.in_matrix_units,
        expected=expected.in_matrix_units,
    ),
    # Of wide types tiles in LDS or registers do as much, and come first.
    Row(
        "matrix",
        _MATRIX,
        "{products:.0%} of the vector instructions are products that are added up, "
        "{operands_per_product:.1f} loads for each, L1 answers {l1_hits:.0%} of them, and the "
        "matrix units work {matrix_busy:.0%} of the time",
        (
            at_least("products", 0.15),
            at_least("operands_per_product", 1.5),
            at_least("l1_hits", 0.75),
            *_NO_PRODUCTS_YET,
        ),
        bounds.in_matrix_units,
        expected=expected_traffic.read_once,
    ),
    # Behind what leaves the results as they are, if no more is expected.
    Row(
        "narrower",
        "Use a narrower type where the result allows it: float instead of double.",
        "{double_share:.0%} of the vector instructions are double precision, and the vector units "
        "work {vector_busy:.0%} of the time",
        (at_least("double_share", 0.15), at_least("vector_busy", 0.1)),
        bounds.narrower,
        expected=expected.half_the_width,
    ),
    # A constant like 0.5 among floats: two of three instructions only lead there and back.
    Row(
        "narrower",
        "Stay with float: a constant like 0.5 is double precision and 0.5f is not, and values that "
        "meet it are converted there and back; so are those of functions without an f (sqrt, exp).",
        "{double_share:.0%} of the vector instructions are double precision, "
        "{conversion_share:.0%} convert values, and the vector units work {vector_busy:.0%} of the "
        "time",
        (causes.WITH_DOUBLE, at_least("vector_busy", 0.1)),
        bounds.narrower,
        expected=expected.half_the_width,
    ),
    Row(
        "narrower",
        "Use a narrower type where the result allows it: matrix units run FP16, BF16 and FP8 "
        "several times as fast as FP32 or FP64.",
        "the matrix units work {matrix_busy:.0%} of the time",
        (_MATRIX_WORKS,),
        bounds.roof_of_type,
    ),
    Row(
        "instructions",
        "Compute what is the same for all lanes once: in a table (LDS, constant memory), on the "
        "host, in scalar registers, or step by step from the value before.",
        "{time_same:.0%} of the time of its traced waves makes results that are the same for all "
        "lanes, and the vector units work {vector_busy:.0%} of the time",
        (at_least("time_same", 0.25), at_least("vector_busy", 0.1)),
        bounds.fewer_instructions,
        expected=expected.half_the_work,
    ),
    Row(
        "instructions",
        _FEWER_INSTRUCTIONS,
        "the vector units work {vector_busy:.0%} of the time, and {flop_share:.0%} of their "
        "instructions are floating point",
        (_VECTOR_WORKS,),
        bounds.fewer_instructions,
        expected=expected.half_the_work,
    ),
    # Each instruction of a division needs the one before: they take longer than units are busy.
    Row(
        "instructions",
        _FEWER_INSTRUCTIONS,
        "{sequences:.0%} of the traced vector instructions are reciprocals and other parts of "
        "divisions and functions, and the vector units work {vector_busy:.0%} of the time",
        (at_least("sequences", 0.05), at_least("vector_busy", 0.1)),
        bounds.fewer_instructions,
        expected=expected.half_the_work,
    ),
)
