"""The parts of the virtual rocprofv3 that need no application: names, job files, periods."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.profiler.arguments import make_parser
from rocm_perf_lab.vrocm.profiler.output_names import NamedProcess
from rocm_perf_lab.vrocm.recording.domains import api_domain, recorder_words
from rocm_perf_lab.vrocm.recording.kernel_names import Naming, formatted, truncated
from rocm_perf_lab.vrocm.recording.periods import Period, TimeFilter, parse_period
from rocm_perf_lab.vrocm.recording.records import ProcessRecords
from rocm_perf_lab.vrocm.yaml_text import parse_yaml


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("vector_add(float const*, float const*, float*, int)", "vector_add"),
        ("void ns::gemm<float, (Kind)3>(float*)", "gemm"),
        ("void (anonymous namespace)::scan<int>(int*)", "scan"),
        ("std::pair<int, int> a::b::reduce<8>(void (*)(int))", "reduce"),
        ("plain_c_name", "plain_c_name"),
        ("__amd_rocclr_copyBuffer", "__amd_rocclr_copyBuffer"),
    ],
)
def test_truncated_names(signature: str, name: str) -> None:
    assert truncated(signature) == name


def test_mangled_names_keep_the_suffix_of_the_descriptor() -> None:
    assert formatted("f(int)", "_Z1fi.kd", Naming.MANGLED) == "_Z1fi.kd"


@pytest.mark.parametrize(
    ("name", "expanded"),
    [
        ("%hostname%/%pid%", "box/42"),
        ("{hostname}-{pid}", "box-42"),
        ("%h.%p", "box.42"),
        ("%env{TEAM}%-$ENV{TEAM}-%q{TEAM}", "blue-blue-blue"),
        ("%env{MISSING}%x", "x"),
        ("rank%rank%of%size%", "rank3of8"),
        ("%argt%_%arg1%_%args%", "app_in_file_in_file_9"),
        ("%ppid%", "41"),
        ("%launch_date%", "2024-02-03"),
        ("%launch_time%", "04.05.06"),
        ("100%_%nokey%", "100%_%nokey%"),
    ],
)
def test_keys_in_names_of_files(name: str, expanded: str) -> None:
    process = NamedProcess(
        hostname="box",
        pid=42,
        ppid=41,
        command=("/opt/app", "in/file", "9"),
        environment={"TEAM": "blue", "SLURM_PROCID": "3", "SLURM_NTASKS": "8"},
        launched=time.struct_time((2024, 2, 3, 4, 5, 6, 5, 34, 0)),
    )
    assert process.expand(name) == expanded


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("a: 1", {"a": 1}),
        ("---\na: -3\nb: '#1'\nc: \"x: y\"  # why", {"a": -3, "b": "#1", "c": "x: y"}),
        ("a:\n- 1\n- two\n", {"a": [1, "two"]}),
        ("a:\n  - 1\n  - - 2\n    - 3\n", {"a": [1, [2, 3]]}),
        ("a: [x, 'y, z', [1, 2]]", {"a": ["x", "y, z", [1, 2]]}),
        ("a: []\nb:\nc: true\nd: False", {"a": [], "b": None, "c": True, "d": False}),
        (
            "jobs:\n  - pmc: [A, B]\n    kernel_trace: yes\n  -\n    pmc:\n      - C\n",
            {"jobs": [{"pmc": ["A", "B"], "kernel_trace": True}, {"pmc": ["C"]}]},
        ),
        ("a: x#y\nb: gemm.*<float>", {"a": "x#y", "b": "gemm.*<float>"}),
    ],
)
def test_the_yaml_of_job_files(text: str, value: Any) -> None:
    assert parse_yaml(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "a: *alias",
        "a: !!python/object:os.system 1",
        "a: [1",
        "\ta: 1",
        "a: 1\n  b: 2",
        "a: 1\nb",
        "a: 'open",
        "- a: 1\n b: 2",
    ],
)
def test_damaged_yaml_is_refused_and_the_line_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d+"):
        parse_yaml(text)


@pytest.mark.parametrize(
    ("text", "unit", "period"),
    [
        ("1:2:3", "sec", Period(1_000_000_000, 2_000_000_000, 3)),
        ("0.5:2:0", "msec", Period(500_000, 2_000_000, 0)),
    ],
)
def test_periods(text: str, unit: str, period: Period) -> None:
    assert parse_period(text, unit) == period


@pytest.mark.parametrize("text", ["", "1", "1:2", "a:b:c", "1:0:1", "-1:2:1", "1:2:-1", "inf:1:1"])
def test_periods_that_make_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match="--collection-period"):
        parse_period(text, "sec")


def collected(times: TimeFilter, *actions: tuple[int, str]) -> list[int]:
    """Of every tenth nanosecond of a process that starts at 100, those that are collected."""
    records = ProcessRecords(
        1,
        {
            "process": [{"start_ns": 100}],
            "profiler": [{"time_ns": time_ns, "action": action} for time_ns, action in actions],
        },
    )
    collects = times.collects(records)
    return [time_ns for time_ns in range(0, 300, 10) if collects(time_ns)]


def test_periods_repeat() -> None:
    endless = collected(TimeFilter(periods=(Period(20, 10, 0),)))
    assert endless == [120, 150, 180, 210, 240, 270]
    assert collected(TimeFilter(periods=(Period(20, 10, 2),))) == [120, 150]


def test_periods_follow_each_other() -> None:
    assert collected(TimeFilter(periods=(Period(20, 10, 1), Period(0, 30, 1)))) == [
        120,
        130,
        140,
        150,
    ]


def test_regions_start_paused_and_need_no_end() -> None:
    regions = TimeFilter(selected_regions=True)
    assert collected(regions) == []
    actions = ((110, "pause"), (120, "resume"), (130, "resume"), (140, "pause"), (270, "resume"))
    assert collected(regions, *actions) == [120, 130, 270, 280, 290]


def test_without_a_filter_everything_is_collected() -> None:
    assert len(collected(TimeFilter())) == 30


@pytest.mark.parametrize(
    ("function", "domain"),
    [
        ("hipMalloc", "HIP_RUNTIME_API_EXT"),
        ("__hipPushCallConfiguration", "HIP_COMPILER_API_EXT"),
        ("hsa_init", "HSA_CORE_API"),
        ("hsa_amd_memory_pool_free", "HSA_AMD_EXT_API"),
        ("hsa_ext_image_create", "HSA_IMAGE_EXT_API"),
    ],
)
def test_domains_of_functions(function: str, domain: str) -> None:
    assert api_domain(function) == domain


def test_words_for_the_recorder() -> None:
    words = recorder_words(["HIP_COMPILER_API_EXT", "HIP_RUNTIME_API_EXT", "scratch", "copy"])
    assert words == "copy,hip"


def test_documented_options_exist() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "virtual-rocprofv3.md").read_text()
    documented = set(re.findall(r"--[a-z][a-z-]+", page))
    parser = make_parser({})
    known = {name for action in parser._actions for name in action.option_strings}
    assert documented - known == set()
    assert len(documented) > 25
