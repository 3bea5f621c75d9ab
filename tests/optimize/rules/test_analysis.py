"""What rules learn from the syntax tree: loops, effects, overlaps, names, places."""

from __future__ import annotations

import pytest
from rule_support import Bench

from rocm_perf_lab.optimize.rules.reading.aliasing import may_overlap, storage_of
from rocm_perf_lab.optimize.rules.reading.known_functions import kind_of
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.purity import Effects, effects_of, why_fixed
from rocm_perf_lab.optimize.rules.reading.syntax import statement_span, statements
from rocm_perf_lab.optimize.rules.rule import CannotChange
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indented
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames

pytestmark = pytest.mark.native

PARAMETERS = "const float* a, float* b, const int* index, int n"


def kernel(body: str, parameters: str = PARAMETERS) -> str:
    return f"__device__ float other(float x);\n__global__ void k({parameters}) {{\n{body}\n}}\n"


def effects(bench: Bench, body: str, parameters: str = PARAMETERS) -> Effects:
    situation = bench.situation(kernel(body, parameters))
    return effects_of([situation.kernel.tree], situation.unit)


def test_variables_and_memory_are_told_apart(bench: Bench) -> None:
    found = effects(bench, "  int i = threadIdx.x;\n  b[i] += a[index[i]] * expf(2.0f);\n  n--;")
    assert found.writes == {"i", "n"}
    assert found.reads == {"i", "n", "a", "b", "index"}
    assert [(load.root, load.type) for load in found.loads] == [
        ("b", "float"),
        ("a", "const float"),
        ("index", "const int"),
    ]
    assert [store.root for store in found.stores] == ["b"]
    assert not found.fixed


@pytest.mark.parametrize(
    ("line", "list_name", "said"),
    [
        ("__syncthreads();", "barriers", "__syncthreads is a barrier"),
        ("__threadfence();", "barriers", "__threadfence is a barrier"),
        ("atomicAdd(b, 1.0f);", "atomics", "atomicAdd is an atomic operation"),
        ("b[0] = __shfl_xor(b[1], 2);", "exchanges", "exchanges values with other lanes"),
        ("b[0] = other(1.0f);", "unknown", "what other does is not known"),
        ("volatile float v = 1.0f;", "unknown", "what it does is not known"),
        ("float& r = b[0]; r = 1.0f;", "unknown", "what it does is not known"),
        ("auto f = [&] { n = 3; }; f();", "unknown", "what it does is not known"),
    ],
)
def test_what_must_keep_its_place_is_found(
    bench: Bench, line: str, list_name: str, said: str
) -> None:
    situation = bench.situation(kernel(line))
    found = effects_of([situation.kernel.tree], situation.unit)
    assert getattr(found, list_name)
    fixed = why_fixed(found, situation.unit)
    assert fixed is not None
    assert said in fixed[1]


def test_a_users_function_is_not_known_whatever_its_name(bench: Bench) -> None:
    text = "__device__ float tanhf(float x) { return x; }\n" + kernel("b[0] = tanhf(1.0f);")
    situation = bench.situation(text)
    assert effects_of([situation.kernel.tree], situation.unit).unknown


def test_an_address_that_is_taken_counts_as_a_write(bench: Bench) -> None:
    assert "n" in effects(bench, "int* p = &n;").writes
    assert "a" not in effects(bench, "const float* p = &a[n];").writes
    assert not effects(bench, "const float* p = &a[n];").loads


def test_members_and_rows(bench: Bench) -> None:
    parameters = "float4* v, float4 w, int n"
    found = effects(
        bench, "__shared__ float t[4][4]; t[n][1] = v->x + v[n].y; w.z = 1.0f;", parameters
    )
    assert [(store.root, store.type) for store in found.stores] == [("t", "float")]
    assert [load.root for load in found.loads] == ["v", "v"]
    assert "w" in found.writes


OVERLAPS = """  __shared__ float tile[64], other_tile[64];
  float mine[4];
  const float* row = a + n;
  float* moving = b;
  moving += 4;
  tile[0] = row[1] + a[2] + other_tile[0] + mine[0] + r[0] + index[0];
  moving[0] = b[1];
"""


@pytest.mark.parametrize(
    ("load", "store", "meet"),
    [
        ("a", "moving", True),
        ("row", "moving", True),
        ("b", "moving", True),
        ("r", "moving", False),  # restrict
        ("index", "moving", False),  # another type
        ("mine", "moving", False),
        ("other_tile", "moving", False),
        ("other_tile", "tile", False),
        ("row", "tile", False),
    ],
)
def test_which_accesses_can_meet(bench: Bench, load: str, store: str, meet: bool) -> None:
    text = kernel(OVERLAPS, PARAMETERS + ", const float* __restrict__ r")
    situation = bench.situation(text)
    found = effects_of([situation.kernel.tree], situation.unit)
    one = next(access for access in found.loads if access.root == load)
    other = next(access for access in found.stores if access.root == store)
    assert may_overlap(one, other, situation.kernel) is meet


def test_a_pointer_that_is_set_again_is_not_clear(bench: Bench) -> None:
    situation = bench.situation(kernel("const float* p = a; if (n) p = b; b[0] = p[0];"))
    assert storage_of("p", situation.kernel).kind == "unknown"
    assert storage_of("a", situation.kernel).name == "a"


@pytest.mark.parametrize(
    ("header", "shape"),
    [
        ("for (int i = 0; i < n; i++)", ("i", "<", 1, True, True)),
        ("for (int i = 0; n > i; i += 2)", ("i", "<", 2, True, True)),
        ("for (n = 5; n >= 1; n -= 3)", ("n", ">=", -3, False, False)),
        ("for (; n != 8; ++n)", ("n", "!=", 1, False, True)),
        ("for (unsigned i = threadIdx.x; i < 9; i += blockDim.x)", ("i", "<", None, True, True)),
    ],
)
def test_loops_that_count(bench: Bench, header: str, shape: tuple[object, ...]) -> None:
    situation = bench.situation(kernel(f"  {header} b[0] += a[1];"))
    loop = counted_loop(situation, situation.kernel.loops()[0])
    assert isinstance(loop, CountedLoop), loop
    found = (loop.variable, loop.comparison, loop.step, loop.declared_here, loop.counts_up)
    assert found == shape
    assert loop.parts.header.of(situation.data).decode() == header


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        ("for (int i = 0; i < n; i++) n--;", "its bound or step is not fixed: n changes"),
        ("for (int i = 0; i < n; i++) i += a[i];", "i is changed in its body"),
        ("for (float x = 0; x < n; x++) b[0] = x;", "x is not an integer of 32 or 64 bits"),
        ("for (int i = 1; i < n; i *= 2) b[0] = i;", "its increment is not an addition"),
        ("for (;;) break;", "it is not written as for"),
        ("for (int i = 0, j = 1; i < n; i++) b[i] = j;", "its first part does more than to set i"),
        ("for (int i = 0; i * i < n; i++) b[i] = 0;", "does not compare i with a bound"),
        ("for (int i = 0; i < b[0]; i++) b[i] = 0;", "the store to b may change what is read"),
        ("for (int i = 0; i < other(1); i++) b[i] = 0;", "it is more than a value"),
        ("for (int i = 0; i < n; i++) { auto f = [&] { i++; }; f(); }", "i is changed"),
        ("while (n > 1) n--;", "it is not written as for"),
    ],
)
def test_loops_that_do_not(bench: Bench, loop: str, why: str) -> None:
    situation = bench.situation(kernel("  " + loop))
    answer = counted_loop(situation, situation.kernel.loops()[0])
    assert isinstance(answer, CannotChange)
    assert why in answer.why
    assert str(answer.location).endswith("main.hip:4:3")


def test_a_bound_in_memory_that_nothing_changes(bench: Bench) -> None:
    loop = "for (int i = index[n]; i < index[n + 1]; i++) b[0] += a[i];"
    situation = bench.situation(kernel(loop))
    assert isinstance(counted_loop(situation, situation.kernel.loops()[0]), CountedLoop)


def test_statements_end_with_their_semicolon(bench: Bench) -> None:
    body = "  b[0] = 1;\n  if (n) b[1] = 2; else { b[2] = 3; }\n  for (;;) b[3] = 4 ;\n  int q = 1;"
    situation = bench.situation(kernel(body))
    tokens = situation.unit.files[situation.kernel.path].tokens
    found = [
        statement_span(node, tokens).of(situation.data).decode()
        for node in statements(situation.kernel.tree)
    ]
    assert found == [
        "b[0] = 1;",
        "if (n) b[1] = 2; else { b[2] = 3; }",
        "for (;;) b[3] = 4 ;",
        "int q = 1;",
    ]


def test_a_fresh_name_is_nowhere_in_the_file(bench: Bench) -> None:
    names = FreshNames(bench.parse("#define row_2 1\nint row;\n" + kernel("")))
    assert [names.new("row"), names.new("row"), names.new("column")] == ["row_3", "row_4", "column"]


def test_indentation_is_that_of_the_file(bench: Bench) -> None:
    situation = bench.situation(kernel("    b[0] = 1;"))
    assert indent_step(situation.data, situation.kernel) == b"    "
    assert indented(b"a {\n  b;\n\n#x\n  }", b"  ", b"      ") == b"a {\n      b;\n\n#x\n      }"


def test_half_precision_has_no_side_effects() -> None:
    pure = "__hgt2 __hmul2 __hfma __float2half2_rn __half22float2 __half2float __low2half h2exp"
    assert {kind_of(name, False) for name in pure.split()} == {"pure"}
    assert {kind_of(f"{one}::{one}", False) for one in ("__half", "__half2")} == {"pure"}
    assert kind_of("__half2::operator=", False) == "assignment"
    assert kind_of("__half2::operator+=", False) == "unknown"
    assert kind_of("__hgt2", True) == "unknown", "the user's own"
    assert kind_of("__shfl", False) == "exchange"
