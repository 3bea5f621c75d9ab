"""The parser in a process of its own: the same answers, and an end when it takes too long."""

from __future__ import annotations

from pathlib import Path

import pytest
from source_support import FLAGS, MAIN, Project

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ToolFailed
from rocm_perf_lab.optimize.guards.source_check import check_source
from rocm_perf_lab.optimize.source import CompileCommand, ParserProcess, compile_command

pytestmark = pytest.mark.native

# Every level calls the next one twice with other types: 2^24 instantiations, for days.
LEVELS = "".join(
    f"  auto f{n} = [=](auto v) {{ struct A {{ decltype(v) x; }}; struct B {{ decltype(v) x; }};"
    f" return f{n - 1}(A{{v}}) + f{n - 1}(B{{v}}); }};\n"
    for n in range(1, 25)
)
ENDLESS = f"  auto f0 = [](auto v) {{ return 1; }};\n{LEVELS}  out[0] = f24(1);\n"


@pytest.fixture(scope="module")
def command(project: Project, rocm: Prefix) -> CompileCommand:
    return compile_command(rocm, project.main, FLAGS)


def test_it_says_the_same_as_the_parser(project: Project, command: CompileCommand) -> None:
    changed = {str(project.main): MAIN.replace("n /= 2", "n /= 3").encode()}
    with ParserProcess(command, project.main) as process:
        before = process.parse()
        assert before == project.parse(MAIN)
        work = before.kernels_named("work")[0]
        assert check_source(before, work, process.parse(changed)).changed
        assert process.parse(changed) == project.parser.parse(changed)


def test_text_that_never_ends_is_ended_and_the_next_is_read(
    project: Project, command: CompileCommand
) -> None:
    text = MAIN.replace("  /* body */\n", ENDLESS)
    with ParserProcess(command, project.main, seconds=3.0) as process:
        with pytest.raises(ToolFailed, match=r"reading .*main\.hip took more than 3 s"):
            process.parse({str(project.main): text.encode()})
        process.seconds = 60.0
        assert len(process.parse().kernels) == 4


def test_memory_is_limited(project: Project, command: CompileCommand) -> None:
    text = MAIN.replace("  /* body */\n", ENDLESS)
    limits = {"seconds": 60.0, "memory_bytes": 300 << 20}
    process = ParserProcess(command, project.main, **limits)
    with process, pytest.raises(ToolFailed, match=r"ended clang|crashed|failed with code"):
        process.parse({str(project.main): text.encode()})


def test_errors_of_the_parser_arrive(tmp_path: Path) -> None:
    nothing = CompileCommand(tmp_path / "bin" / "clang++", ())
    process = ParserProcess(nothing, tmp_path / "a.hip")
    with process, pytest.raises(ToolFailed, match="there is no libclang in"):
        process.parse()
