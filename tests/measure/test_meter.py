"""One program and its processes: which program is started, how, and what is left of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fakes.fake_rocm import FakeRocm, write_program
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.collect.rocprof.options import Step
from rocm_perf_lab.measure.meter import Command, Meter, MeterOptions

KERNEL = "vector_add(float const*, float const*, float*, int)"
STEP = Step("base", 1, 1)


@pytest.mark.parametrize(
    ("argv", "cwd", "words"),
    [
        (("./app", "./data"), "/place", ("/place/app", "./data")),  # only the program is a path
        (("bin/app",), "/place", ("/place/bin/app",)),
        (("app", "-v"), "/place", ("app", "-v")),  # looked for in PATH
        (("/usr/bin/app",), "/place", ("/usr/bin/app",)),
        (("./app",), None, ("./app",)),
        ((), "/place", ()),
    ],
)
def test_a_program_is_found_from_its_own_folder(
    argv: tuple[str, ...], cwd: str, words: tuple[str, ...]
) -> None:
    command = Command(argv, cwd=Path(cwd) if cwd else None)
    found = command.words
    assert tuple(os.path.normpath(word) for word in found[:1]) == tuple(
        os.path.normpath(word) for word in words[:1]
    )
    assert found[1:] == words[1:]


def test_a_relative_folder_is_relative_to_ours() -> None:
    assert Command(("./app",), cwd=Path("place")).words == (str(Path.cwd() / "place" / "app"),)


def test_recordings_are_thrown_away(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    space = tmp_path / "space"
    space.mkdir()
    meter = Meter(Command(("true",)), find_prefix(fake_rocm.path), space, MeterOptions())
    times = [meter.measure(STEP).kernels for _ in range(2)]
    assert times == [{KERNEL: (100_000,) * 3}] * 2
    assert [path for path in space.rglob("*") if path.is_file()] == []


def test_copies_are_recorded_and_calls_are_not(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    Meter(Command(("true",)), find_prefix(fake_rocm.path), tmp_path, MeterOptions()).measure(STEP)
    ((argv),) = [call["argv"] for call in fake_rocm.calls()]
    assert "--memory-copy-trace" in argv
    assert "--hip-runtime-trace" not in argv


def test_what_starts_the_process_can_be_another(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    limits = []

    def start(argv, **more):  # type: ignore[no-untyped-def]
        limits.append((more["timeout_s"], more["stdout"], more["echo_stderr"]))
        return run_process(argv, **more)

    options = MeterOptions(7.5, Stdout.TO_STDERR, True, start=start)
    Meter(Command(("true",)), find_prefix(fake_rocm.path), tmp_path, options).measure(STEP)
    assert limits == [(7.5, Stdout.TO_STDERR, True)]


def test_words_of_the_application_are_dropped(
    fake_rocm: FakeRocm, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    app = write_program(tmp_path / "app", "#!/bin/sh\necho out\necho err >&2\n")
    space = tmp_path / "space"
    space.mkdir()
    Meter(Command((str(app),)), find_prefix(fake_rocm.path), space, MeterOptions()).measure(STEP)
    assert capfd.readouterr() == ("", "")
