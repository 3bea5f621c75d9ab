"""Who launched a kernel on the host, in words."""

from __future__ import annotations

from rocm_perf_lab.analysis.documents.schemas.explain import OriginModel, RankedKernelModel


def origin_lines(kernel: RankedKernelModel) -> list[str]:
    """A sentence for each origin of the kernel that limits the application."""
    first = "Launched by"
    lines = []
    for origin in kernel.origins:
        share = f"{origin.launches} of {kernel.launches} launches"
        lines.append(f"{first} {_who(origin)}: {share}.")
        first = "Also by"
    return lines


def other_origin(name: str, kernel: RankedKernelModel) -> str:
    """One line for a kernel of the table."""
    more = f" and {len(kernel.origins) - 1} more" if len(kernel.origins) > 1 else ""
    return f"{name}: {_who(kernel.origins[0])}{more}"


def _who(origin: OriginModel) -> str:
    if origin.operator is None:
        return origin.place or "an unknown operator"
    return f"{origin.operator} at {origin.place}" if origin.place else origin.operator
