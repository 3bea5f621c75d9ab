"""What a report is made of, before anything is drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fakes.reported_runs import NAMES, measured_run
from rocm_perf_lab.analysis.path.run_path import RunPath
from rocm_perf_lab.measure.request import KnownCeilings, Recordings
from rocm_perf_lab.report.gather import gather
from rocm_perf_lab.report.kinds import Kind, kind_of
from rocm_perf_lab.report.roofline import RooflinePicture, roofline_picture
from rocm_perf_lab.report.timeline import WAITS, Bars, Timeline, first_shown, timeline_of
from rocm_perf_lab.reporters.json_document import to_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "recordings"


def path_of(dispatches: int) -> RunPath:
    path = measured_run(dispatches).path
    assert path is not None
    return path


def busy(timeline: Timeline) -> int:
    return sum(int(bars.busy.sum()) for bars in timeline.bars)


def test_a_timeline_has_every_launch_on_the_lane_of_its_stream() -> None:
    timeline = timeline_of(path_of(30))
    assert timeline.lanes == ("stream 1", "stream 2")
    assert {bars.label for bars in timeline.bars} == set(NAMES)
    assert sum(len(bars.lane) for bars in timeline.bars) == 30
    assert timeline.slice_ns is None
    lengths = np.concatenate([bars.end - bars.begin for bars in timeline.bars])
    assert int(lengths.sum()) == busy(timeline)


def test_slices_lose_no_launch_and_no_time() -> None:
    path = path_of(3000)
    whole, sliced = timeline_of(path), timeline_of(path, most_bars=100)
    assert sliced.slice_ns is not None
    assert sum(len(bars.lane) for bars in sliced.bars) < 3000
    assert sum(int(bars.count.sum()) for bars in sliced.bars) == 3000
    assert busy(sliced) == busy(whole)
    long = np.concatenate([(bars.end - bars.begin)[bars.count == 1] for bars in sliced.bars])
    assert (long > sliced.slice_ns).sum() == 4  # the long ones stay bars of their own


def test_a_long_wait_is_not_what_a_reader_sees_first() -> None:
    """One early copy, a wait of 900 us, then all of the work."""
    ones = np.ones(10, dtype=np.int64)
    begin = np.append(900_000 + 10_000 * np.arange(9), 0)
    end = begin + np.append(np.full(9, 9_000), 10)
    work = Bars("k", 0 * ones, begin, end, end - begin, 0 * ones, ones > 0, ones)
    waits = replace(work, label=WAITS, begin=0 * ones, end=800_000 * ones, busy=800_000 * ones)
    assert first_shown([work, waits], 989_000) == (900_000, 989_000)
    near = replace(work, begin=begin - 800_000 * (begin > 0), end=end - 800_000 * (begin > 0))
    assert first_shown([near, waits], 189_000) == (100_000, 189_000)
    even = replace(work, begin=20_000 * np.arange(10), end=20_000 * np.arange(10) + 9_000)
    assert first_shown([even], 189_000) == (0, 189_000)
    assert first_shown([waits], 189_000) == (0, 189_000)


def test_the_path_goes_from_begin_to_end() -> None:
    timeline = timeline_of(path_of(30))
    assert timeline.path.begin[0] == 0
    assert timeline.path.end[-1] == timeline.span_ns
    assert (np.diff(timeline.path.begin) >= 0).all()


def test_a_roofline_has_a_point_per_kernel_and_level() -> None:
    source = Recordings((FIXTURES / "mi300x-batched-gemm-counters" / "bmm1",))
    report = gather(source, KnownCeilings())
    picture = roofline_picture(report.measured[0].profile)
    assert picture is not None
    assert {point.level for point in picture.points} == {"fabric", "l2", "l1", "lds"}
    for point in picture.points:
        assert picture.x_range[0] < point.intensity < picture.x_range[1]
        assert picture.y_range[0] < point.flop_rate < picture.y_range[1]
    assert any(roof.is_memory for roof in picture.roofs)
    assert any(not roof.is_memory for roof in picture.roofs)
    texts = " ".join(roof.text for roof in picture.roofs)
    assert "HBM " in texts
    assert "hbm" not in texts
    assert "vector." not in texts


def test_the_label_of_a_roof_keeps_off_the_marks() -> None:
    pytest.importorskip("bokeh")
    from rocm_perf_lab.reporters.html.charts.roofline import roofline_chart

    source = Recordings((FIXTURES / "mi300x-batched-gemm-counters" / "bmm1",))
    picture = roofline_picture(gather(source, KnownCeilings()).measured[0].profile)
    assert picture is not None
    first = next(at for at, one in enumerate(picture.roofs) if one.is_memory)
    (x, y), _ = picture.roofs[first].line  # a mark where the label would begin
    marked = replace(
        picture, points=(replace(picture.points[0], intensity=x * 1.5, flop_rate=y * 1.5),)
    )

    def place(of: RooflinePicture) -> float:
        drawn = roofline_chart(of, False).renderers
        texts = [one for one in drawn if type(one.glyph).__name__ == "Text"]
        return float(texts[first].data_source.data["x"][0])

    assert place(replace(picture, points=())) == pytest.approx(x)
    assert place(marked) > 1.9 * x


def test_a_kept_profile_is_known_by_what_it_holds(tmp_path: Path) -> None:
    profile = measured_run().profile
    file = tmp_path / "anything.json"
    file.write_text(to_json(profile))
    assert kind_of(file) is Kind.PROFILE
    (measured,) = gather(Recordings((file,)), KnownCeilings()).measured
    assert to_json(measured.profile) == file.read_text()
    assert measured.explanation is not None
    assert measured.is_virtual
    assert measured.path is None


def test_a_recording_is_none_of_our_own_outputs(tmp_path: Path) -> None:
    assert kind_of(FIXTURES / "mi300x-batched-gemm-counters" / "bmm1") is Kind.RECORDING
    (tmp_path / "other.json").write_text('{"traceEvents": []}')
    assert kind_of(tmp_path / "other.json") is Kind.RECORDING


@pytest.mark.parametrize("text", ["", "{", "[1]", "{}\n{}"])
def test_damaged_json_is_left_to_the_readers_of_recordings(tmp_path: Path, text: str) -> None:
    (tmp_path / "damaged.json").write_text(text)
    assert kind_of(tmp_path / "damaged.json") is Kind.RECORDING
