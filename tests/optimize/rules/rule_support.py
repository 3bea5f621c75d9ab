"""Kernels for the tests of rules: parsed with as much of HIP as they name, changed, looked at."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from source_support import FLAGS, MINI_HIP

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.guards.source_check import SourceVerdict, check_source
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Launch, Rule, Situation
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.source import (
    Parser,
    TranslationUnit,
    compile_command,
    splice_body,
)

MORE_HIP = """
extern const __device__ dim3 blockDim, gridDim;
template <typename T, unsigned N> struct HIP_vector_type {
  T x, y;
  __device__ HIP_vector_type& operator=(const HIP_vector_type&) = default;
};
using float2 = HIP_vector_type<float, 2>;
__device__ float expf(float);
__device__ float sqrtf(float);
__device__ float fmaxf(float, float);
__device__ int min(int, int);
__device__ int max(int, int);
__device__ unsigned int __float_as_uint(float);
__device__ unsigned int atomicAdd(unsigned int*, unsigned int);
__device__ int atomicAdd(int*, int);
__device__ float __shfl_down(float, unsigned int);
__device__ int __shfl_down(int, unsigned int);
__device__ unsigned int __lane_id();
__device__ unsigned long long atomicAdd(unsigned long long*, unsigned long long);
__device__ int atomicMax(int*, int);
"""


class Bench:
    """One file that is parsed again with other contents."""

    def __init__(self, prefix: Prefix, folder: Path) -> None:
        self.main = folder / "main.hip"
        (folder / "hip.h").write_text(MINI_HIP + MORE_HIP)
        self.main.write_text('#include "hip.h"\n')
        self.parser = Parser(compile_command(prefix, self.main, list(FLAGS)), self.main)

    def parse(self, text: str) -> TranslationUnit:
        text = '#include "hip.h"\n' + text
        return self.parser.parse({str(self.main): text.encode()})

    def situation(
        self, text: str, allowed: Iterable[str] = (), launch: Launch | None = None
    ) -> Situation:
        unit = self.parse(text)
        assert not unit.errors, unit.errors
        return Situation(unit, unit.kernels[0], launch=launch, allowed=frozenset(allowed))

    def look(
        self, rule: Rule, text: str, allowed: Iterable[str] = ()
    ) -> tuple[list[Change], list[CannotChange]]:
        """Every change parses without errors and passes the guards of the source."""
        situation = self.situation(text, allowed)
        answers = list(rule.look(situation))
        changes = [answer for answer in answers if isinstance(answer, Change)]
        for change in changes:
            verdict = self.verdict(situation, change)
            assert verdict.refusals == (), (verdict.refusals, changed(situation, change))
        return changes, [answer for answer in answers if isinstance(answer, CannotChange)]

    def verdict(self, situation: Situation, change: Change) -> SourceVerdict:
        body = edited(situation.data, situation.kernel.body, change.edits)
        file = splice_body(situation.data, situation.kernel, body)
        after = self.parser.parse({str(self.main): file})
        return check_source(situation.unit, situation.kernel, after)

    def body(self, rule: Rule, text: str, title: str = "", allowed: Iterable[str] = ()) -> str:
        """The kernel's body after the first change whose title has ``title`` in it."""
        changes, refusals = self.look(rule, text, allowed)
        for change in changes:
            if title in change.title:
                return changed(self.situation(text, allowed), change)
        raise AssertionError(f"no change {title!r}: {[c.title for c in changes]}, {refusals}")


def changed(situation: Situation, change: Change) -> str:
    return edited(situation.data, situation.kernel.body, change.edits).decode()


def said(refusals: Iterable[CannotChange]) -> list[tuple[int, str]]:
    """The line of the kernel's text (the include is line 0) and why."""
    return [(r.location.line - 1 if r.location else 0, r.why) for r in refusals]
