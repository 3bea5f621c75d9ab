"""Kernels of a loaded code object call the host: printf, assert and the other services."""

from __future__ import annotations

import fcntl
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, prefix, run, shared_folder

from rocm_perf_lab.vrocm.toolchain import find_toolchain

pytestmark = needs_hip

FORMATS = [
    "plain",
    "1|   -2|3    |00004|+5|-6",
    "4000000000 ff FF 10 0xff",
    "-1099511627776 4611686018427387904 18446744073709551615 7",
    "4464 44 4464 44",
    "1.500000 0.667 1.000000e+100 0.1 0x1p+0      -3.14|",
    "ok text [   right] [left    ] [cu]",
    "0x1234 |",
    "100%      1 2   | 2.5 0.500000",
    "1 2 3 4 5 6 7 8 9 ten 11",
]
ASSERTION = "Device-side assertion in words\n"
WAVES = [f"block {block} thread {thread}" for block in range(3) for thread in range(130)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(shared_folder(tmp_path_factory), PROGRAMS / "printing.hip")


@pytest.fixture(scope="module", params=["hostcall", "buffered"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def code(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return code_object(shared_folder(tmp_path_factory), kind)


@pytest.fixture(scope="module")
def hostcall_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return code_object(shared_folder(tmp_path_factory), "hostcall")


def code_object(folder: Path, kind: str, *options: str) -> Path:
    made = folder / f"printing-{kind}.hsaco"
    with (folder / f"printing-{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            source = str(PROGRAMS / "printing_kernels.hip")
            beside = folder / f"printing-{kind}.new"
            words = ["--genco", *(options or [f"-mprintf-kind={kind}"]), source, "-o", str(beside)]
            done = subprocess.run(
                [str(prefix(folder) / "bin" / "hipcc"), *words], capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            beside.rename(made)
    return made


def with_stock_library(folder: Path, own: Path) -> Path:
    """The code object as a compiler without our part of the device library makes it."""
    stock = find_toolchain().bitcode / "hip.bc"
    if not stock.exists():
        pytest.skip("the device libraries have no hip.bc (apt-get install rocm-device-libs)")
    libraries = own / "bitcode"
    shutil.copytree(prefix(folder) / "amdgcn" / "bitcode", libraries)
    shutil.copyfile(stock, libraries / "hip.bc")
    return code_object(folder, "stock", f"--rocm-device-lib-path={libraries}")


def ran(
    program: Path, code: Path, case: str, ok: bool = True, **settings: str
) -> subprocess.CompletedProcess[str]:
    done = run(program, case, environment={"CODE_OBJECT": str(code), **settings})
    if ok:
        assert done.returncode == 0, done.stderr
    return done


def lines_and_lengths(text: str) -> tuple[list[str], list[int]]:
    *lines, last = text.splitlines()
    name, *lengths = last.split()
    assert name == "lengths"
    return lines, [int(length) for length in lengths]


def test_every_conversion(program: Path, code: Path, kind: str) -> None:
    done = ran(program, code, "formats")
    lines, lengths = lines_and_lengths(done.stdout)
    assert lines == FORMATS
    assert done.stderr == ASSERTION
    # A buffer cannot tell how long the text will be.
    texts = [*(line + "\n" for line in FORMATS), "", ASSERTION]
    assert lengths == [len(text) if kind == "hostcall" else 0 for text in texts]


def test_waves_and_workgroups_print_in_the_order_they_run(
    program: Path, code: Path, kind: str
) -> None:
    lines, lengths = lines_and_lengths(ran(program, code, "waves").stdout)
    assert lines == WAVES
    assert lengths == [len(line) + 1 if kind == "hostcall" else 0 for line in WAVES]
    assert ran(program, code, "waves", VROCM_THREADS="1").stdout.splitlines()[:-1] == WAVES


def test_each_lane_has_its_own_long_text(program: Path, code: Path, kind: str) -> None:
    lines, lengths = lines_and_lengths(ran(program, code, "divergent").stdout)
    text = "".join(f"{i} " for i in range(3000))
    text = text[: text.index(" ", 8999) + 1]
    expected = [f"{lane} {text[len(text) * lane // 70 :]}" for lane in range(70)]
    odd = [f"odd {lane}" for lane in range(1, 70, 2)]
    assert sorted(lines) == sorted(expected + odd)
    if kind == "hostcall":
        assert lengths == [
            len(line) + 1 + (len(odd[lane // 2]) + 1 if lane % 2 else 0)
            for lane, line in enumerate(expected)
        ]


def test_streams_that_print_at_once_keep_their_own_order(program: Path, code: Path) -> None:
    lines = ran(program, code, "streams").stdout.splitlines()
    assert lines.pop() == WAVES[0]
    assert sorted(lines) == sorted(3 * WAVES)


def test_a_failed_assertion_names_file_line_function_and_aborts(program: Path, code: Path) -> None:
    done = ran(program, code, "failing", ok=False)
    assert done.returncode == -signal.SIGABRT
    assert done.stdout == ""
    source = (PROGRAMS / "printing_kernels.hip").read_text().splitlines()
    line = next(i for i, text in enumerate(source, 1) if "assert(values" in text)
    where = f"printing_kernels.hip:{line}: void failing(const int *): Device-side assertion `"
    assert f'{where}values[threadIdx.x] < 3 && "too large"\' failed.\n' in done.stderr
    assert done.stderr.count("Device-side assertion") == 2  # threads 2 and 3
    assert "Kernel aborted (s_trap)" in done.stderr


@pytest.mark.parametrize("case", ["memory", "call"])
def test_the_host_gives_memory_and_calls_functions(
    program: Path, hostcall_code: Path, case: str
) -> None:
    ran(program, hostcall_code, case)


@pytest.mark.parametrize("library", ["own", "stock"])
def test_malloc_of_our_and_of_the_stock_device_library(
    program: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, library: str
) -> None:
    folder = shared_folder(tmp_path_factory)
    own = code_object(folder, "hostcall")
    ran(program, own if library == "own" else with_stock_library(folder, tmp_path), "heap")


def test_a_service_that_there_is_not_is_named(program: Path, hostcall_code: Path) -> None:
    done = ran(program, hostcall_code, "unknown", ok=False)
    assert done.returncode == -signal.SIGABRT
    assert "a kernel called the host for service 9, which is not provided" in done.stderr


@pytest.mark.parametrize("case", ["waves", "divergent", "memory"])
def test_the_checks_have_nothing_to_say(program: Path, code: Path, case: str) -> None:
    done = ran(program, code, case, VROCM_CHECK="memory,uninit,race,waitcnt")
    assert done.stderr == ""
