"""Where counters, ceilings and roofs come from, and what is said where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from fakes.fake_rocm import FakeRocm
from fakes.trace_samples import sample_trace
from rocm_perf_lab import __version__
from rocm_perf_lab.analysis.documents.profile import Origin, RunInput, build_profile
from rocm_perf_lab.analysis.documents.roofline import Ceilings
from rocm_perf_lab.analysis.rooflines.roofline import roofline_counters
from rocm_perf_lab.analysis.verdicts.metrics import metric_counters
from rocm_perf_lab.collect.doctor.runtime_gpus import Gpu, RuntimeGpus
from rocm_perf_lab.collect.roof_store import roofs_document
from rocm_perf_lab.errors import ToolMissing, UsageError
from rocm_perf_lab.measure import roofs
from rocm_perf_lab.measure.request import KnownCeilings
from rocm_perf_lab.measure.roofline import ceilings_beside, counted_roofline
from rocm_perf_lab.strict_json import as_text
from rocm_perf_lab.trace.measured_roofs import ROOF_FILE, Fingerprint, MeasuredRoofs
from rocm_perf_lab.trace.model import UNKNOWN, Trace

NONE = Ceilings((), None, None)


def profile_of(trace: Trace):  # type: ignore[no-untyped-def]
    return build_profile([RunInput(trace)], Origin("recorded", __version__, None, ["sample"]))


def reasons(document) -> list[tuple[str, str, str]]:  # type: ignore[no-untyped-def]
    return [(entry.field, entry.reason, entry.next) for entry in document.unavailable]


def test_counters_of_roofline_and_verdicts_are_asked_for_at_once() -> None:
    trace, asked = sample_trace(), []

    def count(passes: tuple[tuple[str, ...], ...]) -> Sequence[Trace]:
        asked.append({counter for one in passes for counter in one})
        return []

    counted_roofline(profile_of(trace), [trace], NONE, count)
    (counters,) = asked
    wanted = [*roofline_counters("gfx942"), *metric_counters("gfx942")]
    assert {counter for group in wanted for counter in group} <= counters


def test_a_counter_pass_that_fails_leaves_the_profile_and_its_reason() -> None:
    trace = sample_trace()

    def count(passes: tuple[tuple[str, ...], ...]) -> Sequence[Trace]:
        raise ToolMissing("no counters for you", "ask an administrator")

    found = counted_roofline(profile_of(trace), [trace], NONE, count)
    assert found.timing == profile_of(trace).timing
    assert any(row[1:] == ("no counters for you", "ask an administrator") for row in reasons(found))


def test_an_unknown_gpu_is_not_counted() -> None:
    trace = sample_trace()
    nowhere = np.full(len(trace.dispatches.agent), UNKNOWN, dtype=np.int32)
    trace = replace(trace, dispatches=replace(trace.dispatches, agent=nowhere))

    def count(passes: tuple[tuple[str, ...], ...]) -> Sequence[Trace]:
        raise AssertionError("nothing may run")

    found = counted_roofline(profile_of(sample_trace()), [trace], NONE, count)
    assert "the recording does not say which GPU ran" in [row[1] for row in reasons(found)]


def write_roofs(folder: Path, hbm: float) -> None:
    folder.mkdir(exist_ok=True)
    (folder / ROOF_FILE).write_text(f"device,HBMBw,HBMBwLow,HBMBwHigh\n0,{hbm},{hbm},{hbm}\n")


def test_roofs_beside_a_file_or_in_a_folder_are_found_and_what_the_user_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "store"))
    write_roofs(tmp_path / "one", 4000.0)
    write_roofs(tmp_path / "two", 3000.0)
    file = tmp_path / "two" / "a.db"
    file.touch()
    paths = [tmp_path / "one", file, tmp_path / "store"]
    found = ceilings_beside(paths, KnownCeilings(5000.0, 1900.0))
    assert [Path(roofs.source).parent.name for roofs in found.measured] == ["one", "two"]
    assert (found.bandwidth_gbps, found.clock_mhz) == (5000.0, 1900.0)
    assert ceilings_beside((), KnownCeilings()) == Ceilings([], None, None)


def test_roofs_that_were_stored_here_come_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    place = tmp_path / "rocm-perf-lab" / "roofs"
    place.mkdir(parents=True)
    made_on = Fingerprint("gfx942", None, 304, 8, 2100)
    stored = roofs_document(MeasuredRoofs(0, {"hbm": 4e12}, {}, "here", made_on))
    (place / "gfx942-0.json").write_text(as_text(stored))
    write_roofs(tmp_path / "one", 4000.0)
    found = ceilings_beside([tmp_path / "one"], KnownCeilings())
    assert [Path(roofs.source).name for roofs in found.measured] == [ROOF_FILE, "gfx942-0.json"]


@pytest.mark.parametrize(
    ("gpus", "why"),
    [
        (RuntimeGpus(), "no GPU to measure: the runtime shows none"),
        (RuntimeGpus(problem="no driver"), "no GPU to measure: no driver"),
    ],
)
def test_roofs_need_a_gpu(
    fake_rocm: FakeRocm, monkeypatch: pytest.MonkeyPatch, gpus: RuntimeGpus, why: str
) -> None:
    monkeypatch.setattr(roofs, "runtime_gpus", lambda prefix: gpus)
    with pytest.raises(ToolMissing) as caught:
        roofs.measure_roofs(fake_rocm.path)
    assert (caught.value.cause, caught.value.next_step) == (why, "rocm-perf doctor")


def test_an_unknown_roof_is_refused_with_those_that_there_are(
    fake_rocm: FakeRocm, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus = RuntimeGpus((Gpu("gfx942", "AMD Instinct MI300X"),))
    monkeypatch.setattr(roofs, "runtime_gpus", lambda prefix: gpus)
    with pytest.raises(UsageError) as caught:
        roofs.measure_roofs(fake_rocm.path, ["hbm", "moon", "sun"])
    assert caught.value.cause == "gfx942 has no roof moon, sun"
    assert caught.value.next_step.startswith("choose from ")
    assert "hbm" in caught.value.next_step


def test_the_roofs_that_are_named_are_measured_on_the_first_gpu(
    fake_rocm: FakeRocm, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus = (Gpu("gfx942", "AMD Instinct MI300X"), Gpu("gfx90a", None))
    seen = []
    monkeypatch.setattr(roofs, "runtime_gpus", lambda prefix: RuntimeGpus(gpus))
    monkeypatch.setattr(roofs, "build_benchmark", lambda prefix, target, *_: Path(f"for-{target}"))
    monkeypatch.setattr(roofs, "measured_roofs", lambda work, trace: (work, trace))

    def record(prefix, program, words, space, progress):  # type: ignore[no-untyped-def]
        seen.append((program.name, words, space.is_dir()))
        return "work", "trace"

    monkeypatch.setattr(roofs, "record_benchmark", record)
    found = roofs.measure_roofs(fake_rocm.path, ["hbm"])
    assert found.roofs == ("work", "trace")
    assert found.facts.target.name == "gfx942"
    roofs.measure_roofs(fake_rocm.path)
    (one, all_of_them) = seen
    assert one == ("for-gfx942", roofs.benchmark_arguments(found.facts, ["hbm"]), True)
    assert len(one[1]) == 1 < len(all_of_them[1])
