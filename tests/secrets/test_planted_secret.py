"""Secrets in arguments and variables of a run appear in no written byte and in no output."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "replay"))

from replay_support import BUILD, Bench, make_bench, needs_replay

pytestmark = needs_replay

SECRETS = ("Tr0ub4dor-3", "hunter2hunter2", "k9Xw3LpQz7Rt5Vb1", "p4ss@w/rd")
ARGUMENTS = (
    f"--token={SECRETS[0]}",
    "--password",
    SECRETS[1],
    f"--key={SECRETS[2]}",
    f"postgres://me:{SECRETS[3]}@host/db",
)
VARIABLES = {
    "HIP_API_TOKEN": SECRETS[0],
    "ROCM_REGISTRY_PASSWORD": SECRETS[1],
    "GPU_CLOUD_API_KEY": SECRETS[2],
    "ROCM_PATH": f"http://u:{SECRETS[3]}@host/rocm",
}


@pytest.fixture
def bench(
    tmp_path_factory: pytest.TempPathFactory,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Bench:
    monkeypatch.setenv("ROCM_PERF_NATIVE_BUILD", str(BUILD))
    made = make_bench(tmp_path_factory, capfd)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    return made


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def assert_clean(folder: Path, *outputs: str) -> None:
    texts = [(str(path), path.read_bytes()) for path in files_of(folder)]
    texts += [(f"output {n}", text.encode()) for n, text in enumerate(outputs)]
    found = [
        (place, secret) for place, text in texts for secret in SECRETS if secret.encode() in text
    ]
    assert not found


def assert_private(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


def test_a_capture_its_replay_and_its_export(bench: Bench, tmp_path: Path) -> None:
    os.umask(os.umask(0))  # whatever it is: the modes do not come from it
    capture, exported = tmp_path / "capture", tmp_path / "exported"
    isolate = ("isolate", "--rocm", bench.rocm, "--kernel", "update", "--out", capture, "--")
    code, out, err = bench.rocm_perf(*isolate, bench.program, "in_place", *ARGUMENTS)
    assert code == 0, err
    assert "Kept:     " in out  # what is kept is shown
    assert "ROCM_PATH=" in out
    assert "--token=<redacted>" in out
    code, document, err_replay = bench.rocm_perf(
        "replay", "run", "--rocm", bench.rocm, "--json", capture
    )
    assert code == 0, err_replay
    code, _, err_export = bench.rocm_perf("replay", "export", capture, "--to", exported)
    assert code == 0, err_export
    assert_clean(tmp_path, out, err, document, err_replay, err_export)
    assert_private(capture)
    assert_private(exported)


def test_profiles_and_recordings(bench: Bench, tmp_path: Path) -> None:
    kept, out_folder = tmp_path / "kept", tmp_path / "documents"
    words = ("profile", "--rocm", bench.rocm, "--debug", "--runs", 1, "--keep-trace", kept)
    outputs = []
    for options in (("--json", "--out", out_folder), ()):
        code, out, err = bench.rocm_perf(
            *words, *options, "--", bench.program, "in_place", *ARGUMENTS
        )
        assert code == 0, err
        assert "--token=<reda" in out  # the terminal cuts long lines
        assert "<redacted>" in err  # the command line of the profiler
        outputs += [out, err]
        code, out, err = bench.rocm_perf("profile", "--json", "--from", kept)
        assert code == 0, err
        outputs += [out, err]
        assert_clean(tmp_path, *outputs)
        assert_private(kept)
        shutil.rmtree(kept)
    assert_private(out_folder)


def test_a_failing_application(bench: Bench, tmp_path: Path) -> None:
    isolate = ("isolate", "--rocm", bench.rocm, "--kernel", "x", "--out", tmp_path / "c", "--")
    code, out, err = bench.rocm_perf(*isolate, "false", *ARGUMENTS)
    assert code == 4
    assert "run it alone first: false '--token=<redacted>'" in err
    assert_clean(tmp_path, out, err)
