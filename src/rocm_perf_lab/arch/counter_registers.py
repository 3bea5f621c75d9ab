"""How many counters one run can collect: every hardware block has few counter registers.

The limits are those of AMD's aqlprofile; rocprof-compute plans with the same. A request that needs
more aborts the application at its first kernel, so that it has to be split beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping

from rocm_perf_lab.errors import UsageError

# SQC counters take registers of the SQ.
_BLOCK_OF_PREFIX = {
    "SQ": "SQ",
    "SQC": "SQ",
    "TCC": "L2",
    "GL2C": "L2",
    "TCP": "TCP",
    "TA": "TA",
    "TD": "TD",
    "GRBM": "GRBM",
    "SPI": "SPI",
    "CPC": "CPC",
    "CPF": "CPF",
    "GDS": "GDS",
    "GL1C": "GL1C",
    "GCEA": "GCEA",
}
_REGISTERS = {
    "SQ": 8,
    "L2": 4,
    "TCP": 4,
    "TA": 2,
    "TD": 2,
    "GRBM": 2,
    "SPI": 6,
    "CPC": 2,
    "CPF": 2,
    "GDS": 4,
    "GL1C": 4,
    "GCEA": 2,
}
_DIFFERENT = {"gfx12": {"SQ": 16}}  # by the beginning of the target's name


def registers_per_pass(target: str) -> Mapping[str, int]:
    """Counter registers of every block, per instance of the block."""
    different = next((d for name, d in _DIFFERENT.items() if target.startswith(name)), {})
    return {**_REGISTERS, **different}


def block_of(counter: str) -> str:
    """The block whose registers a hardware counter needs."""
    block = _BLOCK_OF_PREFIX.get(counter.partition("_")[0])
    if block is None:
        raise UsageError(
            f"{counter} is not a hardware counter whose block is known",
            "name hardware counters (SQ_WAVES, TCC_HIT_sum); derived metrics cannot be planned",
        )
    return block
