"""Reader of the CSV files of rocprofv2: a dispatch, its registers and its counters in each row."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.workload.rows import DispatchRows
from rocm_perf_lab.trace.workload.system import System


def read_rocprofv2(file: Path) -> Trace:
    rows = DispatchRows(file, System())
    rows.read(file)
    rows.warnings.append(
        f"{file}: rocprofv2 does not record which GPU it was: --gpu NAME says it (rocprofv3 does)"
    )
    return rows.build()
