"""The recording that VROCM_TRACE asks for (format: native/vgpu/hip/record/recorder.h)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, run, shared_folder

pytestmark = needs_hip

Record = dict[str, Any]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = shared_folder(tmp_path_factory)
    return compiled(folder, PROGRAMS / "recorded.hip", "-lroctx64")


@pytest.fixture(scope="module")
def records(program: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    return recorded(program, tmp_path_factory.mktemp("trace"), "kernel,hip,copy,alloc,marker")


def recorded(
    program: Path, folder: Path, domains: str, *arguments: str, model: str = "", ideal: str = ""
) -> list[Record]:
    environment = {
        "VROCM_TRACE": str(folder),
        "VROCM_TRACE_DOMAINS": domains,
        "VROCM_MODEL": model,
        "VROCM_IDEAL": ideal,
    }
    done = run(program, *arguments, environment=environment)
    assert done.returncode == 0, done.stderr
    (file,) = folder.iterdir()
    assert file.suffix == ".jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()]


def of(records: list[Record], kind: str) -> list[Record]:
    return [record for record in records if record["record"] == kind]


def test_first_and_last_record(records: list[Record], program: Path) -> None:
    assert records[0]["record"] == "process"
    assert records[0]["command"] == [str(program)]
    assert records[0]["virtual"] is True
    assert records[-1]["record"] == "end"
    assert records[-1]["end_ns"] > records[0]["start_ns"]


def test_a_device_of_another_size_cannot_pass_as_an_mi300x(
    records: list[Record], program: Path, tmp_path: Path
) -> None:
    smaller = recorded(program, tmp_path, "kernel", model="10:1.42")
    _, gpu = of(smaller, "agent")[:2]
    assert gpu["product_name"] == "AMD Instinct MI300X (virtual, 10 CUs per XCD, 1.42 GHz)"
    assert gpu["properties"]["cu_count"] == 304  # programs do what they do on an MI300X
    usual, slower = (
        sum(kernel["end_ns"] - kernel["start_ns"] for kernel in of(found, "dispatch"))
        for found in (records, smaller)
    )
    assert slower > usual


@pytest.mark.parametrize(
    ("free", "model", "said"),
    [
        ("hbm,launch", "", "free: launch, hbm"),
        ("instruction-cache,memory-latency", "", "2 mechanisms free"),
        ("instruction-cache,memory-latency", "10:1.42", "2 free, 10 CUs per XCD, 1.42 GHz"),
    ],
)
def test_a_device_with_something_free_cannot_pass_as_an_mi300x(
    records: list[Record], program: Path, tmp_path: Path, free: str, model: str, said: str
) -> None:
    ideal = recorded(program, tmp_path, "kernel", model=model, ideal=free)
    _, gpu = of(ideal, "agent")[:2]
    assert gpu["product_name"] == f"AMD Instinct MI300X (virtual, {said})"
    if not model:
        usual, faster = (
            sum(kernel["end_ns"] - kernel["start_ns"] for kernel in of(found, "dispatch"))
            for found in (records, ideal)
        )
        assert faster < usual


@pytest.mark.parametrize("model", ["10", "39:2.1", "0:2.1", "10:", "10:0", "10:fast", "10:2.1x"])
def test_a_device_that_cannot_be_modelled_is_refused(program: Path, model: str) -> None:
    done = run(program, environment={"VROCM_MODEL": model})
    assert done.returncode == 2
    assert f"VROCM_MODEL={model} is not UNITS:GHZ with 1 to 38 CUs per XCD" in done.stderr


def test_agents(records: list[Record]) -> None:
    cpu, gpu = of(records, "agent")[:2]
    assert (cpu["type"], gpu["type"]) == ("CPU", "GPU")
    assert gpu["name"] == "gfx942"
    assert gpu["product_name"] == "AMD Instinct MI300X (virtual)"
    wanted = {
        "cu_count": 304,
        "num_xcc": 8,
        "simd_count": 1216,
        "array_count": 32,
        "max_waves_per_simd": 8,
        "wave_front_size": 64,
        "lds_size_in_kb": 64,
        "gfx_target_version": 90402,
        "max_engine_clk_fcompute": 2100,
    }
    assert {key: gpu["properties"][key] for key in wanted} == wanted


def test_dispatches_lead_to_kernels_queues_and_streams(records: list[Record]) -> None:
    kernels = {kernel["id"]: kernel for kernel in of(records, "kernel")}
    queues = {queue["id"] for queue in of(records, "queue")}
    streams = {stream["id"] for stream in of(records, "stream")}
    objects = {code["id"] for code in of(records, "code_object")}
    one, two = of(records, "dispatch")
    assert kernels[one["kernel"]]["demangled"] == "first(int*)"
    assert kernels[two["kernel"]]["demangled"] == "void second<int>(int*, int)"
    narrow = "void narrow<_Float16>(_Float16*, __bf16*)"
    assert narrow in {kernel["demangled"] for kernel in kernels.values()}
    for dispatch in (one, two):
        assert dispatch["queue"] in queues
        assert dispatch["stream"] in streams
        assert dispatch["stream"] != 0
        assert dispatch["start_ns"] < dispatch["end_ns"]
        assert kernels[dispatch["kernel"]]["code_object"] in objects
    assert (one["grid"], one["workgroup"]) == ([1024, 1, 1], [256, 1, 1])
    assert two["group_segment_size"] == 128
    assert one["end_ns"] <= two["start_ns"]


def test_operations_carry_the_id_of_their_call(records: list[Record]) -> None:
    calls = {call["id"]: call for call in of(records, "api")}
    launches = [calls[dispatch["correlation"]] for dispatch in of(records, "dispatch")]
    assert [launch["name"] for launch in launches] == ["hipLaunchKernel"] * 2
    (copy,) = of(records, "copy")
    assert calls[copy["correlation"]]["name"] == "hipMemcpyAsync"
    assert (copy["kind"], copy["bytes"]) == ("DEVICE_TO_HOST", 256)
    (fill,) = of(records, "fill")
    assert calls[fill["correlation"]]["name"] == "hipMemsetAsync"
    allocated = [
        calls[a["correlation"]]["name"] for a in of(records, "allocation") if a["bytes"] == 4096
    ]
    assert "hipMalloc" in allocated


def test_calls_have_arguments_and_times(records: list[Record]) -> None:
    (malloc,) = [call for call in of(records, "api") if call["name"] == "hipMalloc"]
    assert [argument["name"] for argument in malloc["args"]] == ["ptr", "size"]
    assert malloc["args"][1] == {"name": "size", "type": "unsigned long", "value": "4096"}
    assert malloc["status"] == 0
    times = [(call["start_ns"], call["end_ns"]) for call in of(records, "api")]
    assert all(start < end for start, end in times)
    assert times == sorted(times)


def test_the_host_goes_on_while_device_memory_is_filled_and_copied(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "behaviour.hip")
    records = recorded(program, tmp_path, "kernel,hip,copy", "fills_and_copies_with_times")
    calls = {call["id"]: call for call in of(records, "api")}
    work = sorted(of(records, "fill") + of(records, "copy"), key=lambda one: one["start_ns"])
    names = [calls[one["correlation"]]["name"] for one in work]
    assert names == ["hipMemset", "hipMemcpy", "hipMemset", "hipMemcpy"]
    filled, copied, pinned, _ = work
    returned = [calls[one["correlation"]]["end_ns"] for one in work]
    assert returned[0] < filled["end_ns"]
    assert returned[1] < copied["start_ns"]
    assert filled["end_ns"] <= copied["start_ns"]
    # Pinned memory: the host waits, and so it waits for the work before it too.
    assert copied["end_ns"] <= pinned["start_ns"] < pinned["end_ns"] <= returned[2]


def test_markers(records: list[Record]) -> None:
    found = [(marker["kind"], marker["message"]) for marker in of(records, "marker")]
    assert found == [
        ("range", 'setup "quoted"'),
        ("mark", "between"),
        ("process_range", "left open"),
    ]


def test_domains_choose(program: Path, tmp_path: Path) -> None:
    kinds = {record["record"] for record in recorded(program, tmp_path, "copy")}
    assert "copy" in kinds
    assert not kinds & {"dispatch", "api", "marker", "allocation", "fill"}


def test_calls_to_hsa_name_the_call_they_serve(program: Path, tmp_path: Path) -> None:
    calls = of(recorded(program, tmp_path, "hip,hsa"), "api")
    names = {call["id"]: call["name"] for call in calls}
    assert len(names) == len(calls)
    allocations = [
        names[call["parent"]]
        for call in calls
        if call["domain"] == "hsa" and call["name"] == "hsa_amd_memory_pool_allocate"
    ]
    assert "hipMalloc" in allocations


def test_the_same_run_gives_the_same_times(
    program: Path, records: list[Record], tmp_path: Path
) -> None:
    again = recorded(program, tmp_path, "kernel,hip,copy,alloc,marker")
    for kind in ("dispatch", "copy", "api"):
        before = [(r["start_ns"], r["end_ns"]) for r in of(records, kind)]
        assert before == [(r["start_ns"], r["end_ns"]) for r in of(again, kind)]


def test_a_fault_still_leaves_a_complete_recording(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "ending.hip")
    done = run(program, "memory_fault", environment={"VROCM_TRACE": str(tmp_path)})
    assert done.returncode != 0
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text().splitlines()[-1])["record"] == "end"


@pytest.mark.parametrize(
    ("case", "dispatches"),
    [
        ("a_forked_child_has_no_device", [2]),
        ("a_child_forked_before_the_first_call_has_its_own_device", [1, 1]),
    ],
)
def test_every_process_that_has_a_device_leaves_one_complete_recording(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, case: str, dispatches: list[int]
) -> None:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "ending.hip")
    done = run(program, case, environment={"VROCM_TRACE": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    files = sorted(tmp_path.iterdir())
    assert {file.suffix for file in files} == {".jsonl"}
    recordings = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    assert [len(of(records, "dispatch")) for records in recordings] == dispatches
    for file, records in zip(files, recordings):
        assert file.stem == str(records[0]["pid"])
        assert (records[0]["record"], records[-1]["record"]) == ("process", "end")


def test_an_unwritable_folder_is_reported(program: Path) -> None:
    done = run(program, environment={"VROCM_TRACE": "/dev/null/nowhere"})
    assert done.returncode == 0
    assert "cannot record into VROCM_TRACE=/dev/null/nowhere" in done.stderr


def test_a_planted_link_is_not_followed(program: Path, tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "trace"
    victim.write_text("precious")
    folder.mkdir()
    plant = 'ln -s "$1" "$2/$$.jsonl.part"; exec "$0"'
    environment = {"VROCM_TRACE": str(folder), "VROCM_TRACE_DOMAINS": "kernel"}
    done = run(
        Path("/bin/sh"),
        "-c",
        plant,
        str(program),
        str(victim),
        str(folder),
        environment=environment,
    )
    assert done.returncode == 0, done.stderr
    assert victim.read_text() == "precious"
    assert [path for path in folder.glob("*.jsonl") if "dispatch" in path.read_text()]
