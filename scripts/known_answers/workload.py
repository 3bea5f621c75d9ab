"""A workload folder of rocprof-compute: counters, times, the GPU and its measured roofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from known_answers.files import Files, csv_text, number
from rocm_perf_lab.trace.model import Agent, Kernel, Trace

_LAUNCH = (
    *("Dispatch_ID", "GPU_ID", "Grid_Size", "Workgroup_Size", "LDS_Per_Workgroup"),
    *("Scratch_Per_Workitem", "Arch_VGPR", "Accum_VGPR", "SGPR", "Kernel_Name"),
    *("Start_Timestamp", "End_Timestamp"),
)
_FACTS = {
    "cu_per_gpu": "cu_count",
    "num_xcd": "num_xcc",
    "max_sclk": "max_engine_clk_fcompute",
    "simd_per_cu": "simd_per_cu",
    "wave_size": "wave_front_size",
    "gpu_chip_id": "device_id",
}
_SUM_OVER_TIME = "_ACCUM"


@dataclass(frozen=True)
class Launch:
    """One row of a file of dispatches."""

    dispatch: int
    kernel: Kernel
    items: tuple[int, int]  # of the grid and of a workgroup
    lds: int
    scratch: int
    start: int
    end: int
    counters: Mapping[str, float]

    @property
    def row(self) -> list[object]:
        kernel, registers = self.kernel, (self.kernel.arch_vgpr, self.kernel.accum_vgpr)
        shape = (*self.items, self.lds, self.scratch, *registers, kernel.sgpr)
        return [self.dispatch, 0, *shape, kernel.name, self.start, self.end]


def launches(trace: Trace) -> list[Launch]:
    rows, counted = trace.dispatches, trace.counters
    values: list[dict[str, float]] = [{} for _ in range(len(rows))]
    for row, name, value in zip(counted.dispatch, counted.name, counted.value):
        values[row][trace.strings[name]] = float(value)
    return [
        Launch(
            int(rows.dispatch_id[row]),
            trace.kernels[rows.kernel[row]],
            (int(rows.grid[row].prod()), int(rows.block[row].prod())),
            int(rows.lds[row]),
            int(rows.scratch[row]),
            int(rows.start[row]),
            int(rows.end[row]),
            values[row],
        )
        for row in range(len(rows))
    ]


def workload_files(
    folder: str,
    agent: Agent,
    counted: Sequence[Launch],
    timed: Optional[Sequence[Launch]],
    roofs: Optional[Mapping[str, str]],
) -> Files:
    files = {
        f"{folder}/pmc_perf.csv.gz": _counter_file(counted),
        f"{folder}/sysinfo.csv": _system_file(agent),
    }
    if timed is not None:
        files[f"{folder}/timestamps.csv"] = csv_text(_LAUNCH, [launch.row for launch in timed])
    if roofs is not None:
        files[f"{folder}/roofline.csv"] = csv_text(list(roofs), [list(roofs.values())])
    return files


def _counter_file(counted: Sequence[Launch]) -> str:
    names = sorted({name for launch in counted for name in launch.counters})
    sums = [name for name in names if name.endswith(_SUM_OVER_TIME)]
    plain = [name for name in names if not name.endswith(_SUM_OVER_TIME)]
    header = [*_LAUNCH, *plain]
    for position, name in enumerate(sums):  # a sum over time stands behind its level
        header += [name[: -len(_SUM_OVER_TIME)], f"SQ_ACCUM_PREV_HIRES_{position}"]
    rows = []
    for launch in counted:
        row = [*launch.row, *(_cell(launch, name) for name in plain)]
        for name in sums:
            row += [0, _cell(launch, name)]
        rows.append(row)
    return csv_text(header, rows)


def _cell(launch: Launch, name: str) -> object:
    return number(launch.counters[name]) if name in launch.counters else ""


def _system_file(agent: Agent) -> str:
    facts = {column: agent.facts.get(name, "") for column, name in _FACTS.items()}
    banks = agent.facts.get("mem_banks")
    clock = banks[0]["mem_clk_max"] if isinstance(banks, list) else ""
    row = {"gpu_arch": agent.name, "gpu_model": agent.product or "", **facts, "max_mclk": clock}
    return csv_text(list(row), [list(row.values())])
