"""Counters of a batched matrix product, in two variants: the mean of each counter for each kernel.

The recording has no licence, so that only these figures are kept. Every launch of a kernel gets
them; order and gaps of the launches are ours.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean

from msgspec import structs

from known_answers.files import Files
from known_answers.roofs import first_device
from known_answers.workload import Launch, launches, workload_files
from rocm_perf_lab.trace.load import load

_NAME = "batched_matrix_product"
_GAP_NS = 1000


def batched_product(recordings: Path) -> Files:
    files: Files = {}
    for variant in ("bmm1", "bmm3"):
        folder = f"mi300x-batched-gemm-counters/{variant}"
        trace = load([recordings / folder])
        recorded = launches(trace)
        roofs = first_device(recordings / folder)
        files.update(workload_files(folder, trace.agents[0], _in_turn(recorded), None, roofs))
    return files


def _in_turn(recorded: list[Launch]) -> list[Launch]:
    """A fill, a product, a fill: as many of each as were recorded."""
    fills = [launch for launch in recorded if launch.kernel.is_runtime_blit]
    products = [launch for launch in recorded if not launch.kernel.is_runtime_blit]
    fill, product = _mean(fills), _mean(products)
    product = replace(product, kernel=structs.replace(product.kernel, name=_NAME))
    assert len(fills) == len(products) + 1
    found, now = [], 0
    for dispatch in range(len(recorded)):
        launch = product if dispatch % 2 else fill
        now += _GAP_NS
        found.append(replace(launch, dispatch=dispatch, start=now, end=now + launch.end))
        now += launch.end
    return found


def _mean(of_kernel: list[Launch]) -> Launch:
    """Starts at 0."""
    first = of_kernel[0]
    counters = {
        name: float(round(fmean(launch.counters[name] for launch in of_kernel)))
        for name in first.counters
    }
    length = round(fmean(launch.end - launch.start for launch in of_kernel))
    return replace(first, start=0, end=length, counters=counters)
