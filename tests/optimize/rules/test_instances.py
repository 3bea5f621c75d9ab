"""Rules on kernel templates: with the types of the only instance, and with none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Union

import pytest
from rule_support import Bench

from rocm_perf_lab.optimize.gate import instances
from rocm_perf_lab.optimize.gate.instances import typed
from rocm_perf_lab.optimize.guards.source_check import check_source
from rocm_perf_lab.optimize.rules.access.vectorize import Vectorize
from rocm_perf_lab.optimize.rules.instances import assertion, looked
from rocm_perf_lab.optimize.rules.loops.hoist import Hoist
from rocm_perf_lab.optimize.rules.loops.unroll import Unroll
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Rule, Situation
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.source import TranslationUnit, splice_body
from rocm_perf_lab.optimize.source.instance import read_instance
from rocm_perf_lab.optimize.source.kernel_names import template_arguments

SUMS = """template <typename T, int ROWS>
__global__ void sums(const T* in, T* out, const int* index, T n) {
  T sum = 0;
  for (T k = 0; k < n; k += ROWS) {
    sum += in[k] * in[index[threadIdx.x]];
  }
  out[threadIdx.x] = sum;
}
void host() { (void)&sums<int, 4>; }
"""
COPY = """namespace app {
template <class T>
__global__ void copy(const T* __restrict__ in, T* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    out[i] = in[i];
  }
}
}  // namespace app
"""


def situation_of(bench: Bench, text: str, demangled: str, count: int = 1) -> Situation:
    plain = bench.situation(text)

    def parse(more: Mapping[str, bytes]) -> TranslationUnit:
        return bench.parser.parse(more)

    read = typed(plain.unit, plain.kernel, demangled, count, parse)
    return replace(plain, kernel=read.kernel, instance=read.instance, types_unknown=read.unknown)


def answers(
    bench: Bench, rule: Rule, situation: Situation
) -> tuple[list[Change], list[Union[Change, CannotChange]]]:
    found = list(looked(rule, situation))
    return [one for one in found if isinstance(one, Change)], found


def written(bench: Bench, situation: Situation, change: Change) -> str:
    """The body with what it relies on; it passes the guards of the source."""
    edits = (*assertion(situation, change), *change.edits)
    body = edited(situation.data, situation.kernel.body, edits)
    file = splice_body(situation.data, situation.kernel, body)
    assert situation.instance is not None
    pattern = situation.instance.pattern
    verdict = check_source(situation.unit, pattern, bench.parser.parse({pattern.path: file}))
    assert verdict.refusals == ()
    return body.decode()


@pytest.mark.parametrize(
    ("demangled", "expected"),
    [
        ("void k<float, 16>(float*, int)", ("float", "16")),
        ("void app::k<HIP_vector_type<float, 4u>, true>(int) [clone .kd]",
         ("HIP_vector_type<float, 4u>", "true")),
        ("void S<int>::k(float*)", ()),
        ("k(std::pair<int, int>)", ()),
        ("void k<void (*)(int, float)>(float*)", ("void (*)(int, float)",)),
        ("void (anonymous namespace)::k<(anonymous namespace)::Op>(int)", ("Op",)),
    ],
)  # fmt: skip
def test_a_demangled_name_has_the_arguments(demangled: str, expected: tuple[str, ...]) -> None:
    assert template_arguments(demangled) == expected


def test_places_are_those_of_the_template(bench: Bench) -> None:
    situation = situation_of(bench, SUMS, "void sums<int, 4>(int const*, int*, int const*, int)")
    assert situation.types_unknown is None
    data = situation.data
    sums = {n.span.of(data) for n in situation.kernel.tree.walk() if n.name == "sum"}
    assert sums == {b"T sum = 0", b"sum"}
    rows = [n for n in situation.kernel.tree.walk() if n.kind == "DeclRefExpr" and n.name == "ROWS"]
    assert [n.span.of(data) for n in rows] == [b"ROWS"]
    assert rows[0].referent is not None
    assert (rows[0].referent.name, rows[0].referent.is_constant) == ("ROWS", True)
    assert [p.canonical_type for p in situation.kernel.parameters][-1] == "int"
    assert situation.kernel.parameters[0].span.of(data) == b"const T* in"


def test_a_loop_that_counts_in_a_type_parameter_is_unrolled_for_it(bench: Bench) -> None:
    plain = bench.situation(SUMS)
    assert not [one for one in Unroll().look(plain) if isinstance(one, Change)]
    situation = situation_of(bench, SUMS, "void sums<int, 4>(int const*, int*, int const*, int)")
    changes, _ = answers(bench, Unroll(), situation)
    assert changes
    assert changes[0].relies_on == "__is_same(T, int) && ROWS == 4"
    body = written(bench, situation, changes[0])
    assert body.startswith("{\n  static_assert(__is_same(T, int) && ROWS == 4, ")
    assert body.count("static_assert") == 1


def test_what_is_right_for_every_type_promises_nothing(bench: Bench) -> None:
    text = SUMS.replace("for (T k", "for (int k").replace("T n", "int n")
    demangled = "void sums<float, 4>(float const*, float*, int const*, int)"
    situation = situation_of(bench, text, demangled)
    changes, _ = answers(bench, Unroll(), situation)
    assert changes
    assert all(change.relies_on is None for change in changes)


def test_elements_of_a_type_parameter_are_vectorised(bench: Bench) -> None:
    situation = situation_of(bench, COPY, "void app::copy<float>(float const*, float*, int)")
    changes, found = answers(bench, Vectorize(), situation)
    assert changes, found
    body = written(bench, situation, changes[0])
    assert "__is_same(T, float)" in body
    assert "float4" in body


def test_a_second_change_does_not_promise_again(bench: Bench) -> None:
    demangled = "void sums<int, 4>(int const*, int*, int const*, int)"
    first = situation_of(bench, SUMS, demangled)
    changes, _ = answers(bench, Unroll(), first)
    text = (
        first.data.decode()
        .partition("\n")[2]
        .replace(first.kernel.body.of(first.data).decode(), written(bench, first, changes[0]))
    )
    again = situation_of(bench, text, demangled)
    assert again.types_unknown is None
    for change in answers(bench, Hoist(), again)[0]:
        assert assertion(again, change) == ()


def test_instances_are_counted_in_the_code_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Launched or not, and in whichever unit: another kernel's name may begin with this one's."""
    names = ("_ZN3app4copyIfEEvPKT_PS1_i", "_ZN3app4copyIdEEvPKT_PS1_i", "_ZN3app5copy2IfEEvPT_")
    codes = [SimpleNamespace(kernels=[SimpleNamespace(name=name)]) for name in names]
    monkeypatch.setattr(instances, "read_code_objects", lambda _program: codes)
    assert instances.instances_of(Path("a.out"), names[0] + ".kd", "copy") == 2
    assert instances.instances_of(Path("a.out"), names[2], "copy2") == 1
    assert instances.instances_of(Path("a.out"), "_Z4copyPf", "copy") == 0


def test_code_from_elsewhere_has_instances_that_are_not_known(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "a.out").write_bytes(b"no code")
    assert instances.instances_of(tmp_path / "a.out", "_Z4copyIfEvPT_", "copy") == 0
    situation = situation_of(bench, COPY, "void app::copy<float>(float const*, float*, int)", 0)
    assert situation.types_unknown is not None
    assert "not known" in situation.types_unknown


def test_two_instances_leave_types_unknown(bench: Bench) -> None:
    situation = situation_of(bench, COPY, "void app::copy<float>(float const*, float*, int)", 2)
    assert situation.types_unknown is not None
    assert "2 instances" in situation.types_unknown
    assert not answers(bench, Vectorize(), situation)[0]


@pytest.mark.parametrize(
    ("header", "arguments", "why"),
    [
        ("template <typename... T>", ("float",), "header is not understood"),
        ("template <typename T, int N>", ("float",), "do not fit together"),
        ("template <template <class> class P, class T>", ("Box", "int"), "do not fit together"),
        ("template <typename T>", ("no_such_type",), "no_such_type"),
    ],
)
def test_other_templates_are_refused(
    bench: Bench, header: str, arguments: tuple[str, ...], why: str
) -> None:
    situation = bench.situation(f"{header}\n__global__ void k(int* out) {{ out[0] = 1; }}\n")
    read = read_instance(situation.unit, situation.kernel, arguments, bench.parser.parse)
    assert isinstance(read, str)
    assert why in read
