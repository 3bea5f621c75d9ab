"""``rocm-perf isolate`` from the outside: what it lists, takes, refuses and leaves behind."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import jsonschema
import pytest
from replay_support import BUILD, Bench, needs_replay, run

from rocm_perf_lab.replay.native_tools import CAPTURE_LIBRARY

pytestmark = needs_replay

SCHEMAS = Path(__file__).resolve().parents[3] / "docs" / "schema"
LIBRARY = BUILD / "lib" / CAPTURE_LIBRARY


def schema(name: str) -> dict[str, object]:
    document: dict[str, object] = json.loads((SCHEMAS / f"{name}-1.0.json").read_text())
    return document


def test_list_shows_what_could_be_captured(bench: Bench) -> None:
    words = ("isolate", "--rocm", bench.rocm, "--list", "--json", "--", bench.program)
    code, out, _ = bench.rocm_perf(*words, "three_kernels")
    assert code == 0
    document = json.loads(out)
    jsonschema.validate(document, schema("isolate-list"))
    counts = {kernel["demangled_name"]: kernel["dispatches"] for kernel in document["kernels"]}
    assert counts == {
        "alpha_kernel(int*)": 1,
        "middle_kernel(int*, int const*)": 1,
        "omega_kernel(int*)": 1,
    }
    assert all(kernel["bytes"] >= 512 for kernel in document["kernels"])


def test_list_can_be_narrowed(bench: Bench) -> None:
    words = ("isolate", "--rocm", bench.rocm, "--list", "--kernel", "^omega", "--", bench.program)
    code, out, _ = bench.rocm_perf(*words, "three_kernels")
    assert code == 0
    assert "omega_kernel" in out
    assert "alpha_kernel" not in out


def test_every_document_satisfies_its_schema(bench: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    jsonschema.validate(bench.isolate("in_place", "update", capture), schema("isolate"))
    files = {
        "dispatch.json": "capture-dispatch",
        "memory_regions.json": "capture-memory-regions",
        "after/regions.json": "capture-after-regions",
        "manifest.json": "capture-manifest",
    }
    for file, name in files.items():
        jsonschema.validate(json.loads((capture / file).read_text()), schema(name))
    jsonschema.validate(bench.replay("check", capture)[1], schema("replay-check"))
    jsonschema.validate(bench.replay("run", capture)[1], schema("replay"))
    jsonschema.validate(bench.replay("run", capture, "--race-check", 2)[1], schema("replay-race"))
    compared = bench.replay("compare", capture, "--hsaco", capture / "kernel.hsaco")[1]
    jsonschema.validate(compared, schema("replay-compare"))


@pytest.mark.parametrize(
    ("options", "expected", "message"),
    [
        (("--kernel", "no_such_kernel"), 5, "without a kernel that matches 'no_such_kernel'"),
        (("--kernel", "update", "--dispatch", "4"), 5, "without dispatch 4"),
        (("--kernel", "update", "--max-bytes", "5000"), 1, "exceeds --max-bytes 5000"),
        (("--kernel", "up(date"), 2, "not a regular expression"),
        (("--kernel", "update", "--dispatch", "-1"), 2, "counts from 0"),
        ((), 2, "--kernel REGEX is missing"),
    ],
)
def test_what_is_not_captured_is_explained(
    bench: Bench, tmp_path: Path, options: tuple[str, ...], expected: int, message: str
) -> None:
    out = tmp_path / "capture"
    words = ("isolate", "--rocm", bench.rocm, *options, "--out", out, "--", bench.program)
    code, stdout, err = bench.rocm_perf(*words, "in_place")
    assert code == expected
    assert message in err
    assert not stdout
    assert not list(tmp_path.iterdir())  # nothing half written


def test_an_application_that_fails_before_its_dispatch(bench: Bench, tmp_path: Path) -> None:
    words = ("isolate", "--rocm", bench.rocm, "--kernel", "x", "--out", tmp_path / "capture", "--")
    code, _, err = bench.rocm_perf(*words, bench.program, "no_such_case")
    assert code == 4
    assert "exit code 2" in err
    code, _, err = bench.rocm_perf(*words, tmp_path / "missing")
    assert code == 4
    assert "was not found" in err


def test_an_application_that_fails_afterwards(bench: Bench, tmp_path: Path) -> None:
    """The capture is complete; that the application failed is said."""
    document = bench.isolate("fails_later", "trailing_failure", tmp_path / "capture")
    assert document["application"] == "exit code 9"
    assert bench.replay("run", tmp_path / "capture")[0] == 0


def test_an_existing_folder_is_not_touched(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    words = ("isolate", "--rocm", bench.rocm, "--kernel", "update", "--out", tmp_path, "--")
    code, _, err = bench.rocm_perf(*words, bench.program, "in_place")
    assert code == 2
    assert "is there already" in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_newest_capture_here_is_the_default(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("isolate", "--rocm", bench.rocm, "--kernel", "update", "--", bench.program)
    code, out, err = bench.rocm_perf(*words, "in_place")
    assert code == 0, err
    assert "Result: captured in" in out
    (made,) = tmp_path.glob("isolate_capture_*")
    assert stat.S_IMODE(made.stat().st_mode) & 0o500 == 0o500
    code, out, _ = bench.rocm_perf("replay", "run", "--rocm", bench.rocm)
    assert code == 0
    assert "Result: equal" in out


def test_secrets_stay_at_home(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "very-secret")
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "0")
    bench.isolate("in_place", "update", tmp_path / "capture")
    manifest = json.loads((tmp_path / "capture" / "manifest.json").read_text())
    assert manifest["environment"]["HIP_VISIBLE_DEVICES"] == "0"
    assert "very-secret" not in json.dumps(manifest)
    assert manifest["command"] == [str(bench.program), "in_place"]


def test_a_profiler_in_the_process_does_not_lock_us_out(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiler = BUILD / "tests" / "libhsa_profiler_tool_library.so"
    if not profiler.exists():
        pytest.skip("the test tools are not built (run `make native`)")
    monkeypatch.setenv("LD_PRELOAD", str(profiler))
    bench.isolate("in_place", "update", tmp_path / "capture")
    monkeypatch.delenv("LD_PRELOAD")
    assert "profiler: configure" in bench.last_stderr  # both were there
    assert bench.replay("run", tmp_path / "capture")[0] == 0


def test_beside_another_tool(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = BUILD / "tests" / "libhsa_tool_library.so"
    if not tool.exists():
        pytest.skip("the test tools are not built (run `make native`)")
    monkeypatch.setenv("HSA_TOOLS_LIB", str(tool))
    bench.isolate("in_place", "update", tmp_path / "capture")
    monkeypatch.delenv("HSA_TOOLS_LIB")
    assert "tool: load" in bench.last_stderr
    assert bench.replay("run", tmp_path / "capture")[0] == 0


def test_a_library_whose_path_has_a_space(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a build").symlink_to(BUILD)
    monkeypatch.setenv("ROCM_PERF_NATIVE_BUILD", str(tmp_path / "a build"))
    bench.isolate("in_place", "update", tmp_path / "a capture")
    assert bench.replay("run", tmp_path / "a capture")[0] == 0


def test_the_profiler_door(bench: Bench, tmp_path: Path) -> None:
    """Without HSA_TOOLS_LIB, as a tool of the profiler interface."""
    environment = {
        "LD_PRELOAD": " ".join([*os.environ.get("LD_PRELOAD", "").split(), str(LIBRARY)]),
        "ROCM_PERF_CAPTURE_OUT": str(tmp_path),
        "ROCM_PERF_CAPTURE_KERNEL": "update",
    }
    done = run(bench.program, "in_place", environment=environment)
    assert done.returncode == 0, done.stderr
    (made,) = tmp_path.glob("capture-*")
    assert (made / "dispatch.json").exists()
