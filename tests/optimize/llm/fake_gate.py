"""A kernel, a profile of it and a gate that says what a test wants: no compiler, no device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import msgspec

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.optimize.attempt import Attempt, refused
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.proposal import Proposal
from rocm_perf_lab.optimize.refusal import Refusal, Stage
from rocm_perf_lab.optimize.rules.rule import Bottleneck, Launch, Situation
from rocm_perf_lab.optimize.source.model import (
    Kernel,
    Node,
    Referent,
    SourceFile,
    Span,
    TranslationUnit,
)

PATH = "/home/somebody/project/sums.hip"
PROFILED = "row_sums(float const*, float*, int)"
SOURCE = """\
#include <hip/hip_runtime.h>
__device__ float twice(float x) { return x + x; }

__global__ void row_sums(const float* in, float* out, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += in[i];
  out[threadIdx.x] = sum;
}

int main() { return 0; }
"""
BETTER = """\
__global__ void row_sums(const float* in, float* out, int n) {
  float sum = 0.0f;
#pragma unroll 4
  for (int i = 0; i < n; ++i) sum += in[i];
  out[threadIdx.x] = sum;
}
"""


def situation_of(source: str = SOURCE, helper: Optional[str] = None) -> Situation:
    """``helper``: a function of the file that the kernel uses."""
    data = source.encode()
    start, end = data.index(b"__global__"), data.index(b"\n}\n", data.index(b"__global__")) + 2
    body = Span(data.index(b"{", start), end)
    referent = helper and Referent("FunctionDecl", helper, PATH, True, False)
    tree = Node("CompoundStmt", "", "", "", "", body, False, referent or None, ())
    kernel = Kernel(
        "row_sums", "row_sums", PATH, Span(start, end), body, False, (), (), (), tree, None
    )
    unit = TranslationUnit(PATH, {PATH: SourceFile(PATH, data, ())}, (kernel,), ())
    launch = Launch((4, 1, 1), (64, 1, 1), {"n": 256})
    limits = Bottleneck(("latency bound", "memory bound"), {"memory_reached": 0.0016})
    return Situation(unit, kernel, launch, limits)


def profile_of(hot: Sequence[dict[str, Any]] = ()) -> ProfileDocument:
    """With an analysis where lines are ``hot``."""
    return msgspec.convert(_profile(hot), ProfileDocument)


@dataclass
class FakeGate:
    """``says`` has the answers to definitions, in order; accepted ones become the source."""

    says: list[Attempt] = field(default_factory=list)
    profile: ProfileDocument = field(default_factory=profile_of)
    source: str = SOURCE
    tried: list[tuple[str, str]] = field(default_factory=list)  # title, definition
    done: list[Attempt] = field(default_factory=list)
    kernel: str = "row_sums"
    profiled: str = PROFILED

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return tuple(self.done)

    def situation(self) -> Situation:
        return situation_of(self.source)

    def seconds_left(self) -> Optional[float]:
        return None

    def try_proposal(self, proposal: Proposal) -> Attempt:
        raise AssertionError("a model hands over definitions")

    def try_definition(
        self,
        definition: str,
        title: str,
        reason: str,
        allowed: Allowances = Allowances(),  # noqa: B008 (it is frozen)
    ) -> Attempt:
        assert allowed == Allowances(), "a model is allowed nothing of its own"
        self.tried.append((title, definition))
        attempt = self.says.pop(0)
        if attempt.accepted:
            span = self.situation().kernel.span
            data = self.source.encode()
            self.source = (data[: span.start] + definition.encode() + data[span.end :]).decode()
        self.done.append(attempt)
        return attempt

    def note_refusal(self, title: str, refusal: Refusal) -> Attempt:
        self.done.append(refused(self.kernel, title, refusal))
        return self.done[-1]


def accepted(title: str = "reply 1") -> Attempt:
    return Attempt("row_sums", title, Stage.CONFIRMATION, "accept", "1.5x", speedup=1.5, low=1.4)


def rejected(stage: Stage, reason: str, compiler: str = "") -> Attempt:
    return Attempt("row_sums", "reply", stage, "reject", reason, compiler=compiler)


def _profile(hot: Sequence[dict[str, Any]]) -> dict[str, Any]:
    resources = {
        "vgpr_per_thread": 12,
        "sgpr_per_wave": 16,
        "lds_bytes": 0,
        "arch_vgpr": 12,
        "accum_vgpr": 0,
        "scratch_bytes": 0,
    }
    row = {
        "name": PROFILED, "symbol": "_Z8row_sumsPKfPfi", "runtime_internal": False,
        "dispatches": 4, "total_ns": 120_000, "min_ns": 30_000, "median_ns": 30_000.0,
        "mean_ns": 30_000.0, "max_ns": 30_000, "cv": 0.0, "share": 0.9, "grid": (256, 1, 1),
        "block": (64, 1, 1), "launch_shapes": 1, "resources": resources, "occupancy": None,
    }  # fmt: skip
    return {
        "schema_version": "1.1", "tool_version": "1", "command": ["app"], "source": None,
        "kernel": {"name": PROFILED, "grid": (256, 1, 1), "block": (64, 1, 1)},
        "gpu": {"architecture": "gfx942", "wave_size": 64, "compute_units": 304},
        "device": {
            "kind": "virtual", "gfx": "gfx942", "product": "AMD Instinct MI300X (virtual)",
            "compute_units": 304, "xcc_count": 8, "max_clock_mhz": 2100,
        },
        "runtime_ms": 0.12,
        "stability": {
            "runs": 1, "mean_ms": 0.12, "stddev_ms": None, "cv": None, "classification": None,
            "samples_ms": [0.12], "quantity": "kernel_time",
        },
        "resources": resources, "occupancy": None, "roofline": None,
        "timing": {
            "kernel_sum_ms": 0.12, "gpu_busy_ms": 0.12, "span_ms": 0.2, "wall_ms": 50.0, "run": 0
        },
        "analysis": _analysis(hot) if hot else None,
        "kernels": [row], "warnings": [], "unavailable": [],
    }  # fmt: skip


def _analysis(hot: Sequence[dict[str, Any]]) -> dict[str, Any]:
    trace = {
        "source": "t", "kernels": [PROFILED], "instruction_mix": {"valu": 0.6, "vmem": 0.4},
        "latency_mix": {}, "stall_fraction": 0.8, "issue_fraction": 0.15, "idle_fraction": 0.05,
        "stall_of_latency": 0.8, "wait_share": 0.8, "barrier_share": 0.0, "scratch_share": 0.0,
        "scratch_wait_share": None, "ipc": 0.03, "ipc_simd": None, "mean_wave_cycles": None,
        "mean_wave_us": None, "avg_memory_latency": 192.8, "memory_latency": {}, "waits": [],
        "occupancy": [], "hot_instructions": [], "hot_sources": list(hot), "warnings": [],
    }  # fmt: skip
    why = {
        "primary": "latency bound", "runner_up": None, "close_call": False, "confidence": 0.9,
        "reasoning": ["waves wait for memory"], "missing": [],
        "evidence": [{
            "name": "stall", "value": 0.8, "threshold": 0.5, "unit": "share",
            "meaning": "of the time waves wait", "decides": True,
        }],
    }  # fmt: skip
    kernel = {
        "kernel": PROFILED, "time_ms": 0.12, "share": 0.9, "att": trace, "static": None,
        "bottleneck": why, "headroom": {"fraction": 0.97, "bound": "hbm"}, "unavailable": [],
    }  # fmt: skip
    return {
        "schema_version": "1.0", "tool_version": "1", "source": None, "virtual": True,
        "kernels": [kernel], "notes": [],
    }  # fmt: skip
