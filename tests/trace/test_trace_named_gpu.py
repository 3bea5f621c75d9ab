"""The GPU of a recording, said by its user."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from fakes.trace_samples import sample_trace
from rocm_perf_lab.arch import device_facts
from rocm_perf_lab.arch.named import gpu_named
from rocm_perf_lab.trace.model import Kernel, Trace
from rocm_perf_lab.trace.naming.distinct_names import with_distinct_names
from rocm_perf_lab.trace.naming.named_gpu import with_gpu

RECORD = {"cu_count": 304, "num_xcc": 8, "max_engine_clk_fcompute": 1900}


def of_gpu(name: str, product: str | None, **facts: object) -> Trace:
    trace = sample_trace()
    agents = [
        replace(a, name=name, product=product, facts=facts) if a.kind == "GPU" else a
        for a in trace.agents
    ]
    return replace(trace, agents=tuple(agents), warnings=())


@pytest.mark.parametrize(
    ("name", "product", "facts", "said"),
    [
        ("gfx90a", "AMD Instinct MI210", {"cu_count": 104}, "the recording says gfx90a"),
        ("gfx942", "AMD Instinct MI325X", RECORD, "the recording says AMD Instinct MI325X"),
        ("gfx942", None, {"device_id": 29861}, "the recording says MI325X"),
        ("gfx942", None, {"cu_count": 80}, "the recording says 80 CUs"),
    ],
)
def test_what_is_said_wins_and_is_told(
    name: str, product: str | None, facts: dict[str, object], said: str
) -> None:
    trace = with_gpu(of_gpu(name, product, **facts), gpu_named("mi300x"))
    gpu = trace.gpu_agents[0]
    assert (gpu.name, gpu.product, dict(gpu.facts)) == ("gfx942", "MI300X", {})
    assert trace.warnings == (f"{said}; taken for MI300X, because --gpu says so",)
    assert trace.agents[0] == sample_trace().agents[0]  # a CPU stays what it is


@pytest.mark.parametrize("name", ["gfx942", "unknown"])
def test_what_fits_is_kept(name: str) -> None:
    trace = with_gpu(of_gpu(name, None, **RECORD), gpu_named("mi300x"))
    assert trace.warnings == ()
    facts = device_facts("gfx942", trace.gpu_agents[0].facts)
    assert facts.product is not None
    assert (facts.product.name, facts.engine_clock_mhz) == ("MI300X", 1900)


def test_a_target_alone_invents_no_board() -> None:
    trace = with_gpu(of_gpu("unknown", None), gpu_named("gfx942"))
    facts = device_facts("gfx942", trace.gpu_agents[0].facts)
    assert (facts.product, facts.cu_count, facts.engine_clock_mhz) == (None, None, None)


def named(*kernels: tuple[str, str | None, int]) -> list[str]:
    records = tuple(
        Kernel(0, number, name, symbol, arch_vgpr=vgpr)
        for number, (name, symbol, vgpr) in enumerate(kernels)
    )
    return [k.name for k in with_distinct_names(Trace("", kernels=records)).kernels]


def test_truncated_names_get_back_what_tells_them_apart() -> None:
    assert named(("k", "_Z1kIi.kd", 8), ("k", "_Z1kIf.kd", 8), ("m", "m.kd", 4)) == [
        "k [_Z1kIi]", "k [_Z1kIf]", "m",
    ]  # fmt: skip
    assert named(("k", None, 8), ("k", None, 16)) == ["k [VGPR 8]", "k [VGPR 16]"]
    # One kernel on two GPUs, or loaded twice, is one kernel.
    assert named(("k", "k.kd", 8), ("k", "k.kd", 12)) == ["k", "k"]
    assert named(("k", None, 8), ("k", None, 8)) == ["k", "k"]
