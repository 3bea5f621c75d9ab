"""All pairs of the corpus, and which half of the first set was looked at.

A program is a file and a letter; ``0`` is its slow form, ``1`` its mended one. A file holds several
programs; its name and those of its pairs tell what they compute. Names in the sources give nothing
away: what the mend changed is known here only.
"""

from __future__ import annotations

from benchmarks.verdicts.earlier_pairs import BLIND, FIFTH, FOURTH, PAIRS, SECOND, SIXTH, THIRD
from benchmarks.verdicts.later_pairs import EIGHTH, ELEVENTH, NINTH, SEVENTH, TENTH

# The latest last.
BLIND_SETS = {
    "blind": BLIND,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
    "seventh": SEVENTH,
    "eighth": EIGHTH,
    "ninth": NINTH,
    "tenth": TENTH,
    "eleventh": ELEVENTH,
}
ALL = (*PAIRS, *(pair for pairs in BLIND_SETS.values() for pair in pairs))
BY_NAME = {pair.name: pair for pair in ALL}

# The lots were drawn from the names that pairs had then, so that what they gave is listed.
# SEEN was drawn before any explanation of these programs was read: bounds and thresholds were
# looked at on this half only. A seventeenth pair of it had a mend that gained nothing and was taken
# out.
SEEN = frozenset(
    (
        "byte_sums",
        "halfword_copy",
        "tile_columns",
        "private_pieces",
        "large_lds_block",
        "values_across_chain",
        "heavy_workgroup",
        "long_row",
        "chains_in_rounds",
        "two_sided_branch",
        "exponentials",
        "damped_weights",
        "row_and_column",
        "tile_products",
        "linked_lists",
        "fma_sums",
    )
)
# What CI runs; the whole corpus takes minutes.
IN_CI = (
    "grid_stride_map",
    "strided_sums",
    "record_fields",
    "round_trips",
    "parallel_chains",
    "large_lds_block",
)
