"""Finding recordings in folders, and what happens when several formats or passes are there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from fakes.trace_samples import sample_trace
from rocm_perf_lab.errors import EXIT_NOTHING_RECORDED, RecordingError, UsageError
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

OTHER_GUID = "11113fdc-92cb-72cb-9169-c7e541b1fcdf"


def test_passes_in_sub_folders_are_all_read(tmp_path: Path) -> None:
    for number, guid in ((1, "a"), (2, "b")):
        folder = tmp_path / "out" / f"pass_{number}" / "host"
        folder.mkdir(parents=True)
        trace = sample_trace(pid=100 + number, guid=guid * 8 + sample_guid_tail())
        write_rocpd(trace, folder / f"{100 + number}_results.db")
    trace = load([tmp_path / "out"])
    assert [process.pid for process in trace.processes] == [101, 102]
    assert trace.dispatches.process.tolist() == [0] * 3 + [1] * 3
    assert trace.warnings == ()


def sample_guid_tail() -> str:
    return "-92cb-72cb-9169-c7e541b1fcdf"


def test_several_formats_of_one_run_count_once(tmp_path: Path) -> None:
    """rocprofv3 -f csv rocpd writes both; every dispatch must count once."""
    write_rocpd(sample_trace(), tmp_path / "4242_results.db")
    write_csv(sample_trace(), tmp_path)
    trace = load([tmp_path])
    assert len(trace.dispatches) == 3
    assert len(trace.processes) == 1


def test_the_same_file_named_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "4242_results.db"
    write_rocpd(sample_trace(), path)
    assert len(load([path, path, tmp_path]).dispatches) == 3


def test_a_copy_of_a_recording_counts_once_and_is_named(tmp_path: Path) -> None:
    write_rocpd(sample_trace(), tmp_path / "a_results.db")
    shutil.copy(tmp_path / "a_results.db", tmp_path / "b_results.db")
    trace = load([tmp_path])
    assert len(trace.dispatches) == 3
    assert any("same process" in text for text in trace.warnings)


def test_content_counts_and_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "renamed.json"
    write_rocpd(sample_trace(), path)
    assert len(load([path]).dispatches) == 3


def test_a_damaged_file_beside_a_good_one_is_a_warning(tmp_path: Path) -> None:
    write_rocpd(sample_trace(), tmp_path / "1_results.db")
    (tmp_path / "2_results.db").write_bytes(b"")
    trace = load([tmp_path])
    assert len(trace.dispatches) == 3
    assert any("2_results.db" in text for text in trace.warnings)


def test_nothing_at_all(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="holds no rocprofv3 recording") as caught:
        load([tmp_path])
    assert caught.value.exit_code == EXIT_NOTHING_RECORDED
    assert "rocprofv3 --kernel-trace" in (caught.value.next_step or "")
    with pytest.raises(RecordingError, match="does not exist"):
        load([tmp_path / "absent"])
    with pytest.raises(RecordingError, match="no recording was named"):
        load([])


@pytest.mark.parametrize("kind", ["csv", "csv of counters", "rocpd"])
def test_parts_mean_the_same_in_every_format(tmp_path: Path, kind: str) -> None:
    if kind == "rocpd":
        write_rocpd(sample_trace(), tmp_path / "4242_results.db")
    else:
        write_csv(sample_trace(), tmp_path)
    if kind == "csv of counters":
        (tmp_path / "4242_kernel_trace.csv").unlink()
    nothing = load([tmp_path], parts=Parts.DISPATCHES)
    assert nothing.dispatches.duration.tolist() == [700, 701, 702]
    for table in ("copies", "allocations", "api_calls", "markers", "counters"):
        assert len(getattr(nothing, table)) == 0, table
    assert len(load([tmp_path], parts=Parts.MARKERS).markers) == 1
    assert len(load([tmp_path], parts=Parts.MARKERS).api_calls) == 0
    assert len(load([tmp_path], parts=Parts.API_CALLS).api_calls) == 3
    assert len(load([tmp_path], parts=Parts.COUNTERS).counters) == 6


def test_merged_index_columns_point_to_their_own_records(tmp_path: Path) -> None:
    write_rocpd(sample_trace(), tmp_path / "1_results.db")
    write_rocpd(sample_trace(pid=7, guid=OTHER_GUID), tmp_path / "2_results.db")
    trace = load([tmp_path / "2_results.db", tmp_path / "1_results.db"])
    assert [process.pid for process in trace.processes] == [7, 4242]
    for column, records in (("kernel", trace.kernels), ("queue", trace.queues)):
        owners = [records[index].process for index in getattr(trace.dispatches, column)]
        assert owners == trace.dispatches.process.tolist()
    assert {trace.strings[index] for index in trace.counters.name} == {
        "SQ_WAVES",
        "GRBM_GUI_ACTIVE",
    }


def test_folders_without_a_kernel_in_common_are_a_question(tmp_path: Path) -> None:
    trace = sample_trace()
    other = replace(trace, kernels=tuple(replace(k, name=f"other_{k.name}") for k in trace.kernels))
    write_csv(trace, tmp_path / "a")
    write_csv(other, tmp_path / "b")
    with pytest.raises(UsageError, match=r"in 2 folders \(a, b\) without a kernel in common"):
        load([tmp_path])
    assert len(load([tmp_path / "b"]).dispatches) == len(trace.dispatches)
