"""Which part of a run is explained: what repeats, a range, what comes later, single dispatches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes.runs.upload_runs import STEPS, uploads_each_step, uploads_once
from fakes.task_recordings import Recording
from rocm_perf_lab.analysis.path.steady import Steady, steady_part
from rocm_perf_lab.analysis.path.timeline import once_ns
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.part import Part, part_of
from rocm_perf_lab.trace.rocpd.writer import write_rocpd


def _explained(
    record: Recording, folder: Path, capsys: pytest.CaptureFixture[str], *argv: str
) -> tuple[dict[str, Any], str]:
    """The document and the page."""
    file = folder / "1_results.db"
    write_rocpd(record.trace(), file)
    pages = []
    for more in (("--json",), ()):
        assert main(["explain", *more, *argv, "--from", str(file)]) == 0
        pages.append(capsys.readouterr().out)
    return json.loads(pages[0]), " ".join(pages[1].split())


def test_data_that_is_uploaded_once_is_set_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, page = _explained(uploads_once(), tmp_path, capsys)
    assert (found["limit"], found["kernel"]) == ("kernel", "product")
    assert found["steady"] == {
        "repeats": STEPS,
        "launches": 2,
        "span_ms": pytest.approx(1.247, abs=2e-3),
        "whole_ms": pytest.approx(6.258, abs=2e-3),
        "copies_ms": pytest.approx(5.0),
    }
    assert "Explained is the part that repeats: 12 times 2 launches" in page
    assert "Copies take 5 ms of the whole run" in page
    assert "end to end" not in page
    whole, _ = _explained(uploads_once(), tmp_path, capsys, "--whole")
    assert (whole["limit"], whole["steady"]) == ("copies", None)


def test_data_that_is_uploaded_in_each_step_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, _ = _explained(uploads_each_step(), tmp_path, capsys)
    assert (found["limit"], found["steady"]) == ("copies", None)
    assert found["advice"][0]["mend"] == "copies"


def test_copies_that_cross_once_are_told_from_those_that_cross_again() -> None:
    assert once_ns(uploads_once().trace()) == 5_000_000
    assert once_ns(uploads_each_step().trace()) == 0


@pytest.mark.parametrize(
    ("launches", "expected"),
    [
        ("abababab", Steady(0, 7, 2)),
        ("xyzaaaaaab", Steady(3, 8, 1)),
        ("iabcabcabcabcab", Steady(1, 12, 3)),
        ("abcdefgh", None),
        ("ababab", None),  # three times may be chance
        ("aaaabcdefghijklmnop", None),  # most of the time does not repeat
    ],
)
def test_what_repeats(launches: str, expected: Steady) -> None:
    record = Recording()
    for place, name in enumerate(launches):
        record.kernel(name, place * 1000, place * 1000 + 900)
    assert steady_part(record.trace()) == expected


def _starts(record: Recording, part: Part) -> list[int]:
    return (part_of(record.trace(), part).dispatches.start // 1000).tolist()


def _marked() -> Recording:
    """Two ranges, whose kernels run later than they are launched."""
    record = Recording()
    for number, name in enumerate(("warm", "step 1", "step 2")):
        called = number * 10_000
        record.marker(name, called, called + 5000)
        for kernel, late in (("a", 1), ("b", 2)):
            start = 100_000 + called + late * 1000
            record.kernel(kernel, start, start + 500, stack_id=record.launch(called + late * 1000))
    return record


@pytest.mark.parametrize(
    ("part", "starts"),
    [
        (Part(region="step 1"), [111, 112]),
        (Part(region="step *"), [111, 112, 121, 122]),
        (Part(region="step *", after=1), [121, 122]),
        (Part(after=3), [112, 121, 122]),
        (Part(dispatches=(1, 2)), [102, 111]),
        (Part(dispatches=(1, 2), kernel="b"), [112, 122]),
        (Part(region="step *", dispatches=(0, 0), kernel="b"), [112]),
        (Part(), [101, 102, 111, 112, 121, 122]),
    ],
)
def test_parts_of_a_run(part: Part, starts: list[int]) -> None:
    assert _starts(_marked(), part) == starts


def test_calls_and_copies_go_with_the_part() -> None:
    kept = part_of(_marked().trace(), Part(region="step 2"))
    assert kept.api_calls.start.tolist() == [21_000, 22_000]
    assert [kept.strings[i] for i in kept.markers.message] == ["step 2"]
    assert kept.api_arguments(1) == (("stream", "", "0x5001"),)


def test_parts_that_are_empty_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        part_of(_marked().trace(), Part(region="stop"))
    assert str(caught.value) == "no range is called 'stop'"
    assert caught.value.next_step == "recorded ranges: warm, step 1, step 2"
    with pytest.raises(UsageError, match="no dispatch is left of 6"):
        part_of(_marked().trace(), Part(after=6))


def test_ranges_are_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, page = _explained(_marked(), tmp_path, capsys)
    assert found["regions"] == [
        {"name": "step *", "ranges": 2, "host_ms": 0.01, "kernels": 4, "busy_ms": 0.002},
        {"name": "warm", "ranges": 1, "host_ms": 0.005, "kernels": 2, "busy_ms": 0.001},
    ]
    assert "step *: 2 ranges of 5 us on the host, 4 kernels launched, GPU busy with them" in page
    chosen, _ = _explained(_marked(), tmp_path, capsys, "--region", "step *", "--kernel", "^b$")
    assert (chosen["kernel"], chosen["limit"]) == ("b", "kernel")
    assert [kernel["launches"] for kernel in chosen["kernels"]] == [2, 2]


@pytest.mark.parametrize("text", ["x", "3-1", "-1", "1-"])
def test_ranges_of_dispatches_are_numbers(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"--dispatch={text}", "--from", "x"]) == 2
    assert f"argument --dispatch: '{text}'" in capsys.readouterr().err
