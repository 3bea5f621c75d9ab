"""rocprofv3 describes itself, and a broken one is told apart from a missing one."""

from __future__ import annotations

import functools

import pytest

from fakes.fake_rocm import write_program
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.process import ask_program
from rocm_perf_lab.collect.rocprof import profiler
from rocm_perf_lab.collect.rocprof.profiler import parse_version_report, probe_profiler
from rocm_perf_lab.errors import ToolFailed, ToolMissing


def probe(fake_rocm):
    return probe_profiler(find_prefix(fake_rocm.path))


def test_version_and_features_come_from_the_program(fake_rocm):
    found = probe(fake_rocm)
    assert found.version == (1, 0, 0)
    assert found.rocm_version == (7, 0, 2)
    assert {"--kernel-trace", "--pmc", "--output-format"} <= found.options
    assert found.has_rocpd


def test_a_profiler_before_rocm_7_has_no_rocpd(fake_rocm):
    fake_rocm.behave(rocpd=False, version_report="version: 0.6.0")
    found = probe(fake_rocm)
    assert not found.has_rocpd
    assert (found.version, found.rocm_version) == ((0, 6, 0), None)


@pytest.mark.parametrize("report", ["", "no colon here", "version: @FULL_VERSION@", "\x00:\x00"])
def test_a_strange_version_report_is_an_unknown_version(fake_rocm, report):
    fake_rocm.behave(version_report=report)
    found = probe(fake_rocm)
    assert found.version is None
    assert found.version_text == "unknown"


def test_version_report_keys_are_stripped():
    report = "         version: 1.3.5\n    rocm_version: 10.0.0-rc1\n    compiler_id: GNU\n"
    assert parse_version_report(report) == {"version": (1, 3, 5), "rocm_version": (10, 0, 0)}


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("#!/bin/sh\necho broken >&2\nexit 1\n", "exit code 1"),
        ("#!/bin/sh\nkill -9 $$\n", "SIGKILL"),
        ("#!/bin/sh\necho usage: something else\n", "does not describe itself as rocprofv3"),
    ],
)
def test_a_broken_profiler_failed(fake_rocm, script, words):
    write_program(fake_rocm.profiler, script)
    with pytest.raises(ToolFailed, match=words) as caught:
        probe(fake_rocm)
    assert caught.value.exit_code == 3
    assert "--rocm PREFIX" in (caught.value.next_step or "")


def test_a_profiler_whose_interpreter_is_gone_is_missing(fake_rocm):
    write_program(fake_rocm.profiler, "#!/no/such/python\n")
    with pytest.raises(ToolMissing, match="cannot be started"):
        probe(fake_rocm)


def test_a_hanging_profiler_is_stopped(fake_rocm, monkeypatch):
    impatient = functools.partial(ask_program, timeout_s=0.3)
    monkeypatch.setattr(profiler, "ask_program", impatient)
    write_program(fake_rocm.profiler, "#!/bin/sh\nsleep 60\n")
    with pytest.raises(ToolFailed, match="stopped at its time limit"):
        probe(fake_rocm)
