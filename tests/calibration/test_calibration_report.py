"""The calibration's own arithmetic and its report, without a device."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from benchmarks.calibrate import report
from benchmarks.calibrate.limits import LIMITS, NEEDS_A_REASON, Group, Kind, limit_text
from benchmarks.calibrate.plot import Curve, svg
from benchmarks.calibrate.program import Launch, marginal_counters, marginal_rate
from benchmarks.calibrate.quantity import Published, Quantity, Section, score
from benchmarks.calibrate.ranking import GEMM_PAIR, PAIRS, Ranked

from rocm_perf_lab.arch.fidelity import RecordedTable, load_fidelity

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def quantity(
    low: float,
    high: float,
    modelled: float,
    kind: Kind = Kind.LATENCY,
    group: Group = Group.REPRODUCED,
    name: str = "latency",
    counts_as: str = "",
) -> Quantity:
    published = Published(low, high, "somebody")
    return Quantity(name, "cycles", published, modelled, group, kind, counts_as=counts_as)


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
    assert quantity(100, 100, 109).holds
    assert not quantity(100, 100, 112).holds
    assert not quantity(4, 4, 5, Kind.COUNT, Group.BY_CONSTRUCTION).holds
    assert quantity(100, 100, 112).cells() == [
        "latency (cycles)", "100", "112", "+12.0 %", "reproduced input", "latency", "10 %", "MISS",
    ]  # fmt: skip


def test_a_figure_has_the_limit_of_its_class_and_none_of_its_own() -> None:
    assert {field.name for field in dataclasses.fields(Quantity)} == {
        "name", "unit", "published", "modelled", "group", "kind", "note", "reason", "counts_as",
    }  # fmt: skip
    for (group, kind), limit in LIMITS.items():
        assert quantity(1, 1, 1, kind, group).limit == limit
    with pytest.raises(ValueError, match="no limit for a request count, reproduced input"):
        quantity(1, 1, 1, Kind.REQUESTS, Group.REPRODUCED)


def test_published_timings_have_one_limit() -> None:
    assert {limit for (_, kind), limit in LIMITS.items() if kind is Kind.TIMING} == {0.25}


def test_figures_that_are_equal_by_construction_count_once_and_miss_together() -> None:
    good = quantity(100, 100, 101, name="busy", counts_as="one time")
    bad = quantity(60, 60, 101, name="gate", counts_as="one time")
    other = quantity(100, 100, 101, name="other")
    assert str(score([good, good, other])) == "2 of 2"
    assert str(score([good, bad, other])) == str(score([bad, good, other])) == "1 of 2"


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
    figures = [
        quantity(100, 100, modelled),
        quantity(7, 7, 7, Kind.COUNT, Group.BY_CONSTRUCTION, "waves"),
    ]
    return report.Calibration(
        sections=[Section("Latency", "One wave.", figures)],
        ranking=[Ranked(pair, 10.0, winner_us)] * 19,
        steps={4: 116.0, 1024: 210.0},
        rates={"region_16": 36.0, "region_1024": 26.0, "lds": 73.0},
    )


def test_the_page_has_every_figure_pair_and_constant() -> None:
    page = report.figures(calibration(105, 2.0))
    assert "| latency (cycles) | 100 | 105 | +5.0 % | reproduced input | latency | 10 % | ok |" in (
        page
    )
    assert "10.0 -> 2.0 us (5.00x) | ok" in page
    assert (
        "Within their limits: 1 of 1 reproduced inputs, 1 of 1 figures by construction, "
        "19 of 19 pairs ranked right"
    ) in report.markdown(calibration(105, 2.0))
    assert "| vector_hit_latency |" in page
    assert report.LATENCY_PLOT in page


def test_a_miss_is_counted_and_listed_with_its_reason() -> None:
    page = report.figures(calibration(150.5, 2.0))
    summary = report.markdown(calibration(150.5, 2.0))
    assert "Within their limits: 0 of 1 reproduced inputs" in summary
    assert f"| Latency | latency (cycles) | +50 % | reproduced input | {report.NO_REASON} |" in page
    assert "| +12 % | reproduced input |  |" in report.figures(calibration(112, 2.0))


def test_an_inexact_count_or_too_few_right_pairs_are_a_failure() -> None:
    wrong = quantity(7, 7, 8, Kind.COUNT, Group.BY_CONSTRUCTION)
    assert not calibration(150, 2.0).broken
    assert report.Calibration([Section("Counts", "", [wrong])]).broken
    assert calibration(105, 20.0).broken
    assert "MISS" in report.figures(calibration(105, 20.0))


def test_the_page_for_users_is_short_and_begins_with_how_far_to_trust_it() -> None:
    page = report.PAGE.read_text("utf-8")
    assert len(page.splitlines()) < 250
    first = page.index("## Is what is faster here also faster")
    assert first < page.index("Within their limits") < page.index("## What the model leaves out")
    assert "| published | modelled |" not in page
    assert report.markdown(calibration(105, 2.0)).split("\n## ")[-1] in page  # same text


def test_a_recorded_table_tells_of_choices_only_where_rows_compete() -> None:
    known = load_fidelity()
    competing = RecordedTable("tiles", 36, 100, 27, 0.8, 1.08, 1.27)
    alone = RecordedTable("alone", 9, 10, 8, None, None, None)
    page = report.choices(dataclasses.replace(known, tables={"a": competing, "b": alone}), [])
    assert (
        "| tiles | 27 of 36 times within 25 %; rank correlation 0.80 or more; what is fastest here "
        "takes 1.08 times the chip's fastest in the median, 1.27 at worst (36 of 100 "
        "configurations run) |"
    ) in page
    assert "| alone | 8 of 9 times within 25 % (9 of 10 configurations run) |" in page


def test_there_are_enough_pairs_and_each_has_a_source() -> None:
    pairs = [pair for group in PAIRS.values() for pair in group] + [GEMM_PAIR]
    assert len(pairs) >= 12
    assert len({(pair.name, pair.winner, pair.loser) for pair in pairs}) == len(pairs)
    assert all(pair.source for pair in pairs)


def test_the_published_page_has_the_constants_of_the_model() -> None:
    page = report.FIGURES.read_text("utf-8")
    constants = report.figures(calibration(105, 2.0)).split("## Constants")[1]
    assert constants.split("## ")[0] in page, "run python -m benchmarks.calibration --write"


def published_rows() -> list[dict[str, str]]:
    """The rows of all tables of figures on the committed page."""
    rows = []
    inside = False
    for line in report.FIGURES.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells == list(report.HEADINGS):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and set(line) - set("|- "):
            rows.append(dict(zip(report.HEADINGS, cells)))
    return rows


def test_each_row_of_the_page_has_the_limit_of_its_class_and_the_verdict_that_follows() -> None:
    allowed = {(g.value, k.value): (limit, limit_text(limit)) for (g, k), limit in LIMITS.items()}
    rows = published_rows()
    assert len(rows) > 200
    for row in rows:
        limit, text = allowed[row["group"], row["class"]]
        assert row["allowed"] == text, row
        error = abs(float(row["error"].rstrip(" %"))) / 100
        if abs(error - limit) > 0.001:  # the page rounds
            assert row["verdict"] == ("ok" if error < limit else "MISS"), row


def test_all_published_timings_are_on_the_page_and_in_its_headline() -> None:
    table = report.FIGURES.read_text("utf-8").split("## Published timings")[1].split("\n## ")[0]
    held, missed = (table.count(f"| {verdict} |") for verdict in ("ok", "MISS"))
    assert held + missed == 47
    assert f"{held} of 47 published timings" in report.PAGE.read_text("utf-8")


def test_what_is_off_by_more_than_half_has_a_reason_on_the_page() -> None:
    misses = report.FIGURES.read_text("utf-8").split("## What misses")[1].split("\n## ")[0]
    far = [
        row["quantity"] for row in published_rows()
        if row["verdict"] == "MISS"
        and abs(float(row["error"].rstrip(" %"))) / 100 > NEEDS_A_REASON + 0.001
    ]  # fmt: skip
    lines = {line.split(" | ")[1]: line for line in misses.splitlines() if " | " in line}
    assert far
    unexplained = [
        name for name in far if lines[name].rstrip(" |").endswith(("predicted", "input"))
    ]
    assert not unexplained
    assert report.NO_REASON not in misses
