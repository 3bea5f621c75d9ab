"""Other outputs, by the ending of the file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fakes.reported_runs import HOSTILE, NAMES, measured_run
from rocm_perf_lab.analysis.graph.dag import NodeKind
from rocm_perf_lab.errors import NothingRecorded
from rocm_perf_lab.measure.request import KnownCeilings, Recordings
from rocm_perf_lab.report.contents import Measured, Report
from rocm_perf_lab.report.gather import gather
from rocm_perf_lab.reporters.report_files import write_report
from rocm_perf_lab.strict_json import replace

BMM = Path(__file__).resolve().parents[1] / "fixtures/recordings/mi300x-batched-gemm-counters/bmm1"


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measured_run()


def written(report: Report, path: Path) -> Path:
    write_report(report, path)
    return path


def test_json_has_the_documents(measured: Measured, tmp_path: Path) -> None:
    path = written(Report("1", (measured,)), tmp_path / "r.json")
    document = json.loads(path.read_text())
    assert document["virtual"] is True
    assert document["measured"][0]["profile"]["kernels"][0]["name"] in NAMES
    assert document["measured"][0]["explanation"]["kernel"] in NAMES


def test_csv_has_every_kernel(measured: Measured, tmp_path: Path) -> None:
    path = written(Report("1", (measured,)), tmp_path / "r.csv")
    rows = list(csv.DictReader(path.open()))
    assert {row["kernel"] for row in rows} == set(NAMES)
    assert {row["virtual"] for row in rows} == {"true"}
    assert sum(int(row["dispatches"]) for row in rows) == 30


def test_csv_holds_no_formula(measured: Measured, tmp_path: Path) -> None:
    rows = [replace(row, name="=1+1") for row in measured.profile.kernels]
    profile = replace(measured.profile, kernels=rows)
    path = written(Report("1", (Measured(profile, None),)), tmp_path / "r.csv")
    assert {row["kernel"] for row in csv.DictReader(path.open())} == {"'=1+1"}


def test_markdown_is_a_table_without_markup_of_names(measured: Measured, tmp_path: Path) -> None:
    text = written(Report("1", (measured,)), tmp_path / "r.md").read_text()
    assert text.count("\n| `") == 3
    assert "virtual device" in text
    outside_code = "".join(text.split("`")[::2])
    assert "<img" not in outside_code.replace("\\<", "")


def packets(path: Path) -> list[Any]:
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = protos.Trace()
    trace.ParseFromString(path.read_bytes())
    return list(trace.packet)


def test_perfetto_has_streams_kernels_and_the_path(measured: Measured, tmp_path: Path) -> None:
    pytest.importorskip("perfetto")
    found = packets(written(Report("1", (measured,)), tmp_path / "r.pftrace"))
    tracks = {p.track_descriptor.uuid: p.track_descriptor for p in found if _describes(p)}
    names = {e.iid: e.name for p in found for e in p.interned_data.event_names}
    assert set(names.values()) == set(NAMES)
    events = [p for p in found if p.HasField("track_event")]
    begins = [p for p in events if p.track_event.type == p.track_event.TYPE_SLICE_BEGIN]
    ends = [p for p in events if p.track_event.type == p.track_event.TYPE_SLICE_END]
    assert len(begins) == len(ends) == 30
    lengths = [e.timestamp - b.timestamp for b, e in zip(begins, ends)]
    trace = measured.runs[0]
    assert sorted(lengths) == sorted(trace.dispatches.duration.tolist())
    streams = {tracks[p.track_event.track_uuid].name for p in begins}
    assert streams == {"GPU 0 stream 1 (virtual)", "GPU 0 stream 2 (virtual)"}
    assert measured.path is not None
    dag, nodes = measured.path.path.dag, measured.path.path.nodes
    work = [node for node in nodes.tolist() if dag.kind[node] == NodeKind.DISPATCH]
    on_path = [p for p in begins if p.track_event.flow_ids]
    assert len(on_path) == len(work)
    ids = [flow for p in on_path for flow in p.track_event.flow_ids]
    assert all(ids.count(flow) == 2 for flow in ids)  # from one slice to the next


def _describes(packet: Any) -> bool:
    return bool(packet.HasField("track_descriptor"))


def test_perfetto_counts_running_kernels(measured: Measured, tmp_path: Path) -> None:
    pytest.importorskip("perfetto")
    found = packets(written(Report("1", (measured,)), tmp_path / "r.pftrace"))
    values = [
        p.track_event.double_counter_value
        for p in found
        if p.HasField("track_event") and p.track_event.type == p.track_event.TYPE_COUNTER
    ]
    assert max(values) == 2
    assert values[-1] == 0


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_roofline_is_a_picture(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = gather(Recordings((BMM,)), KnownCeilings())
    one = written(report, tmp_path / f"one.{ending}").read_bytes()
    assert one.startswith(b"\x89PNG" if ending == "png" else b"<?xml")
    assert one == written(report, tmp_path / f"other.{ending}").read_bytes()
    if ending == "svg":
        assert b"matrix BF16" in one
        assert b"batched_matrix_product" in one


@pytest.mark.parametrize("ending", ["svg", "pftrace"])
def test_what_cannot_be_drawn_is_said(ending: str, measured: Measured, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    kept = Report("1", (Measured(measured.profile, measured.explanation),))
    with pytest.raises(NothingRecorded):
        write_report(kept, tmp_path / f"r.{ending}")
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_do_not_leave_their_cells(measured: Measured, tmp_path: Path) -> None:
    path = written(Report("1", (measured,)), tmp_path / "r.csv")
    assert HOSTILE in {row["kernel"] for row in csv.DictReader(path.open())}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("ending", ["html", "svg"])
def test_kernels_without_arithmetic_leave_the_roofs_alone_on_the_roofline(
    tmp_path: Path, ending: str
) -> None:
    (measured,) = gather(Recordings((BMM,)), KnownCeilings()).measured
    document = measured.profile.rooflines
    assert document is not None
    counting = [replace(k, flops=0, flop_rate=0) for k in document.kernels]
    rooflines = replace(document, kernels=counting)
    profile = replace(measured.profile, rooflines=rooflines)
    path = written(Report("1", (Measured(profile, None),)), tmp_path / f"r.{ending}")
    assert "oofline of gfx942" in path.read_text()
