"""Launch bounds: only when asked, only what was seen, and nothing else beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rule_support import Bench

from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.guards.source_check import SourceVerdict, check_source
from rocm_perf_lab.optimize.rules.launch_bounds import LaunchBounds
from rocm_perf_lab.optimize.rules.rule import LAUNCH_BOUNDS, CannotChange, Change, Situation
from rocm_perf_lab.optimize.source.splice import splice_launch_bounds

pytestmark = pytest.mark.native

KERNEL = """/* A kernel. */
template <int N>
__global__ void k(float* out) { out[threadIdx.x] = N; }
__global__ void other(float* out) { out[0] = 1; }
"""
PLAIN = "namespace app {\n  __global__ void k(float* out) { out[threadIdx.x] = 1; }\n}\n"


def seen(bench: Bench, text: str, threads: int | None, asked: bool = True) -> Situation:
    allowed = [LAUNCH_BOUNDS] if asked else []
    return replace(bench.situation(text, allowed), largest_block=threads)


def spliced(situation: Situation, threads: int) -> bytes:
    kernel = situation.kernel
    tokens = situation.unit.files[kernel.path].tokens
    return splice_launch_bounds(situation.data, kernel, tokens, threads)


def checked(bench: Bench, situation: Situation, data: bytes, agreed: int | None) -> SourceVerdict:
    after = bench.parser.parse({str(bench.main): data})
    allowed = Allowances(launch_bounds=agreed)
    return check_source(situation.unit, situation.kernel, after, allowed)


def test_it_promises_the_largest_block_that_was_seen(bench: Bench) -> None:
    situation = seen(bench, PLAIN, 192)
    (change,) = LaunchBounds().look(situation)
    assert isinstance(change, Change)
    assert (change.launch_bounds, change.edits) == (192, ())
    assert spliced(situation, 192).decode().splitlines()[1:] == [
        "namespace app {",
        "  // No block has more than 192 threads: each may use more registers.",
        "  __global__ __launch_bounds__(192) void k(float* out) { out[threadIdx.x] = 1; }",
        "}",
    ]


def test_it_does_nothing_unasked(bench: Bench) -> None:
    assert list(LaunchBounds().look(seen(bench, PLAIN, 192, asked=False))) == []


@pytest.mark.parametrize(
    ("text", "threads", "why"),
    [
        (PLAIN.replace("void k", "__launch_bounds__(64) void k"), 64,
         "it has launch bounds already"),
        (PLAIN, None, "no launch of it was seen"),
        (PLAIN, 1024, "its blocks have 1024 threads, which the compiler assumes already"),
        ("#define KERNEL __global__\n" + PLAIN.replace("__global__", "KERNEL"), 64,
         "its __global__ comes from a macro"),
    ],
)  # fmt: skip
def test_refusals_say_why(bench: Bench, text: str, threads: int | None, why: str) -> None:
    (answer,) = LaunchBounds().look(seen(bench, text, threads))
    assert isinstance(answer, CannotChange)
    assert answer.why == why


@pytest.mark.parametrize("text", [PLAIN, KERNEL])
def test_the_guard_lets_the_agreed_number_by_and_no_other(bench: Bench, text: str) -> None:
    situation = seen(bench, text, 128)
    data = spliced(situation, 128)
    verdict = checked(bench, situation, data, 128)
    assert (verdict.refusals, verdict.changed) == ((), True)
    for agreed in (None, 64, 256):
        (refusal,) = checked(bench, situation, data, agreed).refusals
        assert refusal.reason == "signature"


SMUGGLED = {
    "a second number": (b"(128)", b"(128, 2)"),
    "another attribute": (b"(128)", b"(128) __attribute__((used))"),
    "twice": (b"(128)", b"(128) __launch_bounds__(128)"),
    "another kernel": (b"__launch_bounds__(128) void k", b"void k"),
    "a sum": (b"(128)", b"(64 + 64)"),
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_nothing_rides_along(bench: Bench, name: str) -> None:
    situation = seen(bench, KERNEL, 128)
    old, new = SMUGGLED[name]
    data = spliced(situation, 128).replace(old, new)
    if name == "another kernel":
        data = data.replace(
            b"__global__ void other", b"__global__ __launch_bounds__(128) void other"
        )
    (refusal,) = checked(bench, situation, data, 128).refusals
    assert refusal.reason in ("signature", "outside", "after-the-body")
