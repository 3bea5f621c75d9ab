"""All rules, in the order in which they are tried among equals: those for one shape first."""

from __future__ import annotations

from rocm_perf_lab.optimize.rules.access.interleaved_chunks import InterleavedChunks
from rocm_perf_lab.optimize.rules.access.lds_padding import LdsPadding
from rocm_perf_lab.optimize.rules.access.staged_rows import StagedRows
from rocm_perf_lab.optimize.rules.access.swapped_threads import SwappedThreads
from rocm_perf_lab.optimize.rules.access.tiled_product import TiledProduct
from rocm_perf_lab.optimize.rules.access.vectorize import Vectorize
from rocm_perf_lab.optimize.rules.branch_to_select import BranchToSelect
from rocm_perf_lab.optimize.rules.launch_bounds import LaunchBounds
from rocm_perf_lab.optimize.rules.loops.bounds_check import BoundsCheck
from rocm_perf_lab.optimize.rules.loops.double_buffer import DoubleBuffer
from rocm_perf_lab.optimize.rules.loops.hoist import Hoist
from rocm_perf_lab.optimize.rules.loops.prefetch import Prefetch
from rocm_perf_lab.optimize.rules.loops.strength_reduction import StrengthReduction
from rocm_perf_lab.optimize.rules.loops.unroll import Unroll
from rocm_perf_lab.optimize.rules.loops.unroll_pragma import UnrollPragma
from rocm_perf_lab.optimize.rules.rule import Rule
from rocm_perf_lab.optimize.rules.sums.private_histogram import PrivateHistogram
from rocm_perf_lab.optimize.rules.sums.register_accumulation import RegisterAccumulation
from rocm_perf_lab.optimize.rules.sums.wave_atomics import WaveAtomics
from rocm_perf_lab.optimize.rules.sums.wave_reduction import WaveReduction

ALL_RULES: tuple[Rule, ...] = (
    PrivateHistogram(),
    StagedRows(),
    TiledProduct(),
    InterleavedChunks(),
    SwappedThreads(),
    LdsPadding(),
    WaveReduction(),
    RegisterAccumulation(),
    WaveAtomics(),
    BranchToSelect(),
    Hoist(),
    BoundsCheck(),
    Unroll(),
    Prefetch(),
    DoubleBuffer(),
    StrengthReduction(),
    UnrollPragma(),
    LaunchBounds(),
    Vectorize(),
)
