"""Ids to rows, and the distinct values of a column."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.trace.lookup import distinct


@given(values=st.lists(st.integers(-3, 5)), narrow=st.booleans())
def test_distinct_is_what_unique_is(values: list[int], narrow: bool) -> None:
    column = np.array(values, dtype=np.int32 if narrow else np.int64)
    found = distinct(column)
    assert found.tolist() == np.unique(column).tolist()
    assert found.dtype == column.dtype


def test_writing_a_database_does_not_import_masked_arrays(tmp_path: Path) -> None:
    """Every profiled run starts a process that writes one; the import would be a tenth of it."""
    code = (
        "import sys; from pathlib import Path; sys.path.append(sys.argv[1]);"
        "import rocm_perf_lab.vrocm.profiler.run; from trace_samples import sample_trace;"
        "from rocm_perf_lab.trace.rocpd.writer import write_rocpd;"
        "write_rocpd(sample_trace(), Path(sys.argv[2])); print(*sys.modules)"
    )
    fakes = Path(__file__).resolve().parents[1] / "fakes"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(fakes), str(tmp_path / "run_results.db")],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
    )
    assert not set(done.stdout.split()) & {"numpy.ma", "rocm_perf_lab.vrocm.att.recording"}
