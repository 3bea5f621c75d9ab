"""What a choice made on the virtual device is worth."""

from __future__ import annotations

from rocm_perf_lab.arch.fidelity import PAGE, load_fidelity


def fidelity_line() -> str:
    """Once in the output of each verb that chooses between versions."""
    known = load_fidelity()
    return (
        f"Virtual device: of pairs of versions {known.pairs} are ranked right here, as chips or "
        f"their vendor rank them, and {known.timings} published times are within 25 %. By kind of "
        f"kernel: {PAGE}"
    )
