"""A picture of a tuning: everything measured is in it, and a name never becomes markup."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from rocm_perf_lab.cli.main import main

NAME = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Forty configurations, those with b = 8 fail; the fastest is a = 3, b = 1."""
    cache = {}
    for a in range(1, 11):
        for b in (1, 2, 4, 8):
            time = "RuntimeFailedConfig" if b == 8 else (a - 3) ** 2 + b
            cache[f"{a},{b}"] = {"a": a, "b": b, "time": time}
    path = tmp_path / "cache.json"
    path.write_text(json.dumps({"tune_params_keys": ["a", "b"], "cache": cache}))
    return path


def test_the_picture_has_every_measurement(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tuning.svg"
    words = ["autotune", "--simulate", str(recorded), "--budget", "20", "--json", "-o", str(out)]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    picture = ET.parse(out).getroot()
    worked = sum(one["value"] is not None for one in document["measurements"])
    assert len(picture.findall(f"{NAME}circle")) == worked
    texts = ["".join(one.itertext()) for one in picture.iter(f"{NAME}text")]
    assert texts.count("x") == 20 - worked
    assert {"a", "b"} <= set(texts)  # what matters
    (line,) = picture.findall(f"{NAME}polyline")
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert heights == sorted(heights)  # the best so far only gets better, which is down
    assert heights[-1] == max(float(one.attrib["cy"]) for one in picture.iter(f"{NAME}circle"))


def test_the_page_stands_alone(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tuning.HTML"
    assert main(["autotune", "--simulate", str(recorded), "--budget", "20", "-o", str(out)]) == 0
    page = out.read_text()
    said = capsys.readouterr().out
    assert said.splitlines()[-1] in unescape(page)  # Result: ...
    assert "<svg" in page
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
