"""Thread traces recorded on an MI300X: from the same events we must write the same files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from att_support import document, trace_of_folder, wave_files

from fakes.recordings import recording
from rocm_perf_lab.vrocm.att.output import TracedDispatch, write_dispatch
from rocm_perf_lab.vrocm.att.timeline import Timeline, state_counts

_AGENT = 5600
# In one wave the decoder gave four cycles of execution to the stall behind them.
_FOUR_CYCLES = {2: "se0_sm1_sl0_wv0.json"}


@pytest.fixture(params=[1, 2], ids=["fill", "gemm"])
def number(request: pytest.FixtureRequest) -> int:
    dispatch: int = request.param
    return dispatch


@pytest.fixture
def recorded(number: int) -> Path:
    name = f"ui_output_agent_{_AGENT}_dispatch_{number}"
    return recording("mi300x-batched-gemm-trace") / name


@pytest.fixture
def written(number: int, recorded: Path, tmp_path: Path) -> Path:
    code_object = document(recorded, "code.json")["code"][0][4]
    kernel = document(recorded, "code.json")["code"][0][0][2:]
    dispatch = TracedDispatch(_AGENT, number, kernel, 0, {0: code_object})
    folder, _table = write_dispatch(trace_of_folder(recorded), dispatch, tmp_path)
    assert folder.name == recorded.name
    return folder


def test_code_and_statistics_are_the_recorded_ones(recorded: Path, written: Path) -> None:
    assert (written / "code.json").read_text() == (recorded / "code.json").read_text()
    table = f"stats_{recorded.name}.csv"
    assert (written.parent / table).read_text() == (recorded.parent / table).read_text()


def test_the_list_of_waves_is_the_recorded_one(recorded: Path, written: Path) -> None:
    name = "filenames.json"
    assert (written / name).read_text() == (recorded / name).read_text()


def test_waves_and_their_waits_are_the_recorded_ones(
    number: int, recorded: Path, written: Path
) -> None:
    assert wave_files(written) == wave_files(recorded)
    for name in wave_files(recorded):
        ours, theirs = document(written, name), document(recorded, name)
        if name == _FOUR_CYCLES.get(number):
            ours["wave"].pop("timeline"), theirs["wave"].pop("timeline")
        assert ours == theirs, name


def test_states_of_waves_are_the_recorded_ones(recorded: Path) -> None:
    timelines = []
    for name in wave_files(recorded):
        wave = document(recorded, name)["wave"]
        timelines.append(Timeline(wave["begin"], *np.array(wave["timeline"]).T))
    counts = state_counts(timelines)
    assert {f"wstates{state}.json" for state in counts} == {
        path.name for path in recorded.glob("wstates*.json")
    }
    for state, (times, number) in counts.items():
        theirs = document(recorded, f"wstates{state}.json")
        assert (times, number) == (theirs["time"], theirs["state"])


def test_other_documents_have_the_recorded_keys(recorded: Path, written: Path) -> None:
    assert {p.name for p in written.iterdir()} == {p.name for p in recorded.iterdir()}
    ours, theirs = (document(folder, "occupancy.json") for folder in (written, recorded))
    assert ours.keys() == theirs.keys()
    assert [row[:5] for row in ours["0"]] == [row[:5] for row in theirs["0"]]
    assert ours["version"] == theirs["version"]
    assert ours["dispatches"]["0"] == theirs["dispatches"]["0"]
    ours, theirs = (document(folder, "realtime.json") for folder in (written, recorded))
    assert ours.keys() == theirs.keys()
    assert ours["metadata"] == theirs["metadata"]
    (first, first_tick), (last, last_tick) = ours["SE0"]
    assert (last - first) / (last_tick - first_tick) == 21  # 2.1 GHz against 100 MHz
