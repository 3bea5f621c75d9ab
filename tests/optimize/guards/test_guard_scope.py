"""G1: what may change outside of a body is nothing but white space and comments."""

from __future__ import annotations

from pathlib import Path

import pytest
from source_support import HEADER, MAIN, Project, said

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.guards.source_check import check_source

pytestmark = pytest.mark.native

NEUTRAL = {
    "comment": ("int main() {", "// the start\nint main() /* } */ {"),
    "white space": ("enum Colour { kRed = 1 };", "enum Colour\n{\n  kRed=1\n};"),
    "header of the kernel": ("(const float* __restrict__ in,", "(const float *__restrict__ in,"),
    "spliced directive": ("#define TWICE (2", "#define TWICE \\\n (2"),
    "comment in a directive": ("#define TWICE (2", "#define TWICE /* two\nlines */ (2"),
}


@pytest.mark.parametrize("name", NEUTRAL)
def test_what_means_nothing_may_change(project: Project, name: str) -> None:
    verdict = project.check(*NEUTRAL[name])
    assert said(verdict) == []
    assert not verdict.changed


CHANGED = {
    "type": ("float* out, int n)", "float* out, long n)", "signature"),
    "const": ("(const float*", "(float*", "signature"),
    "restrict": (" __restrict__ in", " in", "signature"),
    "count": ("float* out, int n)", "float* out, int n, int m)", "signature"),
    "name of a parameter": ("float* out, int n)", "float* out, int m)", "signature"),
    "bounds": ("__launch_bounds__(64)", "__launch_bounds__(65)", "signature"),
    "no bounds": (" __launch_bounds__(64)", "", "signature"),
    "static": ("__global__ void __launch", "static __global__ void __launch", "signature"),
    "attribute": ("void __launch", "__attribute__((used)) void __launch", "signature"),
    "template": ("__global__ void __launch", "template <int N = 1>\n__global__ void __launch",
                 "signature"),
    "namespace": ("namespace app {", "namespace apps {", "kernel-missing"),
    "other kernel": ("value + 1", "value + 2", "outside"),
    "host code": ("return 0;", "return 1;", "outside"),
    "added host code": ("int main() { return 0; }", "int main() { return 0; }\nint x;",
                        "after-the-body"),
    "include": ('#include "part.h"', '#include "part.h"\n#include <cstdio>', "preprocessor"),
    "macro": ("((x) + 1)", "((x) + 2)", "preprocessor"),
    "macro with a space": ("#define SIZE(x)", "#define SIZE (x)", "preprocessor"),
    "line of a macro": ("#define TWICE (2 *", "#define TWICE (2\n*", "preprocessor"),
    "joined line": ("+ 1)\n#define TWICE", "+ 1) #define TWICE", "preprocessor"),
    "unused branch": ("it's not even", "it's even", "outside"),
    "end of a branch": ("tokens\n#endif", "tokens #endif", "kernel-missing"),
    "pragma": ("enum Colour", "#pragma pack(1)\nenum Colour", "preprocessor"),
    "string": ("{1, 2, 3}", "{1, 2, 0x3}", "outside"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_what_means_something_is_refused_by_name(project: Project, name: str) -> None:
    old, new, reason = CHANGED[name]
    assert said(project.check(old, new)) == [("G1", reason)]


def test_the_message_shows_both_and_the_place(project: Project) -> None:
    (refusal,) = project.check("return 0;", "return 12;").refusals
    told = "code outside of the body of work changed: '0' became '12'"
    assert str(refusal) == f"{project.main}:32:21: G1 outside: {told}"


def test_the_other_overload_is_not_the_one_that_may_change(project: Project) -> None:
    first, second = project.before.kernels_named("generic")
    after = project.parse(MAIN.replace("value + 1", "value + 2"))
    assert check_source(project.before, second, after).refusals == ()
    assert said(check_source(project.before, first, after)) == [("G1", "outside")]


def test_a_kernel_in_a_header_and_the_file_around_it(project: Project) -> None:
    inner = project.before.kernels_named("in_header")[0]
    changed = HEADER.replace("half_of(out[threadIdx.x])", "out[threadIdx.x] * 0.5f")
    verdict = check_source(project.before, inner, project.parse(MAIN, changed))
    assert said(verdict) == []
    assert verdict.changed
    both = project.parse(MAIN.replace("return 0", "return 1"), changed)
    refusals = check_source(project.before, inner, both).refusals
    assert [(r.stage.value, r.reason) for r in refusals] == [("G1", "other-file")]
    assert "main.hip changed" in refusals[0].message
    helper = HEADER.replace("value * 0.5f", "value * 0.25f")
    assert said(check_source(project.before, inner, project.parse(MAIN, helper))) == [
        ("G1", "outside")
    ]


def test_trigraphs_count_where_the_language_has_them(rocm: Prefix, tmp_path: Path) -> None:
    """In C++14 the comment goes on over the line end, and the statement behind it is gone."""
    project = Project(rocm, tmp_path, MAIN, ["-std=c++14"])
    try:
        old, new = "int main() { return 0; }", "// why??/\nint other;\nint main() { return 0; }"
        assert said(project.check(old, new)) == []
        body = project.insert("  ??=define n 3\n")
        assert said(body) == [("G2", "preprocessor")]
    finally:
        project.parser.close()
