"""Runs written by hand for reports: a virtual device, two streams, names that try to be markup."""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.analysis.documents.critical_path import with_critical_path
from rocm_perf_lab.analysis.documents.profile import Origin, RunInput, build_profile
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.models import judge_profile
from rocm_perf_lab.analysis.path.run_path import path_of_runs
from rocm_perf_lab.report.contents import Measured
from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace

HOSTILE = "<img src=x onerror=document.title='broken'><script>document.title='broken'</script>"
NAMES = ("gemm_tile(float*)", "copy_rows(float*)", HOSTILE)
VIRTUAL = "AMD Instinct MI300X (virtual)"


def run_of(dispatches: int, product: str = VIRTUAL, names: Sequence[str] = NAMES) -> Trace:
    """Kernels one behind the other on two streams; the first ones are long."""
    builder = TraceBuilder(Process("guid", 7, "./app 1", "box", "hand"))
    builder.add_agent(Agent(0, 2, "GPU", "gfx942", product, 0, {"wave_front_size": 64}))
    at = [1000, 1000]
    for number in range(dispatches):
        kernel, stream = number % len(names), number % 2
        length = 400 + 90 * kernel + (20_000 if number < 4 else 0)
        builder.add_dispatch(
            start=at[stream],
            end=at[stream] + length,
            kernel=builder.add_kernel(
                Kernel(0, kernel, names[kernel], None, None, 40 + 60 * kernel, 0, 32, 0, 0, 64)
            ),
            agent_id=2,
            dispatch_id=number + 1,
            stream_id=stream + 1,
            thread=9,
            grid=(65536, 1, 1),
            block=(256, 1, 1),
            lds=4096 * kernel,
            scratch=0,
        )
        at[stream] += length + 100
    return builder.build()


def measured_run(dispatches: int = 30, product: str = VIRTUAL, first: str = NAMES[0]) -> Measured:
    """``first``: the name of the kernel that takes most of the time."""
    traces = [run_of(dispatches, product, (first, *NAMES[1:])) for _ in range(2)]
    profile = build_profile([RunInput(trace) for trace in traces], Origin("recorded", "1", ["app"]))
    path = path_of_runs(traces)
    profile = with_critical_path(profile, path, ())
    verdicts = judge_profile(profile, merge(traces, "runs"))
    return Measured(profile, explanation_of(profile, verdicts), path, tuple(traces))
