"""Workload folders of rocprof-compute: both column styles, whole and damaged."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from fakes.recordings import Known
from fakes.small_files import OLD_HEADER, SYSTEM, old_row
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import RecordingError, UsageError
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.measured_roofs import read_measured_roofs
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.workload.folder import read_workload


def old_folder(folder: Path, *rows: str, header: str = OLD_HEADER) -> Path:
    (folder / "sysinfo.csv").write_text(SYSTEM)
    (folder / "pmc_perf.csv").write_text("\n".join((header, *rows)) + "\n")
    return folder


def counters(trace: Trace, dispatch: int) -> dict[str, float]:
    rows = np.flatnonzero(trace.counters.dispatch == dispatch)
    table = trace.counters
    return {trace.strings[int(table.name[r])]: float(table.value[r]) for r in rows}


def test_old_style(tmp_path: Path) -> None:
    trace = read_workload(old_folder(tmp_path, old_row(0, 1000), old_row(1, 2000)))
    assert trace.dispatches.start.tolist() == [1000, 2000]
    assert trace.dispatches.grid[0].tolist() == [1024, 1, 1]
    assert (trace.kernels[0].name, trace.kernels[0].arch_vgpr) == ("k(int, int)", 8)
    assert counters(trace, 1) == {"SQ_WAVES": 16.0, "TCC_HIT": 7.0, "TCC_HIT_sum": 9.0}
    agent = trace.agents[0]
    assert (agent.name, agent.product, agent.facts["cu_count"]) == ("gfx942", "MI300X", 304)
    assert trace.processes[0].command == "./app 3"


def test_a_sum_over_some_instances_is_not_recorded(tmp_path: Path) -> None:
    trace = read_workload(old_folder(tmp_path, old_row(0, 1000, hits="3,")))
    assert "TCC_HIT" not in counters(trace, 0)
    assert counters(trace, 0)["TCC_HIT_sum"] == 9.0


def test_times_of_the_run_without_counters_are_a_process_of_their_own(tmp_path: Path) -> None:
    folder = old_folder(tmp_path, old_row(0, 1000))
    (folder / "timestamps.csv").write_text(
        "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,Start_Timestamp,End_Timestamp\n"
        '1,"k(int, int) (.kd)",2,1024,256,5000,5010\n'
    )
    trace = load([folder])
    assert trace.dispatches.duration.tolist() == [10, 100]
    assert trace.dispatches.process.tolist() == [0, 1]
    assert set(trace.counters.dispatch.tolist()) == {1}
    assert trace.kernels[0].name == trace.kernels[1].name


def test_new_style_with_fractions_and_accumulators(tmp_path: Path) -> None:
    (tmp_path / "sysinfo.csv").write_text(SYSTEM)
    header = (
        "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Arch_VGPR,Wave_Size,Kernel_Name,Kernel_ID,"
        "SQ_INSTS,SQ_LEVEL_WAVES,SQ_ACCUM_PREV_HIRES,SQ_INST_LEVEL_LDS,SQ_ACCUM_PREV_HIRES_7,"
        "Kernel_ID_1,Start_Timestamp,End_Timestamp"
    )
    row = "0,0,64,64,8,64,k,10,5.0,0.0,123.0,1.0,456.0,10,41551790928449.54,41551790935219.08"
    with gzip.open(tmp_path / "pmc_perf.csv.gz", "wt") as stream:
        stream.write(f"{header}\n{row}\n")
    trace = load([tmp_path])
    assert trace.dispatches.start.tolist() == [41551790928450]
    assert trace.dispatches.end.tolist() == [41551790935219]
    assert counters(trace, 0) == {
        "SQ_INSTS": 5.0,
        "SQ_LEVEL_WAVES_ACCUM": 123.0,
        "SQ_INST_LEVEL_LDS_ACCUM": 456.0,
    }


def test_level_files_add_only_their_sums(tmp_path: Path) -> None:
    folder = old_folder(tmp_path, old_row(0, 1000))
    (folder / "SQ_LEVEL_WAVES.csv").write_text(
        "Dispatch_ID,Kernel_Name,SQ_WAVES,SQ_LEVEL_WAVES,SQ_ACCUM_PREV_HIRES\n0,k,16,0,77\n"
    )
    assert counters(read_workload(folder), 0)["SQ_LEVEL_WAVES_ACCUM"] == 77.0
    assert counters(read_workload(folder), 0)["SQ_WAVES"] == 16.0


def test_a_missing_description_of_the_gpu_is_named(tmp_path: Path) -> None:
    folder = old_folder(tmp_path, old_row(0, 1000))
    (folder / "sysinfo.csv").unlink()
    trace = read_workload(folder)
    assert trace.agents == ()
    assert any("sysinfo.csv" in warning for warning in trace.warnings)


@pytest.mark.parametrize("content", ["", OLD_HEADER + "\n"])
def test_a_folder_without_dispatches(tmp_path: Path, content: str) -> None:
    (tmp_path / "pmc_perf.csv").write_text(content)
    with pytest.raises(RecordingError, match="no dispatch"):
        load([tmp_path])


def test_a_cut_compressed_file(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join([OLD_HEADER, *map(old_row, range(50), range(50))]).encode())
    (tmp_path / "pmc_perf.csv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(RecordingError, match="cannot be read"):
        load([tmp_path])


def test_measured_roofs(tmp_path: Path) -> None:
    file = tmp_path / "roofline.csv"
    file.write_text("device,HBMBw,HBMBwLow,MFMAF4Flops,MFMAF16Flops\n0,4244.5,1,0,916294\n")
    (roofs,) = read_measured_roofs(file)
    assert roofs.bandwidth == {"hbm": 4244.5e9}
    assert roofs.rate == {("matrix", "fp16"): pytest.approx(916.294e12)}  # 0 is not measured


def test_recorded_level_sums_agree_with_wave_cycles(known: Known) -> None:
    trace = load([known("mi300x-batched-gemm-counters/bmm1")])
    found = counters(trace, 2)
    assert len(trace.dispatches) == 301
    assert found["SQ_LEVEL_WAVES_ACCUM"] == pytest.approx(4 * found["SQ_WAVE_CYCLES"], rel=0.1)
    assert found["TCC_BUBBLE"] == found["TCC_BUBBLE_sum"]


@pytest.mark.parametrize("style", ["MI200", "MI300X_A1"])
def test_recorded_folders_of_two_column_styles(style: str, known: Known) -> None:
    trace = load([known(f"veccopy-counters/{style}/kernel")])
    assert len(trace.dispatches) == 6  # three timed, three counted
    assert {kernel.name for kernel in trace.kernels} == {
        "vecCopy(double*, double*, double*, int, int)"
    }
    assert counters(trace, 3)["SQ_WAVES"] == 16384


def test_the_chip_as_rocm_6_4_names_it_and_kernels_with_their_descriptor(tmp_path: Path) -> None:
    (tmp_path / "sysinfo.csv").write_text(
        "command,gpu_arch,cu_per_gpu,chip_id\n./app,gfx942,304,29857\n"
    )
    (tmp_path / "pmc_perf.csv").write_text(
        "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp\n0,copy.kd,0,0,10\n"
    )
    trace = load([tmp_path])
    assert trace.gpu_agents[0].facts["device_id"] == 29857
    assert [kernel.name for kernel in trace.kernels] == ["copy"]


@pytest.mark.parametrize("model", ["MI300X_A1", "MI300"])
def test_a_wrong_number_of_xcds_is_said(
    tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    old_folder(tmp_path, old_row(0, 1000))
    system = SYSTEM.replace("MI300X_A1", model).replace("1300,8", "1300,1")
    (tmp_path / "sysinfo.csv").write_text(system)
    assert main(["profile", "--from", str(tmp_path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    boards = "MI300X" if model == "MI300X_A1" else "MI300X or MI325X"
    assert f"the recording says 1 XCC, but {boards} with 304 CUs has 8; the latter is used" in out


def copy_on(folder: Path, system: str) -> None:
    """A copy of 8 MiB in 16 us."""
    (folder / "sysinfo.csv").write_text(system)
    (folder / "pmc_perf.csv").write_text(
        "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Arch_VGPR,"
        "TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_sum,TCC_EA_WRREQ_64B_sum,"
        "Start_Timestamp,End_Timestamp\n"
        "0,copy,0,1048576,256,0,8,131072,0,131072,131072,1000,17000\n"
    )


def test_targets_without_facts_get_what_their_recordings_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_on(tmp_path, SYSTEM.replace("MI300X_A1,gfx942", "MI450,gfx1250"))
    assert main(["profile", "--roofline", "--from", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Device: MI450 (gfx1250, 304 CUs" in out
    assert "no hardware facts for the target 'gfx1250'" in out
    assert "Roofs:" not in out
    assert "GB/s" not in out


def test_an_mi100_has_roofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy_on(tmp_path, SYSTEM.replace("MI300X_A1,gfx942", "MI100,gfx908").replace("304", "120"))
    assert main(["profile", "--roofline", "--from", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Device: MI100 (gfx908, 120 CUs" in out
    assert "1049" in out  # GB/s of the copy
    assert "1229" in out  # of the memory


def test_a_folder_with_several_workloads_is_a_question(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        old_folder(tmp_path / name, old_row(0, 1000))
    with pytest.raises(UsageError, match=r"holds 2 workloads of rocprof-compute \(a, b\)"):
        load([tmp_path])


def test_times_that_a_spreadsheet_rounded_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All durations are 0 then: counters still tell, and nothing divides by them."""
    exact = old_row(0, 716_480_123_456_789)
    rounded = exact.replace("716480123456789", "7.16480E+14")
    rounded = rounded.replace("716480123456889", "7.16480E+14")
    assert rounded.count("E+14") == 2
    folder = old_folder(tmp_path, rounded, rounded.replace("0,", "1,", 1))
    for words in (["explain"], ["profile", "--roofline"], ["profile", "--critical-path"]):
        assert main([*words, "--from", str(folder)]) == 0
        page = " ".join(capsys.readouterr().out.split())
        assert "times are rounded to 1 s, as spreadsheets do: durations and all that" in page
    assert counters(load([old_folder(tmp_path, exact)]), 0)["SQ_WAVES"] == 16.0
    assert not [text for text in load([folder]).warnings if "rounded" in text]
