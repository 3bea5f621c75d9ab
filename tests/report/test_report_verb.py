"""``rocm-perf report`` from the command line."""

from __future__ import annotations

import html
import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest

from fakes.fake_rocm import FakeRocm
from fakes.reported_runs import HOSTILE, measured_run
from rocm_perf_lab.analysis.documents.schemas.explain import WallModel, WallsModel
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.measure import examine
from rocm_perf_lab.measure.request import ExplainRequest
from rocm_perf_lab.report.contents import Report
from rocm_perf_lab.strict_json import replace as replaced

pytest.importorskip("bokeh")
pytest.importorskip("jinja2")
from rocm_perf_lab.reporters.html.page import render_page
from rocm_perf_lab.reporters.report_files import write_report


def test_an_application_becomes_a_page(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    kept = str(tmp_path / "kept")
    running = ["--rocm", str(fake_rocm.path), "--runs", "1", "--keep-trace", kept, "--", "true"]
    assert main(["report", "-o", str(out), *running]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"Result: {out} (1.")
    text = out.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "The answer" in text
    assert main(["report", "-o", str(tmp_path / "again.csv"), "--from", kept]) == 0
    assert (tmp_path / "again.csv").read_text().count("\n") > 1


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ((), (None, None)),
        (("--deep-analysis", "--walls"), (True, True)),
        (("--no-deep-analysis", "--no-walls"), (False, False)),
    ],
)
@pytest.mark.parametrize("verb", ["explain", "report"])
def test_a_report_asks_for_a_thread_trace_and_walls_as_explain_does(
    verb: str,
    options: tuple[str, ...],
    wanted: tuple[Optional[bool], Optional[bool]],
    fake_rocm: FakeRocm,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both advise by it: None is to make one where counters leave the cause open."""
    asked: list[tuple[Optional[bool], Optional[bool]]] = []

    def judged(request: ExplainRequest, *others: Any) -> Any:
        asked.append((request.deep_analysis, request.walls))
        return real(request, *others)

    real = examine._judged
    monkeypatch.setattr(examine, "_judged", judged)
    place = ["-o", str(tmp_path / "r.json")] if verb == "report" else []
    command = [verb, "--rocm", str(fake_rocm.path), "--runs", "1", *place, *options]
    assert main([*command, "--", "true"]) == 0
    assert asked == [wanted]


def test_recordings_are_of_the_gpu_that_was_named(tmp_path: Path) -> None:
    recorded = Path(__file__).parents[1] / "fixtures/recordings/rocprofv3-csv/gfx1151-prefill"
    out = tmp_path / "report.json"
    assert main(["report", "--from", str(recorded), "--gpu", "mi308x", "-o", str(out)]) == 0
    (measured,) = json.loads(out.read_text())["measured"]
    assert "MI308X" in measured["profile"]["device"]["product"]


@pytest.mark.parametrize("name", ["report.xyz", "report"])
def test_an_unknown_ending_is_refused_before_anything_runs(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "-o", str(tmp_path / name), "--", "/does/not/exist"]) == 2
    assert "name a file that ends in" in capsys.readouterr().err


@pytest.fixture(scope="module")
def text() -> str:
    return render_page(Report("1", (measured_run(),)))


def test_nothing_is_loaded_from_elsewhere(text: str) -> None:
    assert "default-src 'none'" in text
    without_scripts = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", without_scripts)
    assert "<link" not in without_scripts


def test_no_address_of_another_host_stands_in_the_file(text: str) -> None:
    assert not re.findall(r"https?://[^\s\"']+", text)
    assert "u002f" in text  # Bokeh's own are written with escapes


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_report_is_as_readable_as_the_umask_says(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        for name in ("report.html", "report.md", "report.json"):
            write_report(Report("1", (measured_run(),)), tmp_path / name)
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o666 & ~mask
    finally:
        assert os.umask(before) == mask  # writing a report leaves it as it was


def test_long_names_are_short_in_tables_and_headings() -> None:
    name = "Cijk_Alik_Bljk_" + "MT128x128x64_" * 30
    page = render_page(Report("1", (measured_run(first=name),)))
    assert f'<td class="name" data-order="{name}" title="{name}">' in page
    assert f'<summary title="{name}">' in page
    for shown in re.findall(r'<td class="name"[^>]*>(?:<a[^>]*>)?([^<]*)', page):
        assert len(html.unescape(shown)) <= 42
    for shown in re.findall(r"<summary title[^>]*>([^<]*)", page):
        assert len(html.unescape(shown)) <= 64


def test_the_ladder_of_walls_is_drawn_to_scale() -> None:
    walls = WallsModel(
        basis="model of the virtual device",
        kernel="gemm",
        now_us=100,
        walls=[
            WallModel(free=["lds"], us=40, without="without LDS conflicts", meaning=""),
            WallModel(
                free=["hbm"], us=25, without="with unlimited HBM", meaning="", advice="Less."
            ),
        ],
    )
    measured = measured_run()
    assert measured.explanation is not None
    text = render_page(
        Report("1", (replace(measured, explanation=replaced(measured.explanation, walls=walls)),))
    )
    rungs = re.findall(r'<li class="step">.*?</li>', text, re.DOTALL)
    widths = [[float(one) for one in re.findall(r"width: ([\d.]+)%", rung)] for rung in rungs]
    assert widths == [[100, 0], [40, 60], [25, 15]]
    assert "2.50x" in rungs[1]
    assert "No change of the source takes that away." in rungs[1]
    assert "Less." in rungs[2]
    assert "VROCM_IDEAL=lds,hbm" in text
    assert "<h3>Walls</h3>" not in render_page(Report("1", (measured,)))


def test_virtual_is_said_once_per_section(text: str) -> None:
    body = text[text.index("<main") : text.index("</main>")]
    for section in re.findall(r"<section.*?</section>", body, re.DOTALL):
        assert section.count('<span class="virtual">') == 1


def test_a_hostile_name_is_escaped_wherever_it_stands(text: str) -> None:
    assert HOSTILE not in text
    assert "<img src=x" not in text
    assert "&lt;img src=x" in text  # in the page
    assert "\\u003cimg src=x" in text  # in the data of a chart


def test_a_run_on_hardware_does_not_say_virtual() -> None:
    text = render_page(Report("1", (measured_run(product="AMD Instinct MI300X"),)))
    body = text[text.index("<body>") : text.index("<script>")]
    assert "virtual" not in body


def test_the_page_of_ten_thousand_dispatches_is_small() -> None:
    assert len(render_page(Report("1", (measured_run(10_000),)))) < 3_000_000
