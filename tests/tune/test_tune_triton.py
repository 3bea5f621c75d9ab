"""Tuning a Triton kernel: what the shim does in the program, and what becomes of what it saw."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

import jsonschema
import pytest

pytest.importorskip("sklearn")

import fake_triton

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.process_times import MachineIdentity, ProcessTimes
from rocm_perf_lab.tune.triton.launches import LaunchLog
from rocm_perf_lab.tune.triton.report import Key, Report, read_report
from rocm_perf_lab.tune.triton.target import TritonTarget, chosen_by, read_target

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "autotune-triton-1.0.json"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program whose kernels a fake Triton tunes; its folder is where Python looks."""
    fake_triton.write_package(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    path = tmp_path / "product.py"
    path.write_text(fake_triton.PROGRAM)
    return path


def start(
    program: Path, *words: str, config: Optional[str] = None, code: Optional[Path] = None
) -> tuple[str, Report]:
    """What it prints, and what the shim saw."""
    log = program.parent / "log"
    log.unlink(missing_ok=True)
    target = TritonTarget(program, "product")
    environment = target.environment(log, Prefix(program.parent, "rocm", "test"))
    if config is not None:
        environment["ROCM_PERF_TRITON_CONFIG"] = config
    if code is not None:
        environment["ROCM_PERF_TRITON_CODE"] = str(code)
    done = subprocess.run(
        [sys.executable, str(program), *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, read_report(log)


def test_the_first_run_says_what_there_is(program: Path, tmp_path: Path) -> None:
    """Pruned for 16; for 256, the first needs too much, as in Triton's own benchmarking."""
    code = tmp_path / "code"
    code.mkdir()
    printed, seen = start(program, "16", "256", "16", code=code)
    assert printed == "product 16 16\nproduct 256 16\nproduct 16 16\nother 32\n"
    assert [dict(config.row) for config in seen.configs] == [
        {"TM": 128, "num_warps": 4, "num_stages": 3},
        {"TM": 16, "num_warps": 8, "num_stages": 3},
        {"TM": 64, "num_warps": 4, "num_stages": 3},
    ]
    assert seen.autotuned == ("product", "other", "single", "hooked")
    assert seen.keys == (Key({"n": 16}, ("fp16",), (1,)), Key({"n": 256}, ("fp16",), (0, 1, 2)))
    small, large = (key.text for key in seen.keys)
    assert [launch.key for launch in seen.launches] == [small, large, small]
    assert (code / "1.hsaco").read_bytes() == b"code 16"
    assert (code / "1.lds").read_text() == "4096"
    assert (code / "2.hsaco").read_bytes() == b"code 64"
    assert (code / "0.problem").read_text() == "ValueError: does not compile"


def test_one_configuration_is_chosen_by_the_environment(program: Path) -> None:
    """As the command of the search names it. It does not fit 16, which runs with one that does."""
    template = chosen_by({"num_warps": 4, "TM": 64, "num_stages": 3})["ROCM_PERF_TRITON_CONFIG"]
    chosen = template.format(num_warps=4, TM=64, num_stages=3)
    printed, seen = start(program, "16", "256", config=chosen)
    assert printed == "product 16 16\nproduct 256 64\nother 32\n"
    assert [launch.chosen for launch in seen.launches] == [False, True]


def test_python_s_own_start_goes_on(program: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('the user's own')".replace("r's", "rs"))
    printed, seen = start(program, "16")
    assert printed.splitlines()[0] == "the users own"
    assert len(seen.launches) == 1


TIMES = {"product": (4_000_000, 7_000_000, 6_000_000), "product_2": (1,)}


def process_times(**kernels: Any) -> ProcessTimes:
    return ProcessTimes({**TIMES, **kernels}, None, MachineIdentity(None, None, True))


def test_times_belong_to_keys(program: Path) -> None:
    start(program, "256", "64", "256", config="TM=64 num_stages=3 num_warps=4")
    log = LaunchLog(program.parent / "log", "product")
    parts = log.parts(process_times())
    assert sorted(parts.values()) == [5.0, 7.0]
    assert log.parts(process_times(product=(4_000_000,))) == {}  # whose would it be?
    log.forget()
    assert log.parts(process_times()) == {}


@pytest.mark.parametrize(
    ("text", "message", "following"),
    [
        ("product.py", "--triton product.py is not FILE.py:KERNEL", "--triton FILE.py:KERNEL"),
        ("none.py:k", "cannot read none.py", "--triton FILE.py:KERNEL"),
        ("bad.py:k", "bad.py is not Python", "python3 bad.py"),
        (
            "product.py:produkt",
            "has no function produkt; autotuned are hooked, other, product, single",
            "rocm-perf autotune --triton product.py:hooked",
        ),
    ],
)
def test_no_such_kernel(
    program: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str, following: str
) -> None:
    monkeypatch.chdir(program.parent)
    Path("bad.py").write_text("def (")
    with pytest.raises(UsageError) as caught:
        read_target(text)
    assert message in caught.value.cause
    assert following in str(caught.value.next_step)


@pytest.mark.parametrize(
    ("kernel", "words", "code", "message", "following"),
    [
        ("plain", ["16"], 2, "plain of product.py has no @triton.autotune", "write @triton"),
        ("single", ["16"], 2, "single has one configuration", "add triton.Config"),
        ("hooked", ["16"], 2, "hooked has a pre_hook or a value", "--write FILE.json"),
        ("product", [], 5, "never launches product", "after --"),
        ("product", ["no number"], 4, "the application failed: exit code 1", "run it alone"),
    ],
)
def test_a_program_that_cannot_be_tuned(
    program: Path,
    fake_rocm: FakeRocm,
    capsys: pytest.CaptureFixture[str],
    kernel: str,
    words: list[str],
    code: int,
    message: str,
    following: str,
) -> None:
    options = ["autotune", "--rocm", str(fake_rocm.path), "--triton", f"{program}:{kernel}"]
    options += ["--write", str(program.with_name("best.py"))]
    assert main([*options, "--", sys.executable, str(program), *words]) == code
    said = capsys.readouterr().err
    assert message in said
    assert following in said


def test_a_python_without_triton(
    tmp_path: Path, fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "k.py"
    script.write_text(
        "import sys\nsys.path[:] = sys.path[:1] + [p for p in sys.path if "
        "'site-packages' not in p]\nimport triton\ndef k(): pass\n"
    )
    options = ["autotune", "--rocm", str(fake_rocm.path), "--triton", f"{script}:k"]
    assert main([*options, "--", sys.executable, str(script)]) == 3
    said = capsys.readouterr().err
    assert "has no package triton" in said
    assert "python -m pip install triton" in said
    assert main([*options, "--", sys.executable, "-I", "-c", "pass"]) == 2
    assert "without -I, -E or -S" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--write", "best.py"], "--write is for a Triton kernel"),
        (["--triton", "a.py:k", "--space", "s.json"], "--triton takes no --space"),
        (["--triton", "a.py:k", "--cmd-template", "./k"], "--triton takes no --cmd-template"),
    ],
)
def test_usage(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["autotune", *words]) == 2
    assert message in capsys.readouterr().err


def test_the_whole_way(
    program: Path, fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Three launches. One configuration does not compile, and with 64 the program fails."""
    fake_rocm.behave(kernel="product", durations_ns=[200_000])
    written = tmp_path / "best.py"
    words = ["autotune", "--rocm", str(fake_rocm.path), "--triton", f"{program}:product"]
    words += ["--repeat", "1", "--no-judge", "--json", "--write", str(written)]
    words += ["--", sys.executable, str(program), "256", "256", "256", "wrong64"]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["evaluated_configs"] == document["search_space_size"] == 3
    assert document["failures"] == {"build-failed": 1, "failed": 1}
    assert document["best_config"]["parameters"] == {"TM": 16, "num_warps": 8, "num_stages": 3}
    assert document["triton"]["table"] == [
        {
            "key": {"n": 256},
            "dtypes": ["fp16"],
            "config": {
                "kwargs": {"TM": 16},
                "options": {"num_warps": 8, "num_stages": 3},
                "exact": True,
            },
            "ms": 0.2,
            "default_ms": None,
        }
    ]
    assert document["triton"]["reason"] is None
    assert choose(written, 256) == [16]
    assert choose(written, 3) == [16, 64, 128]


def choose(module: Path, size: int) -> list[int]:
    """What the written function leaves of three configurations, in a Python with the fake."""
    text = (
        f"import sys; sys.path.insert(0, {str(module.parent)!r}); import best, product\n"
        "configs = [best.triton.Config({'TM': m}) for m in (16, 64, 128)]\n"
        f"left = best.choose(configs, {{'x': product.Tensor(), 'n': {size}}}, grid=(1,))\n"
        "print([one.kwargs['TM'] for one in left])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[int] = json.loads(done.stdout)
    return found


def test_a_table_without_times_is_not_written(
    program: Path, fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The profiler records three dispatches of two launches: nobody knows which are which."""
    fake_rocm.behave(kernel="product", durations_ns=[200_000])
    written = tmp_path / "best.json"
    words = ["autotune", "--rocm", str(fake_rocm.path), "--triton", f"{program}:product"]
    words += ["--repeat", "1", "--no-judge", "--write", str(written)]
    assert main([*words, "--", sys.executable, str(program), "256", "256"]) == 1
    said = capsys.readouterr().out
    assert "Warning: 1 of 1 keys have no time: every configuration failed, or product was" in said
    assert not written.exists()
    assert main([*words, "--", sys.executable, str(program), "256", "256", "256"]) == 0
    table = json.loads(written.read_text())
    jsonschema.validate(table, json.loads(SCHEMA.read_text()))
    assert table["table"][0]["ms"] == 0.2
