"""What clang says about a project, as data; byte offsets are checked against the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from source_support import HEADER, MAIN, Project

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ToolFailed, ToolMissing
from rocm_perf_lab.optimize.source import Kernel, compile_command, splice_body
from rocm_perf_lab.optimize.source.clang_library import load_library
from rocm_perf_lab.optimize.source.tokens import directives

pytestmark = pytest.mark.native


def kernel(project: Project, name: str = "work") -> Kernel:
    return project.before.kernels_named(name)[0]


def test_all_kernels_of_the_users_files_are_there(project: Project) -> None:
    assert [k.qualified_name for k in project.before.kernels] == [
        "app::work",
        "generic",
        "generic",
        "in_header",
    ]
    assert set(project.before.files) == {str(project.main), str(project.header)}
    assert kernel(project, "in_header").path == str(project.header)
    assert [k.is_template for k in project.before.kernels_named("generic")] == [True, False]


def test_spans_are_bytes_of_the_file(project: Project) -> None:
    data = MAIN.encode()
    work = kernel(project)
    assert work.span.of(data).startswith(b"__global__ void __launch_bounds__(64) work(")
    assert work.body.of(data).startswith(b"{\n  /* body */")
    assert work.body.of(data).endswith(b"+ seen;\n}")
    assert work.span.end == work.body.end
    first, second = project.before.kernels_named("generic")
    assert first.span.of(data).startswith(b"template <class T>")
    assert second.span.of(data).startswith(b"template <>")
    assert kernel(project, "in_header").body.of(HEADER.encode()).startswith(b"{ out[")


def test_parameters_attributes_and_loops(project: Project) -> None:
    work = kernel(project)
    assert [(p.name, p.canonical_type) for p in work.parameters] == [
        ("in", "const float *__restrict"),
        ("out", "float *"),
        ("n", "int"),
    ]
    assert "attribute(global)" in work.attributes
    assert [loop.kind for loop in work.loops()] == ["ForStmt", "WhileStmt"]
    assert work.loops()[0].span.of(MAIN.encode()).startswith(b"for (int i = threadIdx.x;")


def test_names_are_resolved(project: Project) -> None:
    names = {
        node.referent.name: node.referent
        for node in kernel(project).tree.walk()
        if node.referent is not None
    }
    assert names["__expf"].kind == "FunctionDecl"
    assert names["__expf"].path is not None
    assert not names["tile"].at_namespace_scope
    assert names["threadIdx"].is_constant
    called = {n.referent.name for n in kernel(project, "in_header").tree.walk() if n.referent}
    assert "half_of" in called


def test_macros_are_resolved_through_each_other(project: Project) -> None:
    uses = {use.name: use for use in kernel(project).macros}
    assert set(uses) == {"__shared__", "TWICE"}
    assert uses["TWICE"].span.of(MAIN.encode()) == b"TWICE"
    assert {"SIZE", "2", "+"} <= set(uses["TWICE"].words)


def test_tokens_cover_the_file_without_gaps_but_white_space(project: Project) -> None:
    data = MAIN.encode()
    tokens = project.before.files[str(project.main)].tokens
    place = 0
    for token in tokens:
        assert not data[place : token.span.start].strip()
        assert token.text == token.span.of(data)
        place = token.span.end
    assert not data[place:].strip()
    assert [line.text for line in directives(tokens)][:3] == [
        '#include "hip.h"',
        '#include "part.h"',
        "#define SIZE(x) ((x) + 1)",
    ]


@pytest.mark.parametrize("crlf", [False, True])
def test_a_splice_keeps_every_other_byte(project: Project, crlf: bool) -> None:
    text = MAIN.replace("\n", "\r\n") if crlf else MAIN
    unit = project.parse(text)
    work = unit.kernels_named("work")[0]
    made = splice_body(text.encode(), work, b"{\n  out[0] = 1;\n}")
    new = b"{\r\n  out[0] = 1;\r\n}" if crlf else b"{\n  out[0] = 1;\n}"
    assert made == text.encode()[: work.body.start] + new + text.encode()[work.body.end :]
    again = project.parse(made.decode()).kernels_named("work")[0]
    assert again.body.of(made) == new


def test_a_kernel_that_a_macro_makes_cannot_be_replaced(project: Project) -> None:
    text = MAIN + "#define K(name) __global__ void name(int* out) { out[0] = 1; }\nK(made)\n"
    made = project.parse(text).kernels_named("made")[0]
    assert made.fixed == "its braces come from a macro"
    with pytest.raises(ValueError, match="body of made cannot be replaced: its braces"):
        splice_body(text.encode(), made, b"{}")


def test_errors_have_a_place_and_do_not_hide_kernels(project: Project) -> None:
    unit = project.parse(MAIN.replace("/* body */", "int x = ;"))
    assert [error.text for error in unit.errors] == ["expected expression"]
    assert unit.errors[0].path == str(project.main)
    assert MAIN.encode()[: unit.errors[0].offset].count(b"\n") == MAIN[
        : MAIN.index("/* body")
    ].count("\n")
    assert len(unit.kernels) == 4


def test_a_sum_of_many_terms_does_not_exhaust_the_stack(project: Project) -> None:
    many = " + ".join(["in[0]"] * 3000)
    unit = project.parse(MAIN.replace("/* body */", f"out[0] = {many};"))
    assert not unit.errors
    assert sum(1 for _ in unit.kernels_named("work")[0].tree.walk()) > 6000


def test_flags_decide_what_is_read(rocm: Prefix, tmp_path: Path) -> None:
    text = MAIN.replace("/* body */", "\n#ifdef MORE\n  for (;;) {}\n#endif\n")
    loops = []
    for flags in ([], ["-DMORE"]):
        project = Project(rocm, tmp_path, text, flags)
        loops.append(len(kernel(project).loops()))
        project.parser.close()
    assert loops == [2, 3]


def test_what_is_missing_is_named(tmp_path: Path, rocm: Prefix) -> None:
    with pytest.raises(ToolMissing, match="there is no libclang in"):
        load_library(tmp_path / "bin" / "clang++")
    with pytest.raises(ToolFailed, match="does not say how it compiles"):
        compile_command(rocm, tmp_path / "a.hip", ["-fgpu-rdc"])
