"""The calibration's own arithmetic and its report, without a device."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from benchmarks.calibrate import report
from benchmarks.calibrate.plot import Curve, svg
from benchmarks.calibrate.program import Launch, marginal_counters, marginal_rate
from benchmarks.calibrate.quantity import EXACT, Published, Quantity, Section, figure
from benchmarks.calibrate.ranking import GEMM_PAIR, PAIRS, Ranked

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def quantity(low: float, high: float, modelled: float, allowed: float = 0.1) -> Quantity:
    return Quantity("latency", "cycles", Published(low, high, "somebody"), modelled, allowed)


@pytest.mark.parametrize(
    ("low", "high", "modelled", "error"),
    [(100, 100, 110, 0.1), (100, 120, 110, 0.0), (100, 120, 132, 0.1), (100, 120, 90, -0.1),
     (0, 0, 0, 0.0)],
)  # fmt: skip
def test_the_error_is_to_the_nearer_end_of_what_was_published(
    low: float, high: float, modelled: float, error: float
) -> None:
    assert quantity(low, high, modelled).error == pytest.approx(error)


def test_something_where_nothing_was_published_is_a_miss() -> None:
    assert not quantity(0, 0, 1).holds


def test_verdicts() -> None:
    assert quantity(100, 100, 109).verdict == "ok"
    assert quantity(100, 100, 112).verdict == "MISS"
    assert Quantity("x", "", figure(1, "s"), 2, None).verdict == "not judged"
    assert not Quantity("x", "", figure(4, "s"), 5, EXACT).holds
    assert quantity(100, 100, 112).cells() == [
        "latency (cycles)", "100", "112", "+12.0 %", "10 %", "MISS",
    ]  # fmt: skip


def test_a_marginal_rate_is_free_of_what_every_launch_costs() -> None:
    cold = Launch("a", 100, 99999, {"SQ_INSTS": 1})
    less = Launch("a", 100, 5000 + 100 / 4, {"SQ_INSTS": 10})
    more = Launch("a", 200, 5000 + 200 / 4, {"SQ_INSTS": 15})
    assert marginal_rate([cold, less, more]) == pytest.approx(4)
    assert marginal_counters([cold, less, more]) == {"SQ_INSTS": 5}


def test_the_plot_is_an_image_with_every_point_and_every_published_value() -> None:
    curve = Curve(
        "A < B", "cycles", {4: 100.0, 16: 200.0, 64: 400.0}, {16: Published(190, 210, "s")},
        (0, 200, 400),
    )  # fmt: skip
    image = ElementTree.fromstring(svg(curve))
    assert len(image.findall(f"{SVG}circle")) == 3 + 1  # and one in the legend
    bars = image.findall(f"{SVG}rect")
    assert len(bars) == 1 + 1 + 1  # background, legend, published
    (line,) = image.findall(f"{SVG}polyline")
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert heights == sorted(heights, reverse=True)  # larger is further up


def calibration(modelled: float, winner_us: float) -> report.Calibration:
    pair = PAIRS["pair_yax"][0]
    return report.Calibration(
        sections=[Section("Latency", "One wave.", [quantity(100, 100, modelled)])],
        ranking=[Ranked(pair, 10.0, winner_us)] * 12,
        steps={4: 116.0, 1024: 210.0},
        rates={"region_16": 36.0, "region_1024": 26.0, "lds": 73.0},
    )


def test_the_page_has_every_figure_pair_and_constant() -> None:
    page = report.markdown(calibration(105, 2.0))
    assert "| latency (cycles) | 100 | 105 | +5.0 % | 10 % | ok |" in page
    assert "10.0 -> 2.0 us (5.00x) | ok" in page
    assert "1 of 1 figures within their limits, 12 of 12 pairs ranked right" in page
    assert "| vector_hit_latency |" in page
    assert report.LATENCY_PLOT in page


def test_a_missed_figure_or_too_few_right_pairs_fail() -> None:
    assert calibration(105, 2.0).missed == 0
    assert calibration(150, 2.0).missed == 1
    assert calibration(105, 20.0).missed == 1
    assert "MISS" in report.markdown(calibration(105, 20.0))


def test_there_are_enough_pairs_and_each_has_a_source() -> None:
    pairs = [pair for group in PAIRS.values() for pair in group] + [GEMM_PAIR]
    assert len(pairs) >= 12
    assert len({(pair.name, pair.winner, pair.loser) for pair in pairs}) == len(pairs)
    assert all(pair.source for pair in pairs)


def test_the_published_page_has_the_constants_of_the_model() -> None:
    page = (ROOT / "docs" / "virtual-device.md").read_text("utf-8")
    constants = report.markdown(calibration(105, 2.0)).split("## Constants")[1]
    assert constants.split("## ")[0] in page, "run python -m benchmarks.calibration --write"
