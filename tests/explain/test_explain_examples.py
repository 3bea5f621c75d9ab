"""``rocm-perf explain`` on programs that really have each bottleneck, on the virtual device.

The documentation shows the pages of six of them. Words must be the same, numbers nearly: run
scripts/write-explanations.py after a change to the rules, the texts or the timing model.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fakes.scripts import load_script
from rocm_perf_lab.analysis.verdicts.metrics import METRICS
from rocm_perf_lab.analysis.verdicts.rules import (
    ATOMIC,
    COLLECTIVE,
    COMPUTE,
    DIVERGENCE,
    IMBALANCE,
    LABELS,
    LATENCY,
    LAUNCH,
    LDS,
    MEMORY_BANDWIDTH,
    RULES,
    UNDER_OCCUPIED,
)
from rocm_perf_lab.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TOLERANCE = 0.25


WRITER = load_script("write-explanations")
EXPECTED = {
    "strided_copy": ("copy_column", MEMORY_BANDWIDTH, "hbm", "neighbouring addresses"),
    "small_grid": ("sum", UNDER_OCCUPIED, None, "16 workgroups for 304 compute units: 95% of the"),
    "divergent_branch": ("by_lane", DIVERGENCE, "vector units", "50% of the lanes"),
    "mfma_product": ("nearest", COMPUTE, "matrix units", "narrower type"),
    "lds_transpose": ("transpose", LDS, "LDS", "is lost to bank conflicts"),
    "pipeline": ("series", UNDER_OCCUPIED, None, "smooth(float const*, float*, int) runs beside"),
}


def explained(
    example: Any, prefix: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> tuple[dict[str, Any], str]:
    """The document and the page."""
    WRITER.compile_example(example, prefix, folder)
    verb, *options = WRITER.explain_command(example, prefix)
    assert main([verb, "--out", str(folder), *options]) == 0
    found: dict[str, Any] = json.loads((folder / "explain.json").read_text())
    return found, WRITER.page_of(capfd.readouterr().out)


def labels_of(found: dict[str, Any]) -> dict[str, str]:
    return {
        kernel["kernel"].partition("(")[0]: kernel["bottleneck"]["primary"]
        for kernel in found["kernels"]
        if not kernel["kernel"].startswith("__amd_rocclr")
    }


@pytest.mark.native
@pytest.mark.parametrize("example", WRITER.EXAMPLES, ids=lambda example: example.name)
def test_what_an_engineer_would_say(
    example: Any,
    virtual_rocm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    found, page = explained(example, virtual_rocm, tmp_path, capfd)
    kernel, label, bound, sentence = EXPECTED[example.name]
    assert found["kernel"].partition("(")[0] == kernel
    assert found["limit"] == "kernel"
    assert labels_of(found)[kernel] == label
    (ranked,) = [k for k in found["kernels"] if k["kernel"] == found["kernel"]]
    assert ranked["bottleneck"]["missing"] == []
    assert ranked["bottleneck"]["confidence"] == pytest.approx(0.9)
    assert bound in (None, ranked["headroom"]["bound"])
    assert len(found["advice"]) == 3
    assert sentence in " ".join(page.split())
    schema = json.loads((ROOT / "docs" / "schema" / "explain-1.0.json").read_text())
    jsonschema.validate(found, schema)
    compare(page, WRITER.documented()[example.name])


def compare(page: str, documented: str) -> None:
    now, then = " ".join(page.split()), " ".join(documented.split())
    assert _NUMBER.sub("#", now) == _NUMBER.sub("#", then), "run scripts/write-explanations.py"
    for new, old in zip(map(float, _NUMBER.findall(now)), map(float, _NUMBER.findall(then))):
        assert new == pytest.approx(old, rel=_TOLERANCE, abs=2.0), "run write-explanations.py"


@pytest.mark.native
def test_the_other_bottlenecks(
    virtual_rocm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    example = WRITER.Example(PROGRAMS / "labels.hip")
    found, _ = explained(example, virtual_rocm, tmp_path, capfd)
    assert labels_of(found) == {
        "compute": COMPUTE,
        "latency": LATENCY,
        "one_wave": UNDER_OCCUPIED,
        "atomics": ATOMIC,
        "long_row": IMBALANCE,
        "chase": LATENCY,
    }
    assert found["kernel"].startswith("atomics")
    # A fill is on the path too, but has no counters to be judged by.
    judged = [kernel for kernel in found["kernels"] if "fillBuffer" not in kernel["kernel"]]
    scores = [k["optimisation_score"] for k in judged if k["optimisation_score"] is not None]
    assert len(scores) >= 4
    assert scores == sorted(scores, reverse=True)


@pytest.mark.native
def test_launches_that_were_submitted_ahead(
    virtual_rocm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nothing waits, and yet the device is idle most of the time: the launches are too small."""
    monkeypatch.chdir(tmp_path)
    example = WRITER.Example(PROGRAMS / "launches.hip", ("ahead",))
    found, page = explained(example, virtual_rocm, tmp_path, capfd)
    assert labels_of(found) == {"add_one": LAUNCH}
    assert found["limit"] == "launching"
    fusing = found["advice"][0]
    assert fusing["mend"] == "fuse"
    assert fusing["gain"] > 10  # 20 launches, each hardly more than what any launch takes
    assert "20 launches of" in fusing["why"]
    assert "Launching limits the application" in page


@pytest.mark.native
def test_launches_that_take_longer_than_kernels(
    virtual_rocm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    example = WRITER.Example(PROGRAMS / "launches.hip")
    found, page = explained(example, virtual_rocm, tmp_path, capfd)
    assert labels_of(found) == {"add_one": LAUNCH}
    assert found["limit"] == "launching"
    assert "Launching limits the application, not what the kernels do." in page
    assert [advice["mend"] for advice in found["advice"]][:2] == ["fuse", "ahead"]
    assert "Result: add_one(int*) is launch bound; launching limits the application" in page


def test_every_label_is_reached() -> None:
    shown = {label for _, label, _, _ in EXPECTED.values()}
    assert shown | {LATENCY, ATOMIC, LAUNCH, IMBALANCE, COLLECTIVE} == set(LABELS)


def test_the_page_tells_the_thresholds() -> None:
    page = (ROOT / "docs" / "explain.md").read_text()
    rows = dict(re.findall(r"^\| ([a-zA-Z -]+) \| (.*) \|$", page, re.MULTILINE))
    assert set(LABELS) <= set(rows)
    for rule in RULES:
        for condition in rule.conditions if rule.strength >= 0.8 else ():
            if condition.metric in ("collective", "waves"):
                continue  # told in words
            unit = METRICS[condition.metric].unit
            percent = f"{100 * condition.threshold:.0f} %"
            told = {
                "share": percent if condition.metric != "lds_conflicts" else "half",
                "us": f"{condition.threshold:.0f} us",
                "per CU": "three workgroups for four compute units",
            }[unit]
            assert told in rows[rule.label], (rule.label, condition)


def test_the_page_shows_every_example() -> None:
    assert set(WRITER.documented()) == set(EXPECTED) == {e.name for e in WRITER.EXAMPLES}
    listed = re.findall(r"^\| `bottlenecks/(\w+)` \|", _readme(), re.MULTILINE)
    assert sorted(listed) == sorted(p.stem for p in (ROOT / "examples/bottlenecks").glob("*.hip"))


def _readme() -> str:
    return (ROOT / "examples" / "README.md").read_text()
