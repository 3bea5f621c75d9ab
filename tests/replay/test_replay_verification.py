"""What is not the same is said to be different; what was not compared is never a pass."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from replay_support import Bench, needs_replay, rewrite, sign

pytestmark = needs_replay


def test_other_code_with_the_same_result_is_equal(bench: Bench, in_place: Path) -> None:
    code, document = bench.replay("run", in_place, "--hsaco", bench.hsaco("update_same"))
    assert code == 0
    assert document["kernel"]["code"] == "loaded"
    assert document["verification"]["verdict"] == "equal"


def test_code_that_misses_one_element_is_caught(bench: Bench, in_place: Path) -> None:
    code, document = bench.replay("run", in_place, "--hsaco", bench.hsaco("update_off_by_one"))
    assert code == 1
    assert document["verification"]["verdict"] == "different"
    (difference,) = document["verification"]["differences"]
    assert difference["first_offset"] // 4 == 9999
    assert 1 <= difference["bytes"] <= 4


def test_tolerance_only_when_asked_and_named(bench: Bench, in_place: Path) -> None:
    near = ("run", in_place, "--hsaco", bench.hsaco("update_nearly"))
    code, document = bench.replay(*near)
    assert (code, document["verification"]["verdict"]) == (1, "different")
    code, document = bench.replay(*near, "--tolerance", "f32:1e-6")
    assert (code, document["verification"]["verdict"]) == (0, "within_tolerance")
    assert document["verification"]["tolerance"] == "f32:1e-06:0"
    code, document = bench.replay(*near, "--tolerance", "f32:1e-8")
    assert (code, document["verification"]["verdict"]) == (1, "different")


def test_tolerance_that_makes_no_sense(bench: Bench, in_place: Path) -> None:
    for text in ("f32", "i32:1", "f32:-1", "f32:x", "f32:1:2:3"):
        code, _, err = bench.rocm_perf(
            "replay", "run", "--rocm", bench.rocm, in_place, "--tolerance", text
        )
        assert code == 2, err


def test_without_memory_afterwards_nothing_is_verified(bench: Bench, in_place: Path) -> None:
    shutil.rmtree(in_place / "after")
    sign(in_place)
    code, document = bench.replay("run", in_place)
    assert (code, document["verification"]["verdict"]) == (1, "unverified")


def test_a_capture_of_the_original_loads_and_runs(bench: Bench, in_place: Path) -> None:
    """Its files, its fields, nothing else: the code is loaded, and nothing can be verified."""
    for name in ("manifest.json", "after/regions.json"):
        (in_place / name).unlink()
    kept = {
        "mangled_name", "demangled_name", "agent_name", "isa_name", "wavefront_size",
        "kernel_object", "grid", "block", "group_segment_size", "private_segment_size",
        "kernarg_size", "dispatch_index",
    }  # fmt: skip
    dispatch = json.loads((in_place / "dispatch.json").read_text())
    (in_place / "dispatch.json").write_text(json.dumps({k: dispatch[k] for k in kept}))
    regions = json.loads((in_place / "memory_regions.json").read_text())["regions"]
    fields = ("base", "size", "is_pool", "is_vmem", "contains_kernarg", "handle", "access")
    old = [{k: r[k] for k in fields} for r in regions if r["kind"] != "code"]
    rewrite(in_place, "memory_regions.json", regions=old)
    code, document = bench.replay("full-vm", "--capture-dir", in_place)
    assert (code, document["verification"]["verdict"]) == (1, "unverified")
    assert document["kernel"]["code"] == "loaded"
    assert document["verification"]["changed_bytes"] == 40000  # it ran all the same


def test_what_cannot_be_replayed_is_refused(bench: Bench, in_place: Path) -> None:
    rewrite(in_place, "dispatch.json", unsupported=[{"kind": "images", "detail": "1 image"}])
    sign(in_place)
    code, _, err = bench.rocm_perf("replay", "run", "--rocm", bench.rocm, in_place)
    assert code == 1
    assert "images: 1 image" in err
    code, document = bench.replay("run", in_place, "--allow-unsupported")
    assert (code, document["verification"]["verdict"]) == (0, "equal")


def test_memory_of_another_gpu_is_listed_and_refused(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VROCM_DEVICES", "2")
    captured = bench.isolate("peer_memory", "from_neighbour", tmp_path / "capture")
    assert [one["kind"] for one in captured["unsupported"]] == ["peer_memory"]
    status, _, err = bench.rocm_perf("replay", "run", "--rocm", bench.rocm, tmp_path / "capture")
    assert status == 1
    assert "lies on another GPU" in err
    status, document = bench.replay("run", tmp_path / "capture", "--allow-unsupported")
    assert (status, document["verification"]["verdict"]) == (0, "equal")


def test_the_other_gpu_can_replay(
    bench: Bench, in_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VROCM_DEVICES", "2")
    status, document = bench.replay("run", in_place, "--device", 1)
    assert (status, document["verification"]["verdict"]) == (0, "equal")


def test_races_are_found_by_other_orders_of_waves(bench: Bench, tmp_path: Path) -> None:
    bench.isolate("write_race", "last_one_wins", tmp_path / "race")
    code, document = bench.replay("run", tmp_path / "race", "--race-check", 4)
    assert code == 1
    assert not document["deterministic"]
    assert document["reported"]


def test_a_kernel_without_races_passes(bench: Bench, in_place: Path) -> None:
    code, document = bench.replay("run", in_place, "--race-check", 4)
    assert code == 0
    assert document["deterministic"]
    assert document["verdicts"] == ["equal"] * 4


def test_compare_judges_two_versions_in_one_process(bench: Bench, in_place: Path) -> None:
    same = bench.hsaco("update_same")
    code, document = bench.replay("compare", in_place, "--hsaco", same, "--iterations", 10)
    assert code == 0
    assert document["judgement"]["rounds"] == len(document["again"]["timing"]["raw_ns"]) == 10
    assert document["verdict"] == document["judgement"]["verdict"]
    assert document["again"]["hsaco_path"] == document["variants"][0]["hsaco_path"]
    versions = [*document["variants"], document["again"]]
    assert [v["verification"]["verdict"] for v in versions] == ["equal"] * 3
    wrong = bench.hsaco("update_off_by_one")
    code, document = bench.replay("compare", in_place, "--hsaco", same, "--hsaco", wrong)
    assert code == 1
    verdicts = [v["verification"]["verdict"] for v in document["variants"]]
    assert verdicts == ["equal", "different"]
    assert document["verdict"] == "different"


def test_a_wrong_output_owns_the_result_of_a_comparison(bench: Bench, in_place: Path) -> None:
    """However fast: the last line is about the output, and no line calls the version faster."""
    wrong = bench.hsaco("update_off_by_one")
    words = ("replay", "compare", "--rocm", bench.rocm, in_place, "--hsaco", wrong)
    code, out, _ = bench.rocm_perf(*words)
    assert code == 1
    last = out.splitlines()[-1]
    assert last.startswith("Result: different: the output of B: ")
    assert "its time proves nothing" in last
    assert "faster" not in out
    shutil.rmtree(in_place / "after")
    sign(in_place)
    code, out, _ = bench.rocm_perf(*words)
    assert code == 1
    assert out.splitlines()[-1].startswith("Result: unverified: the output of A: the capture has")


@pytest.mark.parametrize(
    "words", [("--iterations", "0"), ("--warmup", "-1"), ("--race-check", "1")]
)
def test_numbers_that_make_no_sense(bench: Bench, in_place: Path, words: tuple[str, str]) -> None:
    code, _, err = bench.rocm_perf("replay", "run", "--rocm", bench.rocm, in_place, *words)
    assert code == 2
    assert "Traceback" not in err
