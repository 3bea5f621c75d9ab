"""A profile and an explanation say which lower bounds decided times of the virtual device."""

from __future__ import annotations

from rocm_perf_lab.analysis.documents.kernel_rows.time_bounds import MEANINGS, sentences
from rocm_perf_lab.analysis.documents.profile import Origin, RunInput, build_profile
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument, TimeBoundModel
from rocm_perf_lab.reporters.figures.profile import render_profile
from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Kernel, Process

AGENT = Agent(0, 3, "GPU", "gfx942", "AMD Instinct MI300X (virtual)", 0, {})


def profile(*bounds: tuple[str, str, int, int]) -> ProfileDocument:
    """Of dispatches: kernel, bound or nothing, duration, what the simulation said."""
    builder = TraceBuilder(Process("guid", 1, None, None, "made up"))
    builder.add_agent(AGENT)
    at = 0
    for number, (name, bound, duration, simulated) in enumerate(bounds):
        kernel = builder.add_kernel(Kernel(0, len(name), name, None))
        row = builder.add_dispatch(
            start=at, end=at + duration, kernel=kernel, agent_id=3, dispatch_id=number + 1
        )
        at += duration
        assert row is not None
        if bound:
            builder.add_bound(row, bound, simulated)
    runs = [RunInput(builder.build())]
    return build_profile(runs, Origin("recorded", "0", source=["made up"]))


def test_bounds_are_summed_by_kernel_and_name() -> None:
    found = profile(
        ("one", "HBM", 900, 500), ("one", "HBM", 700, 600), ("one", "", 800, 0),
        ("one", "wave", 5000, 4000), ("other", "HBM", 300, 200),
    )  # fmt: skip
    one, other = found.kernels
    assert one.time_bounds == [
        TimeBoundModel(name="wave", meaning=MEANINGS["wave"], dispatches=1, total_ns=5000,
                       simulated_ns=4000),
        TimeBoundModel(name="HBM", meaning=MEANINGS["HBM"], dispatches=2, total_ns=1600,
                       simulated_ns=1100),
    ]  # fmt: skip
    assert [bound.total_ns for bound in other.time_bounds] == [300]


def test_a_person_reads_why() -> None:
    found = profile(("one", "HBM", 12_340, 5000), ("one", "", 800, 0))
    text = (
        "the time of 1 of 2 dispatches of one is the lower bound 'HBM' (the HBM passes no more "
        "bytes): 12.34 us, where the simulation of a sample said 5 us"
    )
    assert sentences(found.kernels) == [text]
    page = render_profile(found)
    assert f"Virtual time: {text}." in " ".join(page.split())
    assert max(map(len, page.splitlines())) <= 100


def test_nothing_is_said_where_the_simulation_decided() -> None:
    found = profile(("one", "", 800, 0))
    assert found.kernels[0].time_bounds == []
    assert "Virtual time" not in render_profile(found)


def test_a_bound_of_another_version_keeps_its_name() -> None:
    (row,) = profile(("one", "gravity", 800, 0)).kernels
    assert row.time_bounds[0].meaning is None
    assert sentences([row])[0].startswith("the time of 1 of 1 dispatches of one is the lower bound")
    assert "'gravity':" in sentences([row])[0]
