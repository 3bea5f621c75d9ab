"""An exported capture builds and runs without us, and says whether its memory is right."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from replay_support import Bench, needs_replay, rewrite, sign

from rocm_perf_lab.replay.capture_schema import RegionEntry
from rocm_perf_lab.replay.export import places_of, word_sum
from rocm_perf_lab.replay.files.sparse_file import copy_sparse

pytestmark = needs_replay


def exported(bench: Bench, capture: Path, to: Path) -> Path:
    code, out, err = bench.rocm_perf("replay", "export", capture, "--to", to)
    assert code == 0, err
    assert str(to / "build" / "replay_kernel") in out
    return to


def must_run(*words: object) -> None:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def built_with_cmake(bench: Bench, folder: Path) -> Path:
    prefix = f"-DCMAKE_PREFIX_PATH={bench.rocm}"
    compiler = f"-DCMAKE_CXX_COMPILER={shutil.which('clang++-19') or shutil.which('c++')}"
    options = (prefix, compiler, "-DCMAKE_CXX_FLAGS=-Werror")
    must_run("cmake", "-S", folder, "-B", folder / "build", *options)
    must_run("cmake", "--build", folder / "build")
    return folder / "build" / "replay_kernel"


def built(bench: Bench, folder: Path) -> Path:
    """By the prefix's hipcc; the part that is the same in all exports is compiled once."""
    hipcc, common = bench.rocm / "bin" / "hipcc", bench.folder / "replay_kernel.o"
    with (bench.folder / "replay_kernel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not common.exists():
            must_run(hipcc, "-x", "c++", "-c", folder / "replay_kernel.cpp", "-o", common)
    values, program = folder / "values.o", folder / "replay_kernel"
    must_run(hipcc, "-x", "c++", "-c", folder / "captured_dispatch.cpp", "-o", values)
    must_run(hipcc, common, values, "-o", program)
    return program


def run_program(
    program: Path, bench: Bench, runs: int, *, folder: Path = Path("/")
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(bench.rocm / "lib")}
    command = [str(program), str(runs)]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=folder, timeout=120
    )


def test_an_exported_kernel_leaves_the_captured_memory(
    bench: Bench, in_place: Path, tmp_path: Path
) -> None:
    folder = exported(bench, in_place, tmp_path / "a folder" / "export")
    shutil.rmtree(in_place)  # it needs nothing of the original
    program = built_with_cmake(bench, folder)
    done = run_program(program, bench, 4)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "update(float*, int, float)" in done.stdout
    assert "gfx942" in done.stdout
    assert "4 runs" in done.stdout
    assert "result:  equal" in done.stdout
    assert "note:    times are between events and hold the launch too" in done.stdout
    _damage_is_noticed(bench, program, folder / "capture")
    _the_copy_is_a_capture(bench, folder / "capture")


def _damage_is_noticed(bench: Bench, program: Path, capture: Path) -> None:
    for path in [*sorted(capture.rglob("*.bin")), capture / "kernel.hsaco"]:
        content = path.read_bytes()
        for at in (0, len(content) - 1):
            path.write_bytes(content[:at] + bytes([content[at] ^ 16]) + content[at + 1 :])
            done = run_program(program, bench, 1)
            assert done.returncode == 1
            assert f"{path} was changed" in done.stderr
        path.write_bytes(content[:-1])
        done = run_program(program, bench, 1)
        assert done.returncode == 1
        assert f"has {len(content) - 1} bytes" in done.stderr
        path.write_bytes(content)


def _the_copy_is_a_capture(bench: Bench, capture: Path) -> None:
    code, document = bench.replay("run", capture)
    assert (code, document["verification"]["verdict"]) == (0, "equal")


@pytest.mark.parametrize(
    ("case", "kernel", "dispatch"),
    [
        ("pointer_chase", "chase", 1),
        ("dynamic_lds", "reverse_rows", 0),
        ("host_memory", "add_all", 0),
        ("virtual_memory", "update", 0),
    ],
)
def test_every_kind_of_memory(
    bench: Bench, tmp_path: Path, case: str, kernel: str, dispatch: int
) -> None:
    bench.isolate(case, kernel, tmp_path / "capture", dispatch)
    folder = exported(bench, tmp_path / "capture", tmp_path / "export")
    done = run_program(built(bench, folder), bench, 2, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_variables_of_the_code_object(shapes: Bench, tmp_path: Path) -> None:
    shapes.isolate("own_globals", "count_up", tmp_path / "capture", 1)
    folder = exported(shapes, tmp_path / "capture", tmp_path / "export")
    done = run_program(built(shapes, folder), shapes, 2, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pointers in memory to its" in done.stdout


def test_variables_reached_by_pointers_are_not_those_of_the_loaded_code(
    bench: Bench, tmp_path: Path
) -> None:
    """What export cannot do, and says: the kernel uses one table by name and by two pointers."""
    bench.isolate("device_globals", "use_globals", tmp_path / "capture", 1)
    folder = exported(bench, tmp_path / "capture", tmp_path / "export")
    done = run_program(built(bench, folder), bench, 1, folder=folder)
    assert done.returncode == 1
    assert "note:    the code is loaded elsewhere" in done.stdout
    assert "result:  different" in done.stdout


def test_a_wrong_result_is_said_to_be_different(
    bench: Bench, in_place: Path, tmp_path: Path
) -> None:
    """Consistent files with another expectation: the program runs, and the answer is no."""
    (after,) = (in_place / "after").glob("*.bin")
    content = bytearray(after.read_bytes())
    content[123] ^= 1
    after.write_bytes(content)
    sign(in_place)
    folder = exported(bench, in_place, tmp_path / "export")
    done = run_program(built(bench, folder), bench, 1, folder=folder)
    assert done.returncode == 1
    base = int(after.stem.partition("_")[2], 16)
    assert f"first difference: 0x{base + 123:x}" in done.stdout
    assert "result:  different, 1 bytes" in done.stdout


def test_without_memory_afterwards_it_is_unverified(
    bench: Bench, in_place: Path, tmp_path: Path
) -> None:
    shutil.rmtree(in_place / "after")
    sign(in_place)
    folder = exported(bench, in_place, tmp_path / "export")
    done = run_program(built(bench, folder), bench, 1, folder=folder)
    assert done.returncode == 1
    assert "result:  unverified" in done.stdout


def test_what_cannot_be_exported(bench: Bench, in_place: Path, tmp_path: Path) -> None:
    code, _, err = bench.rocm_perf("replay", "export", in_place, "--to", in_place)
    assert code == 2
    assert "is there already" in err
    dispatch = json.loads((in_place / "dispatch.json").read_text())
    rewrite(in_place, "dispatch.json", grid=[dispatch["grid"][0] - 1, 1, 1])
    sign(in_place)
    code, _, err = bench.rocm_perf("replay", "export", in_place, "--to", tmp_path / "export")
    assert code == 1
    assert "hipModuleLaunchKernel" in err
    assert not (tmp_path / "export").exists()


def test_names_of_a_capture_cannot_become_code(
    bench: Bench, in_place: Path, tmp_path: Path
) -> None:
    rewrite(in_place, "dispatch.json", demangled_name='f"; #error\n "\\ ?? ü')
    sign(in_place)
    folder = exported(bench, in_place, tmp_path / "export")
    text = (folder / "captured_dispatch.cpp").read_text()
    assert '"f\\042; #error\\012 \\042\\134 \\077\\077 \\303\\274"' in text


def test_the_sum_of_words_sees_every_byte(tmp_path: Path) -> None:
    content = bytearray(np.random.default_rng(1).integers(0, 256, 10003, dtype=np.uint8))
    path = tmp_path / "file"
    path.write_bytes(content)
    whole = sum(
        int.from_bytes(content[8 * i : 8 * i + 8], "little") * (2 * i + 1) for i in range(1251)
    )
    assert word_sum(path) == whole % 2**64
    for at in (0, 5000, 10002):
        changed = bytearray(content)
        changed[at] ^= 1
        path.write_bytes(changed)
        assert word_sum(path) != whole % 2**64


def test_holes_stay_holes(tmp_path: Path) -> None:
    with (tmp_path / "old").open("wb") as file:
        file.truncate(64 << 20)
        file.seek(40 << 20)
        file.write(b"data")
    copy_sparse(tmp_path / "old", tmp_path / "new")
    assert (tmp_path / "new").stat().st_blocks * 512 < 1 << 20
    assert (tmp_path / "new").read_bytes() == (tmp_path / "old").read_bytes()
    assert word_sum(tmp_path / "new") == 0x61746164 * (2 * (40 << 20) // 8 + 1)


def _region(base: int, size: int, kind: str = "device") -> RegionEntry:
    return RegionEntry(
            base=base, size=size, kind=kind, is_pool=True, is_vmem=False,
            contains_kernarg=False, handle=0, access=3,
        )  # fmt: skip


def test_neighbours_become_one_place_but_not_code() -> None:
    regions = [
        _region(0x10010, 0x20),
        _region(0x10100, 0x1000),
        _region(0x12000, 0x1000),
        _region(0x13000, 0x1000, "code"),
        _region(0x14000, 0x1000, "host"),
    ]
    places = [(place.base, place.end, place.host) for place in places_of(regions)]
    assert places == [
        (0x10000, 0x13000, False),
        (0x13000, 0x14000, False),
        (0x14000, 0x15000, True),
    ]
