"""Evidence, journals and captures in a report."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.reported_runs import measured_run
from prove.evidence.bundles import write_bundle
from rocm_perf_lab.measure.request import KnownCeilings, Recordings
from rocm_perf_lab.prove.evidence import Bundle, SearchLog
from rocm_perf_lab.report.contents import Report
from rocm_perf_lab.report.gather import gather
from rocm_perf_lab.report.kinds import Kind, kind_of
from rocm_perf_lab.reporters.html.sections.history import search_view
from rocm_perf_lab.reporters.html.sections.tuning import tuning_view
from rocm_perf_lab.strict_json import replace as replaced
from rocm_perf_lab.tune.journal import Journal, header_of
from rocm_perf_lab.tune.measurement import Measurement
from rocm_perf_lab.tune.space.space_file import read_space

HOSTILE = "<script>document.title='broken'</script>"


def gathered(*paths: Path) -> Report:
    return gather(Recordings(paths), KnownCeilings())


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One judged change, one refused before it had a bundle, one that nobody ended."""
    folder = tmp_path_factory.mktemp("evidence")
    write_bundle(folder / "candidate-0001", gain=0.2, candidates=1, closed=False)
    log = SearchLog(folder)
    log.append("refused", kernel="k", proposal=HOSTILE, verdict="reject", reason="no build")
    log.append("tried", bundle="candidate-0002", kernel="k", proposal="unroll")
    Bundle(folder / "candidate-0002").add_sources({"k.hip": "a\n"}, {"k.hip": "<b>\n"})
    return folder


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuning")
    (folder / "space.json").write_text('{"BM": [32, 64], "BN": [1, 2]}')
    space = read_space(folder / "space.json")
    book = Journal.open(folder / "journal.jsonl", header_of(space, "runtime", {}), resume=False)
    machine = "AMD Instinct MI300X (virtual)"
    book.add(Measurement({"BM": 32, "BN": 1}, "ok", 2.5, (2.5,), machine=machine))
    book.add(Measurement({"BM": 64, "BN": 1}, "ok", 1.25, (1.25,), machine=machine))
    book.add(Measurement({"BM": 64, "BN": 2}, "failed", reason="exit code 1", machine=machine))
    return folder / "journal.jsonl"


def test_every_attempt_of_a_search_is_there(search: Path) -> None:
    assert kind_of(search) is Kind.SEARCH
    (found,) = gathered(search).searches
    assert [change.verdict for change in found.changes] == ["accept", "reject", "unfinished"]
    judged, refused, left = found.changes
    assert judged.decision is not None
    assert judged.decision.accepted
    assert "+line 2" in judged.diff
    assert judged.intact
    assert refused.reason == "no build"
    assert "+<b>" in left.diff
    assert found.problems == ()


def test_a_bundle_alone_is_a_history_of_one(search: Path) -> None:
    assert kind_of(search / "candidate-0001") is Kind.BUNDLE
    (found,) = gathered(search / "candidate-0001").searches
    assert [change.verdict for change in found.changes] == ["accept"]


def test_what_was_changed_afterwards_is_told(search: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "evidence"
    shutil.copytree(search, copy)
    (copy / "candidate-0001" / "change.diff").write_text("+faked\n")
    (found,) = gathered(copy).searches
    assert not found.changes[0].intact
    assert any("change.diff" in problem for problem in found.changes[0].problems)


def test_a_journal_is_read_in_its_order(journal: Path) -> None:
    assert kind_of(journal) is Kind.JOURNAL
    (tuning,) = gathered(journal).tunings
    assert [one.value for one in tuning.measurements] == [2.5, 1.25, None]
    assert tuning.best is not None
    assert tuning.best.configuration == {"BM": 64, "BN": 1}
    assert tuning.is_virtual
    assert tuning.default is not None
    assert tuning.default.configuration == {"BM": 32, "BN": 1}
    assert (tuning.unit, tuning.speedup) == ("ms", 2.0)


def test_the_page_shows_them_and_escapes_them(search: Path, journal: Path) -> None:
    pytest.importorskip("bokeh")
    pytest.importorskip("jinja2")
    from rocm_perf_lab.reporters.html.page import render_page

    text = render_page(gathered(search, journal))
    assert HOSTILE not in text
    assert "&lt;script&gt;" in text
    assert "+&lt;b&gt;" in text
    assert "3 attempts, 1 accepted." in text
    assert "1 did not work" in text
    assert "The best runtime is 1.25 ms, 2x faster than the default configuration (2.5 ms)" in text
    assert "64 (default 32)" in text
    accepted = text[text.index('id="history-1"') :]
    accepted = accepted[accepted.index("<details") :]
    assert re.match(r'<details class="kernel" open><summary>at least 1\.\d+x: ', accepted)
    assert accepted.count('<details class="kernel">') == 2  # not accepted: closed
    assert 'id="history-chart-1"' not in text  # of one judged change
    assert 'id="tuning-chart-1"' in text
    assert "Best with each BM" in text
    assert "Tuning <span" in text  # the virtual device is named at the figure


def test_a_claim_is_never_rounded_up(search: Path) -> None:
    (found,) = gathered(search).searches
    decision = found.changes[0].decision
    assert decision is not None
    judged = replaced(decision, kernel=replaced(decision.kernel, claim=24.8049))
    change = replace(found.changes[0], decision=judged)
    view = search_view(replace(found, changes=(change,)), "history-1", None)
    assert view.changes[0].claim == "at least 24.804x"


def test_a_parameter_of_one_value_and_no_failure_are_not_told(tmp_path: Path) -> None:
    (tmp_path / "space.json").write_text('{"BM": [32, 64], "BN": [1]}')
    space = read_space(tmp_path / "space.json")
    book = Journal.open(tmp_path / "j.jsonl", header_of(space, "runtime", {}), resume=False)
    book.add(Measurement({"BM": 32, "BN": 1}, "ok", 2.5, (2.5,)))
    (tuning,) = gathered(tmp_path / "j.jsonl").tunings
    view = tuning_view(tuning, "tuning-1", None)
    assert [one.name for one in view.parameters] == ["BM"]
    assert view.text.startswith("1 configuration was measured. The best")


def test_a_chart_of_one_point_is_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("bokeh")
    pytest.importorskip("jinja2")
    from rocm_perf_lab.reporters.html.page import render_page

    (tmp_path / "space.json").write_text('{"BM": [32, 64]}')
    space = read_space(tmp_path / "space.json")
    book = Journal.open(tmp_path / "j.jsonl", header_of(space, "stdout:(.*)", {}), resume=False)
    book.add(Measurement({"BM": 32}, "ok", 2.5, (2.5,)))
    text = render_page(gathered(tmp_path / "j.jsonl"))
    assert "The best stdout:(.*) is 2.5, that of the default configuration" in text
    assert "tuning-chart" not in text
    text = render_page(Report("1", (measured_run(1),)))
    assert "Each kernel was launched once" in text
    assert 'id="launches-chart"' not in text


def test_the_summary_for_a_pull_request_has_them(search: Path, journal: Path) -> None:
    from rocm_perf_lab.reporters.exports.markdown import report_markdown

    text = report_markdown(gathered(search, journal))
    assert "| accept |" in text
    assert "`BM=64, BN=1`" in text
    assert "<script>" not in text
    assert "(virtual device)" in text
