"""A wrong unit on any page is noticed: recordings with known times, documents with known rates."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.thread_traces import documents, write_folder
from rocm_perf_lab.arch import device_facts
from rocm_perf_lab.arch.fidelity import load_fidelity
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.prove.compare.compare_schema import (
    ComparisonDocument,
    MethodModel,
    RowModel,
    SideModel,
)
from rocm_perf_lab.reporters.decisions.compare import render_comparison
from rocm_perf_lab.reporters.decisions.compare_markdown import render_markdown
from rocm_perf_lab.reporters.decisions.fidelity import fidelity_line
from rocm_perf_lab.reporters.figures.roofs import render_roofs
from rocm_perf_lab.strict_json import replace
from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs

# Two kernels in turns: 12.34 us of "slow", 2.5 us of "fast", 1.16 us between any two.
HEADER = (
    "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
    "Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
    "SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
    "Grid_Size_Z"
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines, clock = [HEADER], 1_000_000
    for number in range(1, 7):
        name, length = (("slow", 12_340), ("fast", 2_500))[number % 2]
        lines.append(
            f"KERNEL_DISPATCH,Agent 1,1,0,7,{number},{number % 2},{name},{number},{clock},"
            f"{clock + length},1536,0,32,0,16,256,1,1,65536,1,1"
        )
        clock += length + 1_160
    path = tmp_path_factory.mktemp("units") / "7_kernel_trace.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def page(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return " ".join(capsys.readouterr().out.split())


# 3 x (12.34 + 2.5) = 44.52 us of kernels in 50.32 us; 37.02 us of them "slow".
@pytest.mark.parametrize(
    "text",
    [
        "slow 3 37.02 us 83.2% 12.34 us 0.0%",
        "fast 3 7.500 us 16.8% 2.500 us 0.0%",
        "1.5K",
        "kernel time 44.52 us, GPU busy 44.52 us, first start to last end 50.32 us",
        "Result: 0.04452 ms of kernel time per run, 83.2% in slow",
    ],
)
def test_profile(recording: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert text in page(capsys, "profile", "--from", str(recording))


def test_explain(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = page(capsys, "explain", "--from", str(recording))
    assert "3 launches of 12.34 us" in out
    assert "Critical path: 50.32 us from the first to the last GPU work: kernels 88.5%" in out
    assert "fast 14.9% 2.500 us" in out or "fast 16.8% 2.500 us" in out


def test_critical_path(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = page(
        capsys, "profile", "--critical-path", "--what-if", "slow=2", "--from", str(recording)
    )
    assert "50.32 us" in out
    assert "37.02 us" in out
    assert "31.81 us" in out  # 50.32 less half of 37.02


def test_a_wave_of_a_thread_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1304 cycles at 2000 MHz."""
    out = page(capsys, "explain", "--from", str(write_folder(tmp_path, documents())))
    assert "1304" in out
    assert "(652 ns)" in out


def compared() -> ComparisonDocument:
    def row(kernel: str | None, base: float, head: float, change: float) -> RowModel:
        return RowModel(
            kernel=kernel, quantity="dispatch", base_ns=base, head_ns=head, base_launches=1,
            head_launches=1, share=0.5, verdict="regression", change=change, low=change - 0.012,
            high=change + 0.013, p_slower=0.001, p_faster=0.9, reason="slower", needed=None,
            blocks=None,
        )  # fmt: skip

    return ComparisonDocument(
        schema_version="1.0", tool_version="0", kind="recordings", virtual=False,
        base=SideModel(given="a", runs=5, device=None),
        head=SideModel(given="b", runs=5, device=None),
        method=MethodModel(
            design="unpaired runs", threshold=0.02, alpha=0.01, blocks=None, most_blocks=None,
            seed=None, orders=None,
        ),
        verdict="regression", end_to_end=row(None, 2_500_000.0, 2_750_000.0, 0.1),
        kernels=[row("gemm", 8_120.0, 8_526.0, 0.05)], notes=[],
    )  # fmt: skip


def test_compare() -> None:
    text = " ".join(render_comparison(compared()).split())
    assert "gemm 8.120 us 8.526 us +5.0% +3.8% to +6.3%" in text
    assert "2.500 ms 2.750 ms +10.0% +8.8% to +11.3%" in text
    assert "gemm +5.0%" in text
    table = render_markdown(compared())
    assert "| `gemm` | 8.120 us | 8.526 us | +5.0% | +3.8% to +6.3% |" in table


def test_what_the_virtual_device_is_worth_is_said_once() -> None:
    here = render_comparison(replace(compared(), virtual=True))
    line = " ".join(fidelity_line().split())
    assert " ".join(here.split()).count(line) == 1
    assert line not in " ".join(render_comparison(compared()).split())
    known = load_fidelity()
    assert f"{known.pairs.right} of {known.pairs.of} are ranked right" in line
    assert "docs/virtual-device.md" in line


def test_measured_roofs() -> None:
    facts = device_facts("gfx942", {"product_name": "AMD Instinct MI300X", "cu_count": 304})
    roofs = MeasuredRoofs(0, {"hbm": 4.24e12}, {("matrix", "fp16"): 9.16e14}, "here")
    lines = {
        line.split()[0]: line.split()
        for line in render_roofs(roofs, facts, None).splitlines()
        if line
    }
    assert lines["hbm"] == ["hbm", "4.24", "5.30", "80.0%", "TB/s"]
    assert lines["matrix.fp16"] == ["matrix.fp16", "916.00", "1307.44", "70.1%", "TFLOP/s"]
