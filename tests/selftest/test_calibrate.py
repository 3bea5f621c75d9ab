"""Rows, the comparison, the bundle and its table; nothing here needs a device."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from benchmarks.truth.__main__ import main as truth
from benchmarks.truth.bundle import bundle_table, is_bundle

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import VERBS, main
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.errors import RecordingError, UsageError
from rocm_perf_lab.reporters.figures.calibration import calibration_lines, calibration_result
from rocm_perf_lab.reporters.json_document import to_json
from rocm_perf_lab.selftest.calibrate.bundle import bundle_of, read_bundle
from rocm_perf_lab.selftest.calibrate.comparison import (
    Calibration,
    Chip,
    Compared,
    NotMeasured,
    by_kind,
)
from rocm_perf_lab.selftest.calibrate.rows import DATA, ROWS, chosen_rows, names
from rocm_perf_lab.selftest.calibrate.side import _timed, groups_of, times_of
from rocm_perf_lab.selftest.calibrate.work import plain_starter
from rocm_perf_lab.selftest.document import calibration_model
from rocm_perf_lab.selftest.parts import Parts, parts_of
from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import UNKNOWN, Kernel, Process, Trace
from rocm_perf_lab.vrocm.plain import plain_environment

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "calibration-1.0.json"
CHIP = Chip("AMD Instinct MI300X", "gfx942", 304, 2100.0, "7.1.0", "rocm")


def row(kind: str, name: str, chip: float, virtual: float, spread: float = 0.01) -> Compared:
    return Compared(kind, name, 1, chip, spread, 5, virtual)


def calibration(*rows: Compared, missing: tuple[NotMeasured, ...] = ()) -> Calibration:
    return Calibration(CHIP, rows, missing)


ROWS_OF_TWO = (
    row("vector", "fp32", 400.0, 100.0),
    row("vector", "fp64", 390.0, 100.0),
    row("hbm", "read", 110.0, 100.0),
    row("hbm", "copy", 150.0, 100.0, spread=0.5),
)


def test_kinds_have_their_share_their_median_and_their_worst_row() -> None:
    vector, hbm = by_kind(ROWS_OF_TWO)
    assert (vector.kind, vector.rows, vector.near, vector.ratio) == ("vector", 2, 0.0, 3.95)
    assert (vector.worst, vector.worst_ratio) == ("fp32=1", 4.0)
    assert (hbm.near, hbm.worst) == (0.5, "copy=1")


def test_a_row_differs_by_more_than_the_chip_from_itself() -> None:
    found = [one.word for one in calibration(*ROWS_OF_TWO).differing]
    assert found == ["fp32=1", "fp64=1"]  # not copy, whose own spread is larger
    assert not row("a", "b", 124.0, 100.0).differs
    assert row("a", "b", 70.0, 100.0).differs


def test_the_page_has_kinds_rows_that_differ_and_rows_without_a_time() -> None:
    missing = (NotMeasured("rcp=1", "chip", "wrong result of rcp=1"),)
    model = calibration_model(calibration(*ROWS_OF_TWO, missing=missing), Path("b.json"))
    page = "\n".join(calibration_lines(model))
    assert re.search(r"vector +2 +0% +3\.95x +fp32=1 +4\.00x", page)
    assert re.search(r"fp32=1 +400 us +1\.0% +100 us +4\.00x", page)
    assert "copy=1 " not in page.partition("More than 25 %")[2]
    assert "Without a time on the chip: rcp=1: wrong result of rcp=1" in page
    result = "1 of 4 rows within 25 % of the model, 1 without a time"
    assert calibration_result(model) == result


def test_a_bundle_follows_its_schema_and_is_read_back(tmp_path: Path) -> None:
    text = to_json(bundle_of(calibration(*ROWS_OF_TWO)))
    jsonschema.validate(json.loads(text), json.loads(SCHEMA.read_text()))
    (tmp_path / "b.json").write_text(text)
    assert read_bundle(tmp_path / "b.json").rows[0].chip_us == 400.0
    (tmp_path / "c.json").write_text(text.replace('"chip_us"', '"hostname"', 1))
    with pytest.raises(RecordingError, match="is not a bundle of a calibration"):
        read_bundle(tmp_path / "c.json")
    with pytest.raises(RecordingError):
        read_bundle(tmp_path / "none.json")


def test_a_bundle_has_no_field_for_names_of_machines() -> None:
    document = json.loads(to_json(bundle_of(calibration(*ROWS_OF_TWO))))
    assert set(document) == {"schema_version", "content", "tool_version", "chip", "rows"}
    assert set(document["chip"]) == {
        *("product", "target", "compute_units", "clock_mhz", "rocm_version", "rocm_kind"),
    }
    text = {
        type(value) for one in document["rows"] for value in (one["chip_us"], one["virtual_us"])
    }
    assert text == {float}


def test_a_bundle_is_one_more_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mi300x.json"
    path.write_text(to_json(bundle_of(calibration(*ROWS_OF_TWO))))
    assert is_bundle(path)
    table, rows, then = bundle_table(path)
    assert (table.chip, len(rows), len(then)) == ("AMD Instinct MI300X, 304 CUs", 4, 4)
    assert truth([str(path), "--half", "all", "--kind", "name"]) == 0
    out = capsys.readouterr().out
    assert "| vector | 2 | 0.25 | 0 % | 0 % |" in out
    assert "| copy | 1 | 0.67 |" in out
    assert truth([str(path), "--half", "all", "--only", "kind=hbm"]) == 0
    assert "2 of 2 rows" in capsys.readouterr().out
    path.write_text(path.read_text().replace('"chip_us"', '"hostname"', 1))
    assert truth([str(path)]) == 2
    assert not is_bundle(tmp_path / "none.json")


def recorded(*launches: tuple[str, int, int]) -> Trace:
    builder = TraceBuilder(Process("", UNKNOWN, None, None, "a test"))
    names = list(dict.fromkeys(name for name, _, _ in launches))
    for number, name in enumerate(names):
        builder.add_kernel(Kernel(0, number, name, f"_Z{name}.kd"))
    for number, (name, start, end) in enumerate(launches):
        builder.add_dispatch(
            kernel=names.index(name), agent_id=UNKNOWN, dispatch_id=number, start=start, end=end
        )
    return builder.build()


def test_times_are_of_own_kernels_and_chains_from_first_to_last() -> None:
    trace = recorded(
        ("prepare_words", 0, 900),
        ("bench_read", 1000, 9000),  # warms up
        ("bench_read", 10000, 12000),
        ("__amd_rocclr_fillBuffer", 12000, 13000),
        ("bench_empty", 20000, 21000),
        ("bench_empty", 22000, 23000),
        ("bench_empty", 30000, 31000),
        ("bench_empty", 32000, 34000),
    )
    words = "read=1 1\nread=1 1\nchain=2 2\nchain=2 2\n"
    assert times_of(words, trace) == {"read=1": [2.0], "chain=2": [4.0]}
    with pytest.raises(RecordingError, match="6 launches were recorded, the program made others"):
        times_of("read=1 1\n", trace)


def test_one_disturbed_launch_hides_no_difference() -> None:
    assert _timed([10.0, 10.1, 9.9, 10.0, 40.0]).spread == pytest.approx(0.01)
    assert _timed([10.0, 14.0, 12.0, 8.0, 6.0]).spread == pytest.approx(0.4)
    assert _timed([5.0]).spread == 0.0


def test_rows_are_chosen_by_kind_name_or_alone() -> None:
    assert {one.kind for one in chosen_rows(["memory-latency"])} == {"memory latency"}
    assert [one.word for one in chosen_rows(["read=2048", "empty"])] == ["read=2048", "empty=1"]
    assert chosen_rows([]) == ROWS
    with pytest.raises(UsageError, match="there is no benchmark raed"):
        chosen_rows(["read", "raed"])


def test_names_of_benchmarks_are_no_verbs_and_rows_are_unique() -> None:
    assert set(names()) & set(VERBS) == set()
    assert len({one.word for one in ROWS}) == len(ROWS)
    assert len({one.kind for one in ROWS}) == len(groups_of(ROWS))  # a kind is one process


def test_every_row_stands_in_its_program() -> None:
    for one in ROWS:
        assert f'{{"{one.name}", ' in (DATA / f"{one.program}.hip").read_text("utf-8")


@pytest.mark.parametrize(
    ("only", "calibrating", "parts"),
    [
        ((), False, Parts((), None)),
        (("replay",), False, Parts(("replay",), None)),
        ((), True, Parts((), ())),
        (("hbm",), True, Parts(None, ("hbm",))),
        (("replay", "hbm"), True, Parts(("replay",), ("hbm",))),
        (("replay",), True, Parts(("replay",), None)),
    ],
)
def test_what_is_chosen(only: tuple[str, ...], calibrating: bool, parts: Parts) -> None:
    assert parts_of(only, calibrating) == parts


def test_unknown_names_are_refused_before_anything_runs() -> None:
    with pytest.raises(UsageError):
        parts_of(["hbm"], False)
    with pytest.raises(UsageError):
        parts_of(["nothing"], True)


def test_the_virtual_side_is_what_it_is_whatever_the_user_has_set() -> None:
    user: dict[str, Any] = {
        "VROCM_MODEL": "19:1.05",
        "VROCM_NOISE": "7",
        "VROCM_TIMING": "0",
        "VROCM_THREADS": "2",
        "ROCR_VISIBLE_DEVICES": "3",
        "LD_LIBRARY_PATH": "/opt/rocm/lib",
        "HOME": "/root",
    }
    assert plain_environment(user, Path("/virtual")) == {
        "VROCM_THREADS": "2",
        "LD_LIBRARY_PATH": "/virtual/lib",
        "HOME": "/root",
    }


def test_a_program_on_the_virtual_device_starts_as_asked_but_for_its_environment(
    tmp_path: Path,
) -> None:
    done = plain_starter(tmp_path)(
        ["/bin/sh", "-c", 'echo "${VROCM_MODEL-none} $LD_LIBRARY_PATH"; pwd; echo silent >&2'],
        env={"VROCM_MODEL": "19:1.05"},
        cwd=tmp_path,
        timeout_s=20.0,
        stdout=Stdout.CAPTURE,
        echo_stderr=False,
    )
    assert done.stdout.decode().split() == ["none", str(tmp_path / "lib"), str(tmp_path)]
    assert done.stderr_tail == "silent\n"


def test_a_bundle_without_a_calibration_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--bundle", "b.json"]) == 2
    assert "add --calibrate" in capsys.readouterr().err


def test_another_chip_cannot_be_compared(
    fake_rocm: FakeRocm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rocm_perf_lab.collect.doctor.runtime_gpus import Gpu

    monkeypatch.setattr(
        "rocm_perf_lab.selftest.calibrate.work.first_gpu", lambda _prefix: Gpu("gfx1100", None)
    )
    fake_rocm.add_gpu()
    words = ["selftest", "--rocm", str(fake_rocm.path), "--calibrate", "--only", "hbm"]
    assert main(words) == 2
    assert "the virtual device is a gfx942, and this one is a gfx1100" in capsys.readouterr().err
