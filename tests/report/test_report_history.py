"""A history in a report: trends, change points with their evidence, machines apart."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from fakes.fake_rocm import FakeRocm
from fakes.history_samples import profile_of
from rocm_perf_lab.cli.main import build_parser, main
from rocm_perf_lab.history.entry import Origin
from rocm_perf_lab.history.store import opened as opened_history
from rocm_perf_lab.measure.request import KnownCeilings, Recordings
from rocm_perf_lab.report import histories
from rocm_perf_lab.report.contents import Report
from rocm_perf_lab.report.gather import gather
from rocm_perf_lab.report.kinds import Kind, kind_of
from rocm_perf_lab.reporters.report_files import write_report

HOSTILE = "<script>document.title='broken'</script>"
CHANGED = 10  # entries before gemm becomes slower


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty entries of the virtual device, the second half slower; three of a real machine."""
    path = tmp_path_factory.mktemp("kept") / "anything"
    source = random.Random(3)
    with opened_history(path, writable=True) as store:
        for number in range(2 * CHANGED):
            slower = 1.08 if number >= CHANGED else 1.0
            kernels = {"gemm": 20000 * slower * source.gauss(1, 0.004), HOSTILE: 900.0}
            whole = [sum(kernels.values()) / 1e6]
            store.add(profile_of(whole, kernels), Origin(f"{number:010x}"))
        for number in range(3):
            profile = profile_of([1.0 + number], {"gemm": 50000.0}, kind="hardware")
            store.add(profile, Origin(f"{number:010x}", machine="lab 7"))
    return path


@pytest.fixture(scope="module")
def report(history: Path) -> Report:
    return gather(Recordings((history,)), KnownCeilings())


def test_a_history_is_known_by_its_mark_and_other_databases_are_not(
    history: Path, tmp_path: Path
) -> None:
    assert kind_of(history) is Kind.HISTORY
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE a (b)")
    assert kind_of(other) is Kind.RECORDING


def test_machines_are_lines_of_their_own(report: Report) -> None:
    (found,) = report.histories
    assert found.entries == 2 * CHANGED + 3
    assert [line.is_virtual for line in found.lines] == [True, False]
    assert [len(line.series[0].entries) for line in found.lines] == [2 * CHANGED, 3]
    assert report.is_virtual


def test_json_has_the_change_with_its_evidence(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path / "r.json")
    (found,) = json.loads((tmp_path / "r.json").read_text())["histories"]
    gemm = next(s for s in found["lines"][0]["series"] if s["kernel"] == "gemm")
    (change,) = gemm["changes"]
    assert change["commit"] == f"{CHANGED:010x}"
    assert change["judgement"]["verdict"] == "regression"
    judged = change["judgement"]
    assert 0.05 < judged["low"] < judged["change"] < judged["high"] < 0.11
    assert found["lines"][1]["series"][0]["changes"] == []


def test_a_history_stands_beside_an_application_that_is_run(
    history: Path, fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    command = ["report", "--rocm", str(fake_rocm.path), "-o", str(out), "--runs", "1"]
    assert main([*command, "--history", str(history), "--", "true"]) == 0
    document = json.loads(out.read_text())
    assert len(document["measured"]) == len(document["histories"]) == 1
    ran = len(fake_rocm.calls())
    assert main([*command, "--history", str(tmp_path / "none"), "--", "true"]) == 2
    assert "there is no history at" in capsys.readouterr().err
    assert len(fake_rocm.calls()) == ran  # nothing was started for it


def test_markdown_names_what_changed(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text()
    assert re.search(r"- `gemm`: regression from entry 11, commit 0{9}a: \+[78]\.\d%", text)
    assert "of lab 7: no changes" in text
    assert "<script>" not in "".join(text.split("`")[::2])


def test_the_page_draws_lines_marks_changes_and_tells_their_evidence(
    report: Report, tmp_path: Path, opened: Any
) -> None:
    pytest.importorskip("bokeh")
    write_report(report, tmp_path / "r.html")
    page = opened(tmp_path / "r.html")
    severe = [line for line in page.get_log("browser") if line["level"] == "SEVERE"]
    assert severe == []
    assert page.title != "broken"
    assert page.execute_script("return charts.length") == 2
    rows = page.find_elements("css selector", "#trend-1 .wide .stacked tbody tr")
    texts = [row.text for row in rows]
    assert [text.split()[0] for text in texts] == ["whole", "gemm"]
    assert all("regression" in text and "p = " in text for text in texts)
    assert "commit 000000000a" in texts[1]
    marked = """
      return charts.map((view) => view.model.renderers.filter((one) => one.name === 'change')
        .map((one) => one.data_source.data.entry.length))"""
    assert page.execute_script(marked) == [[1, 1], []]
    ticks = page.execute_script(
        "return charts.map((one) => one.model.below[0].ticker.min_interval)"
    )
    assert ticks == [1, 1]
    headings = [h.text for h in page.find_elements("css selector", "#trend-1 h3")]
    assert [("virtual" in heading) for heading in headings] == [True, False]


def test_a_report_and_history_trend_hold_the_same_changes_for_small() -> None:
    trend = build_parser().parse_args(["history", "trend"])
    assert trend.threshold / 100 == histories.THRESHOLD
