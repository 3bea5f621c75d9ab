"""Samples of program counters in rocprofv3's CSV files, and what is said of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

import numpy as np
import pytest

from rocm_perf_lab.analysis.documents.kernel_rows.samples import sampled_kernels
from rocm_perf_lab.analysis.documents.schemas.profile import SamplesModel
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.trace.csv.folder import read_csv
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import UNKNOWN
from rocm_perf_lab.trace.part import Part, part_of
from rocm_perf_lab.trace.selection import select_process

KERNELS = (
    "Kind,Agent_Id,Queue_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,"
    "End_Timestamp,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
    "Grid_Size_Z\n"
)
HOST_TRAP = "Sample_Timestamp,Exec_Mask,Dispatch_Id,Instruction,Instruction_Comment,Correlation_Id"
STOCHASTIC = f"{HOST_TRAP},Wave_Issued_Instruction,Instruction_Type,Stall_Reason,Wave_Count"
WHY = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_"
LOAD, STORE = "/home/me/scale.hip:12", "/home/me/scale.hip:13"

Sample = tuple[int, str, str, Optional[str]]  # dispatch, instruction, place, reason; None: issued
SAMPLES: tuple[Sample, ...] = (
    *[(1, "s_waitcnt vmcnt(0)", LOAD, "WAITCNT")] * 60,
    *[(2, "s_waitcnt vmcnt(0)", LOAD, "BARRIER_WAIT")] * 20,
    *[(2, "v_mul_f32 v1, v2, v3", LOAD, None)] * 40,
    *[(1, "global_store_dword v[2:3], v1, off", STORE, "WAITCNT")] * 30,
    *[(3, "s_endpgm", "", None)] * 7,
)


def recorded(
    folder: Path, samples: Sequence[Sample] = SAMPLES, *, stochastic: bool = True, pid: int = 7
) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [
        f"KERNEL_DISPATCH,Agent 1,1,{n},{n // 3},{name},1,{n}000,{n}900,64,1,1,640,1,1\n"
        for n, name in ((1, "scale"), (2, "scale"), (3, "tiny"))
    ]
    (folder / f"{pid}_kernel_trace.csv").write_text(KERNELS + "".join(lines))
    rows = []
    for n, (dispatch, instruction, place, why) in enumerate(samples):
        row = f'{n},255,{dispatch},"{instruction}","{place}",{dispatch}'
        told = f",{int(why is None)},,{WHY}{why or 'NONE'},4"
        rows.append(row + (told if stochastic else "") + "\n")
    method = "stochastic" if stochastic else "host_trap"
    header = STOCHASTIC if stochastic else HOST_TRAP
    (folder / f"{pid}_pc_sampling_{method}.csv").write_text(f"{header}\n{''.join(rows)}")
    return folder


def of_scale(folder: Path) -> SamplesModel:
    return sampled_kernels(load([folder]))["scale"]


def test_lines_and_instructions_have_their_samples_and_reasons(tmp_path: Path) -> None:
    found = of_scale(recorded(tmp_path))
    assert found.samples == 150
    assert found.stalled == pytest.approx(110 / 150)
    assert found.reasons == pytest.approx({"waitcnt": 90 / 110, "barrier wait": 20 / 110})
    assert [(one.text, one.samples, one.stalled, one.reason) for one in found.lines] == [
        (LOAD, 120, pytest.approx(80 / 120), "waitcnt"),
        (STORE, 30, 1.0, "waitcnt"),
    ]
    assert [(one.text, one.samples) for one in found.instructions] == [
        ("s_waitcnt vmcnt(0)", 80),
        ("v_mul_f32 v1, v2, v3", 40),
        ("global_store_dword v[2:3], v1, off", 30),
    ]


def test_a_kernel_without_line_tables_has_instructions_only(tmp_path: Path) -> None:
    tiny = sampled_kernels(load([recorded(tmp_path)]))["tiny"]
    assert (tiny.samples, tiny.stalled, tiny.reasons, tiny.lines) == (7, 0.0, {}, [])
    assert [(one.text, one.share) for one in tiny.instructions] == [("s_endpgm", 1.0)]


def test_the_host_trap_tells_no_reasons(tmp_path: Path) -> None:
    found = of_scale(recorded(tmp_path, stochastic=False))
    assert (found.samples, found.stalled, found.reasons) == (150, None, {})
    assert {one.stalled for one in (*found.lines, *found.instructions)} == {None}


def test_the_order_of_the_samples_does_not_matter(tmp_path: Path) -> None:
    mixed = list(SAMPLES)
    random.Random(3).shuffle(mixed)
    assert of_scale(recorded(tmp_path / "a")) == of_scale(recorded(tmp_path / "b", mixed))


def test_samples_stay_with_their_process(tmp_path: Path) -> None:
    two = [load([recorded(tmp_path / str(pid), pid=pid)]) for pid in (7, 8)]
    both = merge(two, "both")
    assert sampled_kernels(both)["scale"].samples == 300
    for index in (0, 1):
        own = select_process(both, index)
        assert sampled_kernels(own) == sampled_kernels(two[index])


def test_samples_of_a_part_are_those_of_its_launches(tmp_path: Path) -> None:
    trace = load([recorded(tmp_path)])
    kept = sampled_kernels(part_of(trace, Part(dispatches=(1, 2))))
    assert (kept["scale"].samples, kept["tiny"].samples) == (60, 7)  # dispatches 2 and 3


def test_samples_that_nobody_asks_for_are_not_read(tmp_path: Path) -> None:
    files = sorted(recorded(tmp_path).iterdir())
    assert len(read_csv(files, Parts.COPIES).samples) == 0
    assert int(np.sum(read_csv(files, Parts.SAMPLES).samples.count)) == len(SAMPLES)
    assert UNKNOWN in read_csv(files).samples.place


def test_samples_of_other_launches_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(tmp_path, [*SAMPLES, (9, "s_nop 0", "", None), (9, "s_nop 0", "", None)])
    assert main(["profile", "--from", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "PC samples of launches that were not recorded: 2; record with --kernel-trace" in said


def test_samples_alone_are_no_recording_of_kernels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (recorded(tmp_path) / "7_kernel_trace.csv").unlink()
    assert main(["profile", "--from", str(tmp_path)]) == 5
    assert "record with --kernel-trace as well" in " ".join(capsys.readouterr().err.split())


def test_profile_and_explain_show_where_samples_fell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(tmp_path)
    assert main(["profile", "--from", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "PC samples of scale: 150; in 73.3% of them the wave issued nothing (waitcnt" in said
    assert "120 80.0% 66.7% waitcnt scale.hip:12" in said
    assert main(["explain", "--from", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Lines with most of them: scale.hip:12 (80.0%, stalled 66.7%), scale.hip:13" in said


def test_few_samples_are_called_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(tmp_path, SAMPLES[:9], stochastic=False)
    assert main(["profile", "--from", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "PC samples of scale: 9, too few for shares to mean much." in said
    assert "The host trap does not tell why a wave waits." in said


@pytest.mark.parametrize("bad", ["x,255,1", '"', "1,1,abc,s_nop,,1,2,3,4,5"])
def test_damaged_lines_cost_themselves_only(bad: str, tmp_path: Path) -> None:
    file = recorded(tmp_path) / "7_pc_sampling_stochastic.csv"
    file.write_text(file.read_text() + bad + "\n")
    assert of_scale(tmp_path).samples == 150
