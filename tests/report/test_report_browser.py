"""The page in a real Chromium: it draws without errors, and what can be touched works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from fakes.reported_runs import HOSTILE, measured_run
from rocm_perf_lab.analysis.kernels.occupancy import occupancy
from rocm_perf_lab.arch.target import load_target
from rocm_perf_lab.report.contents import Report

pytest.importorskip("bokeh")
pytest.importorskip("jinja2")
from rocm_perf_lab.reporters.html.page import render_page

LIGHT_INK = "rgb(29, 35, 41)"
TOOLTIPS = """
const found = [];
const walk = (root) => { for (const element of root.querySelectorAll('*')) {
  if (element.shadowRoot) {
    if (/Tooltip/.test(element.className)) found.push(element.shadowRoot.textContent);
    walk(element.shadowRoot); } } };
walk(document); return found.join(' ');
"""
PLACE = """
const view = charts.find((one) => one.el.parentElement.id === 'timeline-chart');
view.el.scrollIntoView({block: 'center'});
const box = view.el.getBoundingClientRect();
return [Math.round(box.left + view.frame.x_scale.compute(arguments[0])),
        Math.round(box.top + view.frame.y_scale.compute(arguments[1]))];
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, opened: Any) -> Any:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_page(Report("1", (measured_run(),))), "utf-8")
    return opened(path)


def texts(page: Any, css: str) -> list[str]:
    return [element.text for element in page.find_elements("css selector", css)]


def test_it_draws_without_errors(page: Any) -> None:
    problems = [line for line in page.get_log("browser") if line["level"] not in ("INFO", "DEBUG")]
    assert problems == []
    assert page.execute_script("return charts.length") == 3  # timeline, runs, launches
    for chart in page.find_elements("css selector", ".chart"):
        assert chart.size["width"] > 300
        assert chart.size["height"] > 100


def test_names_are_text_and_never_markup(page: Any) -> None:
    assert "broken" not in page.title
    names = page.find_elements("css selector", "#table .name")
    assert HOSTILE in [name.get_attribute("title") for name in names]
    assert "<><>document.title='broken'<>" in [name.text for name in names]  # shortened
    assert page.find_elements("css selector", "img") == []


def test_every_figure_of_the_virtual_device_says_so(page: Any) -> None:
    assert all("virtual" in text for text in texts(page, "section > h2"))
    titles = page.execute_script("return charts.map((view) => view.model.title.text)")
    assert len(titles) == 3
    assert all("virtual device" in title for title in titles)


def test_the_table_filters_and_sorts(page: Any) -> None:
    field = page.find_element("css selector", "input.filter")
    field.send_keys("GEMM")
    assert [t for t in texts(page, "#table .name") if t] == ["gemm_tile(float*)"]
    assert texts(page, "#table-count") == ["1 of 3 kernels"]
    field.clear()
    field.send_keys(" ")
    assert len([t for t in texts(page, "#table .name") if t]) == 3
    header = page.find_elements("css selector", "#table th button")[3]
    for _ in range(2):
        header.click()
        values = [int(t) for t in texts(page, "#table td:nth-child(4)")]
        order = header.find_element("xpath", "..").get_attribute("aria-sort")
        assert values == sorted(values, reverse=order == "descending")
    assert order == "ascending"


def test_hovering_shows_kernel_time_and_slack(page: Any) -> None:
    action = pytest.importorskip("selenium.webdriver").ActionChains(page)
    x, y = page.execute_script(PLACE, 5.0, 0)
    for step in (3, 0):  # a move has a start
        action.w3c_actions.pointer_action.move_to_location(x - step, y)
    action.perform()
    wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait
    text = wait(page, 10, 0.05).until(lambda b: b.execute_script(TOOLTIPS))
    assert "gemm_tile" in text
    assert re.search(r"took:?\s*20\.40 us", text)
    assert "slack" in text
    assert "critical path" in text


def what_if(page: Any, box: Any, **steps: int) -> str:
    for name, value in steps.items():
        field = box.find_element("css selector", f"input[data-of={name}]")
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
        page.execute_script(script, field, value)
    return str(box.find_element("css selector", ".what-if").get_attribute("textContent"))


@pytest.mark.parametrize(
    ("vgpr", "lds", "size"),
    [(4, 0, 3), (63, 0, 15), (12, 20, 3), (30, 64, 0), (8, 4, 6), (0, 0, 0)],
)
def test_sliders_say_what_the_occupancy_model_says(
    page: Any, vgpr: int, lds: int, size: int
) -> None:
    box = page.find_element("css selector", ".occupancy[data-start]")
    text = what_if(page, box, vgpr=vgpr, lds=lds, size=size)
    expected = occupancy(
        load_target("gfx942"),
        arch_vgpr=8 * (vgpr + 1),
        lds_bytes=1024 * lds,
        workgroup_size=64 * (size + 1),
        sgpr=32,
    )
    if expected.workgroups_per_cu == 0:
        assert text == "It cannot be launched: VGPR"
        return
    assert text.startswith(f"{100 * expected.theoretical:.1f}% of the wave slots")
    assert f" {expected.waves_per_simd:g} waves per SIMD" in text
    names = {
        "vgpr": "VGPR",
        "lds": "LDS",
        "slots": "wave slots",
        "workgroup_size": "workgroup size",
    }
    assert names.get(expected.limiter, expected.limiter) in text


def test_the_keyboard_moves_a_slider_and_a_button_takes_it_back(page: Any) -> None:
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    box = page.find_element("css selector", ".occupancy[data-start]")
    button = box.find_element("css selector", ".back")
    page.execute_script("arguments[0].click()", button)
    before = box.find_element("css selector", ".what-if").text
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
    box.find_element("css selector", "input[data-of=vgpr]").send_keys(keys.END)
    assert box.find_element("css selector", ".what-if").text != before
    page.execute_script("arguments[0].click()", button)
    assert box.find_element("css selector", ".what-if").text == before


def test_dark_repaints_the_charts_too(page: Any) -> None:
    colour = "return charts[0].model.title.text_color"
    page.execute_script("setTheme('light')")
    light = page.execute_script(colour)
    page.execute_script("document.getElementById('theme').click()")
    assert page.execute_script("return document.documentElement.dataset.theme") == "dark"
    assert page.execute_script(colour) != light


def test_paper_is_light_unfolded_and_has_every_chart(page: Any) -> None:
    """The events of a printer; what Chromium prints between them."""
    page.execute_script("setTheme('dark')")
    folded = "return document.querySelectorAll('details:not([open])').length"
    before = page.execute_script(folded)
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    size = {"width": 703, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)  # A4 within its margins
    try:
        assert page.execute_script("return themeNow()") == "light"
        assert page.execute_script("return getComputedStyle(document.body).color") == LIGHT_INK
        left = page.execute_script("return document.querySelectorAll('details:not([open])').length")
        reference = "return document.querySelectorAll('details.reference:not([open])').length"
        assert left == page.execute_script(reference) < before
        shown = """
          const css = 'nav, button, fieldset, .search, .screen, canvas';
          const visible = (one) => one.offsetParent && !one.matches('th button');
          return [...document.querySelectorAll(css)].filter(visible).length"""
        assert page.execute_script(shown) == 0
        drawings = page.execute_script("""
          return [...document.querySelectorAll('.chart')].map((one) => {
            const drawing = one.querySelector('svg');
            const { width } = drawing.getBoundingClientRect();
            return [one.offsetWidth, width, drawing.innerHTML]; })""")
        assert len(drawings) == 3
        for width, drawn, inner in drawings:
            assert width == drawn == 680
            assert "virtual device" in inner
            assert "#d5dbe1" not in inner  # the ink of the dark form
        assert "critical path" in drawings[0][2]  # of the legend
        assert page.execute_script("return document.documentElement.scrollWidth") <= 703
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert page.execute_script("return themeNow()") == "dark"
    assert page.execute_script(folded) == before
    assert page.find_elements("css selector", ".chart > svg") == []


def test_a_chart_is_cleared_to_its_edges(page: Any) -> None:
    pixels = page.execute_script("""
      const view = charts[0], { canvas, ctx } = view.canvas_view.primary;
      ctx.fillRect(0, 0, 1, canvas.height);
      settle(view);
      return [...ctx.getImageData(0, canvas.height - 20, 1, 20).data]""")
    assert set(pixels) == {0}


def test_numbers_stand_below_the_names_of_their_columns(page: Any) -> None:
    aligned = page.execute_script("""
      const align = (one) => getComputedStyle(one).textAlign === 'right';
      const row = (css) => [...document.querySelectorAll(css)].map(align);
      return [row('#table th'), row('#table tbody tr:first-child td')]""")
    assert aligned[0] == aligned[1] == [0 < at != 7 for at in range(11)]


def test_the_wheel_zooms_the_timeline_as_its_caption_says(page: Any) -> None:
    assert "scroll the wheel to zoom" in texts(page, "figcaption")[0]
    view = "charts.find((one) => one.el.parentElement.id === 'timeline-chart')"
    active = f"return {view}.model.toolbar.gestures.scroll.active?.type"
    assert page.execute_script(active) == "WheelZoomTool"


def test_the_critical_path_goes_in_steps_below_the_bars(page: Any) -> None:
    view = "charts.find((one) => one.el.parentElement.id === 'timeline-chart')"
    found = page.execute_script(f"""
      const named = (name) => {view}.model.renderers.find((one) => one.name === name);
      const steps = named('steps of the critical path'), pieces = named('critical path');
      const column = (drawn, name) => [...drawn.data_source.get_array(name)];
      return [steps.level, column(steps, 'x'), column(steps, 'y'),
        pieces.level, column(pieces, 'y0'), column(pieces, 'y1')];
    """)
    level, x, y, over, begin, end = found
    assert (level, over) == ("underlay", "glyph")
    turns = list(zip(zip(x, y), zip(x[1:], y[1:])))
    assert all(x0 == x1 or y0 == y1 for (x0, y0), (x1, y1) in turns)
    assert begin == end
    assert len(x) == 3 * len(begin)


def test_the_timeline_shows_the_work_of_the_gpu_first(page: Any) -> None:
    view = "charts.find((one) => one.el.parentElement.id === 'timeline-chart')"
    start, end = page.execute_script(f"""
      const range = {view}.model.x_range; return [range.start, range.end]""")
    drawn = page.execute_script(f"""
      return {view}.model.renderers.filter((one) => one.glyph.type === 'HBar')
        .flatMap((one) => [...one.data_source.get_array('end')])""")
    assert start == pytest.approx(-0.02 * max(drawn), rel=0.01)
    assert end == pytest.approx(1.02 * max(drawn), rel=0.01)


def test_a_narrow_window_scrolls_down_only(tmp_path: Path, opened: Any) -> None:
    name = "Cijk_Alik_Bljk_BBS_BH_" + "MT128x128x64_MI16x16x1_" * 12
    path = tmp_path / "narrow.html"
    path.write_text(render_page(Report("1", (measured_run(first=name),))), "utf-8")
    page = opened(path)
    size = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = opened(path)
        assert page.execute_script("return document.documentElement.scrollWidth") == 400
        cell = page.find_element("css selector", "#table .name")
        assert cell.get_attribute("title") == name
        assert len(cell.text) <= 42
        full = page.find_element("css selector", "details.kernel .full")
        assert full.text == "full name"  # and the rest on demand
        assert name in full.get_attribute("textContent")
        legends = page.execute_script(
            "return charts.flatMap((one) => [...one.model.references()])"
            ".filter((one) => one.type === 'Legend').map((one) => one.ncols)"
        )
        assert set(legends) == {1}
        titles = page.execute_script(
            "return charts.map((one) => [one.model.title.offset, -one.frame.bbox.left])"
        )
        assert all(offset == left for offset, left in titles)
        labels = page.execute_script(
            "return [...charts.at(-1).model.left[0].major_label_overrides.values()]"
        )
        assert len(labels) == 3
        assert all(len(label) <= 20 for label in labels)
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_link_opens_the_section_of_its_kernel(page: Any) -> None:
    page.execute_script("location.hash = '#kernel-1'")
    wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait
    wait(page, 5, 0.05).until(
        lambda b: b.execute_script("return document.getElementById('kernel-1').open")
    )


def test_slices_of_a_long_run_are_drawn(tmp_path: Path, opened: Any) -> None:
    """The page holds slices of time, so this stands for any number: fewer are enough to cut."""
    path = tmp_path / "large.html"
    text = render_page(Report("1", (measured_run(15_000),)))
    assert len(text) < 3_000_000
    path.write_text(text, "utf-8")
    page = opened(path)
    assert "merged into slices" in page.find_element("css selector", "figcaption").text
