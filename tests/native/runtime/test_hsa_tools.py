"""Tools that watch the runtime: HSA_TOOLS_LIB, preloaded tools, the profiler interface."""

from __future__ import annotations

from hsa_support import PROFILER_TOOL, TOOL, needs_runtime, output_of, preloaded, run_case

pytestmark = needs_runtime

PROGRAM = "one_queue_one_packet_one_allocation"
SEEN_BY_TOOL = [
    "tool: load version 1, 0 failed",
    "tool: queue",
    "tool: 1 packets",
    "tool: allocate 4096",
    "tool: unload",
]


def test_a_tool_replaces_functions_for_all_callers() -> None:
    assert output_of(PROGRAM, {"HSA_TOOLS_LIB": str(TOOL)}).splitlines() == SEEN_BY_TOOL


def test_without_a_tool_nothing_is_replaced() -> None:
    assert output_of(PROGRAM) == ""


def test_a_missing_tool_is_reported_and_named_to_the_next() -> None:
    result = run_case(PROGRAM, {"HSA_TOOLS_LIB": f"/nowhere/libtool.so:{TOOL}"})
    assert result.returncode == 0
    assert "cannot load the tool /nowhere/libtool.so" in result.stderr
    assert result.stdout.startswith("tool: load version 1, 1 failed: /nowhere/libtool.so\n")


def test_a_preloaded_tool_is_found_without_the_variable() -> None:
    assert output_of(PROGRAM, preloaded(TOOL)).splitlines() == SEEN_BY_TOOL


def test_a_tool_is_loaded_once_however_often_it_is_named() -> None:
    environment = {**preloaded(TOOL), "HSA_TOOLS_LIB": f"{TOOL} {TOOL}"}
    assert output_of(PROGRAM, environment).splitlines() == SEEN_BY_TOOL


def test_a_tool_is_unloaded_when_the_program_forgets_to_shut_down() -> None:
    seen = output_of("ends_without_shut_down", {"HSA_TOOLS_LIB": str(TOOL)})
    assert seen.splitlines()[-1] == "tool: unload"


def test_a_profiler_tool_gets_the_table() -> None:
    seen = output_of("ends_without_shut_down", preloaded(PROFILER_TOOL))
    assert seen.splitlines() == [
        "profiler: configure for virtual ROCm",
        "profiler: table 1 of 1",
        "profiler: signal 5",
        "profiler: finalize",
    ]


def test_a_profiler_tool_switches_the_variable_off_unless_both_are_wanted() -> None:
    environment = {**preloaded(PROFILER_TOOL), "HSA_TOOLS_LIB": str(TOOL)}
    assert "tool: load" not in output_of("ends_without_shut_down", environment)
    environment["HSA_TOOLS_ROCPROFILER_V1_TOOLS"] = "1"
    seen = output_of("ends_without_shut_down", environment)
    assert "tool: load" in seen
    assert "profiler: signal 5" in seen
