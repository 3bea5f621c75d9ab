"""``rocprofv3 --att`` around a stand-in of a HIP program: files, names, warnings, refusals."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from att_support import document, file_of_loop, file_without_waves
from profiler_support import Bench, make_bench

KERNEL = "_ZN2ns4gemmIfEEvPT_"
# A fill comes first in virtual time, so the first dispatch is the second launch.
FOLDER = "ui_output_agent_1_dispatch_2"


def bench_of(folder: Path, **changes: Any) -> Bench:
    return make_bench(folder, thread_trace=file_of_loop(**changes).hex())


def test_the_files_are_where_rocprofv3_puts_them(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    result = bench.run("--att", "-o", "run")
    assert result.returncode == 0, result.stderr
    assert bench.files() == [
        "run_gfx942_code_object_id_1.out",
        f"stats_{FOLDER}.csv",
        f"{FOLDER}/code.json",
        f"{FOLDER}/filenames.json",
        f"{FOLDER}/occupancy.json",
        f"{FOLDER}/realtime.json",
        f"{FOLDER}/se0_sm2_sl3_wv0.json",
        f"{FOLDER}/wstates1.json",
        f"{FOLDER}/wstates2.json",
        f"{FOLDER}/wstates3.json",
        f"{FOLDER}/wstates4.json",
    ]
    assert (bench.out / "run_gfx942_code_object_id_1.out").read_bytes() == b"an ELF"
    assert "Warning" not in result.stderr
    assert f"Opened result file: {bench.out / FOLDER}" in result.stderr


def test_the_default_prefix_holds_only_the_code_objects(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    assert bench.run("--att").returncode == 0
    (code_object,) = bench.out.glob("*/*.out")
    assert code_object.name.endswith("_gfx942_code_object_id_1.out")
    assert (bench.out / FOLDER).is_dir()


def test_a_kernel_trace_can_be_taken_in_the_same_run(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    assert bench.run("--att", "--kernel-trace", "-f", "csv", "-o", "run").returncode == 0
    with open(bench.out / "run_kernel_trace.csv", encoding="utf-8") as stream:
        names = {int(row["Dispatch_Id"]): row["Kernel_Name"] for row in csv.DictReader(stream)}
    assert names[2].startswith("void ns::gemm")
    assert document(bench.out / FOLDER, "occupancy.json")["dispatches"]["1"] == KERNEL


def test_the_device_is_told_what_to_trace(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    bench.run("--att", "--att-target-cu", "0", "--kernel-include-regex", "gemm")
    (seen,) = bench.seen()
    assert seen["environment"]["VROCM_THREAD_TRACE"].startswith("target_cu=0,simd_mask=15,")
    assert seen["environment"]["VROCM_THREAD_TRACE_INCLUDE"] == "gemm"
    assert "kernel" in seen["environment"]["VROCM_TRACE_DOMAINS"]


def test_nothing_of_an_outer_run_is_inherited(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    bench.run("--kernel-trace", VROCM_THREAD_TRACE="target_cu=3", VROCM_THREAD_TRACE_EXCLUDE="x")
    (seen,) = bench.seen()
    assert not [name for name in seen["environment"] if name.startswith("VROCM_THREAD_TRACE")]


def test_a_second_run_replaces_the_folder(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    stale = bench.out / FOLDER / "se0_sm0_sl0_wv9.json"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}")
    assert bench.run("--att", "-o", "run").returncode == 0
    assert not stale.exists()
    assert (bench.out / FOLDER / "code.json").exists()


def test_no_wave_on_the_chosen_cu_gives_a_trace_without_code(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, thread_trace=file_without_waves().hex())
    result = bench.run("--att")
    assert result.returncode == 0
    assert "no wave ran on CU 1 of shader engines 0x1" in result.stderr
    assert document(bench.out / FOLDER, "code.json")["code"] is None
    assert document(bench.out / FOLDER, "filenames.json")["wave_filenames"] is None
    assert len(document(bench.out / FOLDER, "occupancy.json")["0"]) == 2
    header = (bench.out / f"stats_{FOLDER}.csv").read_text().splitlines()
    assert header == [
        '"CodeObj","Vaddr","Instruction","Hitcount","Latency","Stall","Idle","Source"'
    ]


def test_what_did_not_fit_is_said(tmp_path: Path) -> None:
    result = bench_of(tmp_path, lost=17, cut_waves=1).run("--att")
    assert "17 instructions did not fit: raise --att-buffer-size" in result.stderr


def test_waves_without_an_end_are_said(tmp_path: Path) -> None:
    result = bench_of(tmp_path, cut_waves=3).run("--att")
    assert "the ends of 3 waves are missing" in result.stderr


def test_a_damaged_trace_is_a_warning(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, steps=5)
    result = bench.run("--att")
    assert result.returncode == 0
    assert "the thread trace trace cannot be read" in result.stderr
    assert "no thread trace was taken" in result.stderr
    assert not bench.out.exists() or bench.files() == []


def test_a_run_without_a_traced_kernel_says_so(tmp_path: Path) -> None:
    result = make_bench(tmp_path).run("--att", "--kernel-include-regex", "nothing")
    assert result.returncode == 0
    assert "no thread trace was taken: no kernel that was chosen ran" in result.stderr


def test_gpus_that_were_not_chosen_leave_no_trace(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    assert "no thread trace was taken" in bench.run("--att", "--att-gpu-index", "1").stderr
    assert "no thread trace" not in bench.run("--att", "--att-gpu-index", "0,1").stderr


def test_a_trace_that_another_process_replaces_is_said(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, thread_trace=file_of_loop().hex(), children=1)
    result = bench.run("--att")
    assert result.returncode == 0
    assert f"{FOLDER} of process" in result.stderr
    assert "trace one process at a time" in result.stderr


def test_sources_that_exist_are_copied(tmp_path: Path) -> None:
    source = tmp_path / "my kernels" / "app.hip"
    source.parent.mkdir()
    source.write_text("int main() {}")
    rows = [[4 * n, "s_nop 0", f"/gone.h:1 -> {source}:{n}"] for n in range(5)]
    function = {"base": 8192, "symbol": "k", "demangled": "", "rows": rows}
    bench = bench_of(tmp_path, functions=[function])
    assert bench.run("--att").returncode == 0
    folder = bench.out / FOLDER
    tree = document(folder, "snapshots.json")
    for part in source.parts:
        tree = tree[part]
    assert tree == "source_0_app.hip"
    assert (folder / tree).read_text() == "int main() {}"


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (("--att", "--att-target-cu", "x"), "--att-target-cu x: expected a number"),
        (("--att", "--att-activity", "8", "--pmc", "SQ_WAVES"), "--pmc exclude each other"),
        (("--att", "--att-perfcounters", "SQ_WAVES"), "need each other"),
        (("--att", "--stats"), "--stats and --summary need one of the tracing options"),
    ],
)
def test_options_that_make_no_sense_end_the_run(
    tmp_path: Path, options: tuple[str, ...], cause: str
) -> None:
    bench = make_bench(tmp_path)
    result = bench.run(*options)
    assert result.returncode == 1
    assert "[rocprofv3] Fatal error: " in result.stderr
    assert cause in result.stderr
    assert bench.seen() == []
