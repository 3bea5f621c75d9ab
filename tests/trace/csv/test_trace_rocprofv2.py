"""CSV files of rocprofv2: registers, LDS and counters in one row, and no word of the GPU."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from fakes.small_files import ROCPROFV2
from rocm_perf_lab.arch.named import gpu_named
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import UNKNOWN
from rocm_perf_lab.trace.naming.named_gpu import with_gpu


@pytest.mark.parametrize("packed", [False, True])
def test_everything_of_a_row(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("results_77.csv.gz" if packed else "results_77.csv")
    path.write_bytes(gzip.compress(ROCPROFV2.encode()) if packed else ROCPROFV2.encode())
    trace = load([tmp_path])
    (kernel,) = trace.kernels
    assert kernel.name == "add(float*)"
    assert (kernel.arch_vgpr, kernel.accum_vgpr, kernel.sgpr) == (24, 8, 32)
    assert trace.dispatches.duration.tolist() == [500, 600]
    assert (trace.dispatches.lds[0], trace.dispatches.scratch[0]) == (512, 16)
    assert trace.dispatches.block[0].tolist() == [256, 1, 1]
    assert trace.counters.value.tolist() == [16.0, 99.0, 16.0, 98.0]
    assert trace.dispatches.agent.tolist() == [UNKNOWN, UNKNOWN]
    assert any("--gpu NAME" in text for text in trace.warnings)


def test_the_gpu_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text(ROCPROFV2)
    trace = with_gpu(load([tmp_path]), gpu_named("mi308x"))
    assert trace.dispatches.agent.tolist() == [0, 0]
    assert (trace.agents[0].name, trace.agents[0].product) == ("gfx942", "MI308X")


@pytest.mark.parametrize(
    ("name", "target", "board"),
    [
        ("mi308x", "gfx942", "MI308X"),
        ("AMD Instinct MI300X", "gfx942", "MI300X"),
        ("rx-7900-xtx", "gfx1100", "RX 7900 XTX"),
        ("GFX90A", "gfx90a", "gfx90a"),
    ],
)
def test_names_as_people_write_them(name: str, target: str, board: str) -> None:
    gpu = gpu_named(name)
    assert (gpu.target, str(gpu)) == (target, board)


@pytest.mark.parametrize("name", ["mi999", "", "amd", "MI300", "gfx906"])
def test_what_is_not_known_lists_what_is(name: str) -> None:
    with pytest.raises(UsageError, match="no such GPU is known here") as caught:
        gpu_named(name)
    assert "MI308X, MI325X" in (caught.value.next_step or "")
    assert "gfx942" in (caught.value.next_step or "")
