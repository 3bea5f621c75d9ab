"""The programs of the corpus for real: they run in the box, and G4 sees what the host launches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from corpus import load_cases

from rocm_perf_lab.box import BoxResult, Limits, run_boxed
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.optimize.guards.launches import check_launches
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Trace

pytestmark = pytest.mark.native

CASES = {case.id: case for case in load_cases()}
LIMITS = Limits(seconds=60.0)


class Programs:
    """The baseline and versions of it, recorded inside of the box."""

    def __init__(self, prefix: Prefix, folder: Path, baseline: Path) -> None:
        self.prefix, self.folder, self.baseline = prefix, folder, baseline

    def build(self, name: str, source: bytes) -> Path:
        program = self.folder / name
        file = self.folder / f"{name}.hip"
        file.write_bytes(source)
        command = [str(self.prefix.tool("hipcc")), "-O3", str(file), "-o", str(program)]
        subprocess.run(command, check=True, capture_output=True)
        return program

    def record(self, program: Path, *arguments: str) -> tuple[BoxResult, Trace]:
        own = self.folder / f"own-{program.name}-{len(list(self.folder.glob('own-*')))}"
        own.mkdir()
        profiler = [str(self.prefix.tool("rocprofv3")), "--kernel-trace", "--memory-copy-trace"]
        argv = [*profiler, "-d", "out", "--", str(program), *arguments]
        result = run_boxed(argv, own, self.prefix.path, limits=LIMITS, readable=[program])
        assert not result.ended_by, result.ending
        return result, load([own / "out"])


@pytest.fixture(scope="module")
def programs(
    virtual_rocm: Path, baseline_program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Programs:
    folder = tmp_path_factory.mktemp("programs")
    return Programs(find_prefix(virtual_rocm), folder, baseline_program)


def test_the_baseline_passes_in_the_box_and_is_the_same_twice(programs: Programs) -> None:
    first, before = programs.record(programs.baseline)
    _, again = programs.record(programs.baseline)
    assert first.stdout.decode() == "PASS: 0 wrong\n"
    assert len(before.dispatches) == 3 * (5 + 2)  # five kernels and two fills a round
    assert check_launches(before, again) is None


def test_less_work_and_other_streams_are_seen_in_what_was_launched(programs: Programs) -> None:
    """G1 refuses both by their text; this is what would be left if it did not."""
    _, before = programs.record(programs.baseline)
    _, smaller = programs.record(programs.baseline, "2048")
    refusal = check_launches(before, smaller)
    assert refusal is not None
    assert (refusal.stage.value, refusal.reason) == ("G4", "launch")
    assert "grid (1024, 1, 1)" in refusal.message

    case = CASES["31-other-stream"]
    result, other = programs.record(programs.build(case.id, case.source))
    assert result.stdout.decode() == "PASS: 0 wrong\n"
    refusal = check_launches(before, other)
    assert refusal is not None
    assert (refusal.stage.value, refusal.reason) == ("G4", "streams")
