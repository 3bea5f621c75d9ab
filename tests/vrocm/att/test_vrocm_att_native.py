"""Thread traces of real HIP programs on the virtual device."""

from __future__ import annotations

import csv
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import pytest
from att_support import document, wave_files
from profiler_support import NEEDS_HIP, compiled, make_prefix

from rocm_perf_lab.vrocm.att.timeline import Category

PROGRAM = Path(__file__).resolve().parents[1] / "programs" / "thread_trace.hip"
ITERATIONS = 5  # of the loop in the program
LOOP = "_Z4loopPKfPfi"
pytestmark = NEEDS_HIP


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_prefix(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def program(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(prefix, PROGRAM, tmp_path_factory.mktemp("program"), "-g")


@dataclass(frozen=True)
class Traced:
    out: Path
    said: str

    def folder(self, number: int) -> Path:
        return self.out / f"ui_output_agent_1_dispatch_{number}"

    @property
    def numbers(self) -> list[int]:
        return sorted(int(path.name.rpartition("_")[2]) for path in self.out.glob("ui_output_*"))

    def kernel(self, number: int) -> str:
        name: str = document(self.folder(number), "occupancy.json")["dispatches"]["1"]
        return name


def trace(prefix: Path, program: Path, out: Path, *options: str, **environment: str) -> Traced:
    result = subprocess.run(
        [str(prefix / "bin" / "rocprofv3"), "--att", *options, "-d", str(out), "--", str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return Traced(out, result.stderr)


@pytest.fixture(scope="module")
def traced(prefix: Path, program: Path, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    return trace(prefix, program, tmp_path_factory.mktemp("traced"))


@pytest.fixture(scope="module")
def loop(traced: Traced) -> Path:
    (number,) = (n for n in traced.numbers if traced.kernel(n) == LOOP)
    return traced.folder(number)


def code_object(traced: Traced) -> Path:
    (path,) = traced.out.glob("*/*_gfx942_code_object_id_1.out")
    return path


def rows_of(folder: Path) -> list[list[Any]]:
    rows: list[list[Any]] = document(folder, "code.json")["code"]
    return rows


def waves_of(folder: Path) -> list[dict[str, Any]]:
    return [document(folder, name)["wave"] for name in wave_files(folder)]


def test_the_first_dispatch_of_each_kernel_is_traced(traced: Traced) -> None:
    assert "Warning" not in traced.said
    assert sorted(map(traced.kernel, traced.numbers)) == ["_Z4copyPKfPfi", LOOP]


def test_rows_are_the_whole_kernel_as_llvm_disassembles_it(
    prefix: Path, traced: Traced, loop: Path
) -> None:
    objdump = prefix / "llvm" / "bin" / "llvm-objdump"
    text = subprocess.run(
        [str(objdump), "-d", f"--disassemble-symbols={LOOP}", str(code_object(traced))],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = [line.split("//") for line in text.splitlines() if line.startswith("\t")]
    expected = [(int(address.split(":")[0], 16), code.strip()) for code, address, *_ in lines]
    label, *rows = rows_of(loop)
    assert (label[0], label[3]) == (f"; {LOOP}", "loop(float const*, float*, int)")
    # Behind the end of the function is padding, which belongs to nobody.
    assert [(row[5], row[0]) for row in rows] == expected[: len(rows)]
    assert rows[-1][0] == "s_endpgm"
    assert [row[2] for row in rows_of(loop)] == list(range(len(rows) + 1))
    assert {row[4] for row in rows} == {1}


def test_the_table_and_the_code_and_the_waves_agree(loop: Path) -> None:
    rows = rows_of(loop)
    with open(loop.parent / f"stats_{loop.name}.csv", encoding="utf-8") as stream:
        table = list(csv.reader(stream))[1:]
    assert [[r[4], r[5], r[0], *r[6:], r[3]] for r in rows] == [
        [int(c) if c.isdigit() and n not in (2, 7) else c for n, c in enumerate(row)]
        for row in table
    ]
    spent = {line: [0, 0, 0] for line in range(len(rows))}
    for wave in waves_of(loop):
        for _time, _category, stall, duration, line in wave["instructions"]:
            spent[line] = [a + b for a, b in zip(spent[line], (1, duration, stall))]
    assert [row[6:9] for row in rows] == list(spent.values())


def test_time_passes_in_a_wave(loop: Path) -> None:
    waves = waves_of(loop)
    assert waves
    for wave in waves:
        now = wave["begin"]
        for time, _category, stall, duration, _line in wave["instructions"]:
            assert time >= now
            assert 0 <= stall <= duration
            now = time + duration
        assert now == wave["end"]
        assert sum(cycles for _state, cycles in wave["timeline"]) == wave["end"] - wave["begin"]


def test_everything_that_a_wave_lived_is_in_the_rows(loop: Path) -> None:
    lived = sum(wave["end"] - wave["begin"] for wave in waves_of(loop))
    assert sum(row[7] + row[9] for row in rows_of(loop)) == lived


def test_a_loop_jumps_back_until_its_last_round(loop: Path) -> None:
    rows = rows_of(loop)
    (branch,) = (row[2] for row in rows if row[0].startswith("s_cbranch_scc") and row[6] > 32)
    for wave in waves_of(loop):
        taken = [c for _t, c, _s, _d, line in wave["instructions"] if line == branch]
        assert taken == [Category.JUMP] * (ITERATIONS - 1) + [Category.NEXT]
        assert wave["instructions"][-1][1] == Category.MESSAGE


def test_waiting_for_memory_is_in_the_wait_and_linked_to_the_load(loop: Path) -> None:
    rows = rows_of(loop)
    load = next(row for row in rows if row[0].startswith("global_load"))
    for wave in waves_of(loop):
        waits = [line for line, dependencies in wave["waitcnt"] if [load[2], 0] in dependencies]
        assert len(waits) == ITERATIONS
        assert len(set(waits)) == 1
    wait = rows[waits[0]]
    assert wait[0].startswith("s_waitcnt")
    assert wait[8] == wait[7] > 100 * load[6]  # a load from memory takes hundreds of cycles
    assert load[7] - load[8] == 4 * load[6]


def test_sources_lead_from_the_innermost_line_to_the_kernel(loop: Path) -> None:
    source = PROGRAM.read_text().splitlines()
    inlined = 1 + next(n for n, line in enumerate(source) if "return value * factor" in line)
    call = 1 + next(n for n, line in enumerate(source) if "scaled(from" in line)
    assert any(f"{PROGRAM}:{inlined} -> {PROGRAM}:{call}" == row[3] for row in rows_of(loop))
    tree = document(loop, "snapshots.json")
    for part in PROGRAM.parts:
        tree = tree[part]
    assert (loop / tree).read_text() == PROGRAM.read_text()


def test_sources_are_those_that_llvm_finds(prefix: Path, traced: Traced, loop: Path) -> None:
    _label, *rows = rows_of(loop)
    symbolizer = str(prefix / "llvm" / "bin" / "llvm-symbolizer")
    options = ("--inlines", "--functions=none", f"--obj={code_object(traced)}")
    said = subprocess.run(
        [symbolizer, *options],
        input="".join(f"{row[5]:#x}\n" for row in rows),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    # "file:line:column" of each frame; an empty line ends an address.
    chains = [
        " -> ".join(frame.rpartition(":")[0] for frame in frames.splitlines())
        for frames in said.split("\n\n")[: len(rows)]
    ]
    assert [row[3] for row in rows] == chains


def test_occupancy_has_the_waves_of_the_whole_engine(loop: Path) -> None:
    occupancy = document(loop, "occupancy.json")
    assert set(occupancy) == {"0", "dispatches", "version"}
    places = {(cu, simd, slot) for _time, cu, simd, slot, _start, _kernel in occupancy["0"]}
    assert len({cu for cu, _simd, _slot in places}) == 10
    begun = sum(start for _time, _cu, _simd, _slot, start, _kernel in occupancy["0"])
    assert begun * 2 == len(occupancy["0"])
    times = [event[0] for event in occupancy["0"]]
    assert times == sorted(times)
    traced = {(w["cu"], w["simd"], w["slot"]) for w in waves_of(loop)}
    assert traced == {place for place in places if place[0] == 1}


def test_two_runs_give_the_same_trace(
    prefix: Path, program: Path, traced: Traced, tmp_path: Path
) -> None:
    again = trace(prefix, program, tmp_path, VROCM_THREADS="1")
    assert again.numbers == traced.numbers
    for number in traced.numbers:
        first, second = traced.folder(number), again.folder(number)
        assert sorted(p.name for p in first.iterdir()) == sorted(p.name for p in second.iterdir())
        for path in first.iterdir():
            assert path.read_bytes() == (second / path.name).read_bytes(), path.name


def test_dispatches_engines_and_simds_can_be_chosen(
    prefix: Path, program: Path, tmp_path: Path
) -> None:
    chosen = trace(
        prefix, program, tmp_path, "--kernel-include-regex", r"^copy\(", "--att-simd-select", "0x4",
        "--kernel-iteration-range", "[2-3]", "--att-shader-engine-mask", "0xA",
    )  # fmt: skip
    assert [chosen.kernel(n) for n in chosen.numbers] == ["_Z4copyPKfPfi"] * 2
    for number in chosen.numbers:
        names = wave_files(chosen.folder(number))
        assert {name[:7] for name in names} == {"se1_sm2", "se3_sm2"}
        assert set(document(chosen.folder(number), "occupancy.json")) >= {"1", "3"}


def test_a_full_buffer_cuts_the_trace(prefix: Path, program: Path, tmp_path: Path) -> None:
    cut = trace(prefix, program, tmp_path, "--att-buffer-size", "1200")
    assert "did not fit" in cut.said
    for number in cut.numbers:
        assert sum(len(wave["instructions"]) for wave in waves_of(cut.folder(number))) == 100


def test_a_cu_without_waves_has_no_code(prefix: Path, program: Path, tmp_path: Path) -> None:
    empty = trace(prefix, program, tmp_path, "--att-target-cu", "15")
    assert "no wave ran on CU 15" in empty.said
    for number in empty.numbers:
        assert document(empty.folder(number), "code.json")["code"] is None


@pytest.mark.parametrize(
    ("settings", "include", "said"),
    [
        ("target_cu=x", None, "thread trace: x is no number"),
        ("colour=1", None, "thread trace: colour is no setting"),
        ("target_cu=1", "(", "is no regular expression"),
    ],
)
def test_malformed_settings_end_the_program(
    prefix: Path, program: Path, settings: str, include: Optional[str], said: str
) -> None:
    environment = {"LD_LIBRARY_PATH": str(prefix / "lib"), "VROCM_THREAD_TRACE": settings}
    if include is not None:
        environment["VROCM_THREAD_TRACE_INCLUDE"] = include
    result = subprocess.run(
        [str(program)], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert result.returncode == 2
    assert said in result.stderr
