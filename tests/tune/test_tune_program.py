"""A program as evaluator: what fails is recorded with its reason, and nothing passes a shell."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Optional

import jsonschema
import pytest

pytest.importorskip("sklearn")

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.run.builds import Builds
from rocm_perf_lab.tune.run.objective import read_objective
from rocm_perf_lab.tune.run.program import Program, ProgramOptions, Templates
from rocm_perf_lab.tune.run.spec import Commands, ProgramSpec
from rocm_perf_lab.tune.run.template import read_template

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "autotune-1.0.json"
KNOWN = frozenset({"BM", "BN"})

PROGRAM = """\
import sys, time, os
bm, bn = int(sys.argv[1]), int(sys.argv[2])
if bm == 1: sys.exit(3)
if bm == 2: time.sleep(60)
if bm == 3: print("nothing of use"); sys.exit(0)
print("time=%g" % (abs(bm - 48) + bn + float(os.environ.get("EXTRA", "0"))))
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "kernel with space.py"
    path.write_text(PROGRAM)
    return path


def program(
    script: Path,
    tmp_path: Path,
    *,
    verify: Optional[str] = None,
    env: Optional[dict[str, str]] = None,
) -> Program:
    command = f"{sys.executable} '{script}' {{BM}} {{BN}}"
    templates = Templates(
        read_template(command, "--cmd-template", KNOWN),
        {n: read_template(t, "--env", KNOWN) for n, t in (env or {}).items()},
        read_template(verify, "--verify", KNOWN) if verify else None,
    )
    objective = read_objective("stdout:time=([0-9.]+)")
    return Program(
        templates, objective, None, tmp_path, options=ProgramOptions(repeat=2, timeout_s=1.5)
    )


@pytest.mark.parametrize(
    ("bm", "status", "reason"),
    [
        (1, "failed", "the application ended with exit code 3"),
        (2, "timeout", "time limit"),
        (3, "no-time", "no positive number for stdout:time="),
    ],
)
def test_failures_have_a_status_and_a_reason(
    script: Path, tmp_path: Path, bm: int, status: str, reason: str
) -> None:
    found = program(script, tmp_path).measure({"BM": bm, "BN": 4}, None)
    assert (found.status, found.value) == (status, None)
    assert reason in found.reason


def test_a_value_of_the_environment(script: Path, tmp_path: Path) -> None:
    found = program(script, tmp_path, env={"EXTRA": "{BN}"}).measure({"BM": 48, "BN": 4}, None)
    assert (found.value, found.times) == (8.0, (8.0, 8.0))


def test_a_wrong_result_is_not_timed(script: Path, tmp_path: Path) -> None:
    check = f"{sys.executable} -c 'raise SystemExit({{BM}} == 48)'"
    checked = program(script, tmp_path, verify=check)
    assert checked.measure({"BM": 48, "BN": 4}, None).status == "wrong"
    assert checked.measure({"BM": 47, "BN": 4}, None).status == "ok"


def test_hopeless_repeats_are_not_made(script: Path, tmp_path: Path) -> None:
    assert len(program(script, tmp_path).measure({"BM": 99, "BN": 4}, 4.0).times) == 1


@pytest.mark.parametrize(
    ("times", "made", "unstable"),
    [
        ([10, 10.1, 10.2, 50], 3, False),
        ([10, 15, 10, 10, 10, 10], 6, True),  # the first repeats differ: as many again, no more
        ([10, 11.1, 10.3, 10.3, 99], 4, False),  # until they agree
    ],
)
def test_what_differs_is_repeated(
    tmp_path: Path, times: list[float], made: int, unstable: bool
) -> None:
    script = tmp_path / "k.py"
    script.write_text(
        "import pathlib, sys\n"
        "count = pathlib.Path(sys.argv[1])\n"
        "n = len(count.read_text()) if count.exists() else 0\n"
        "count.write_text('x' * (n + 1))\n"
        f"print('time=%g' % {times}[n])\n"
    )
    found = Program(
        Templates(read_template(f"{sys.executable} -S {script} {tmp_path}/n", "c", KNOWN)),
        read_objective("stdout:time=([0-9.]+)"),
        None,
        tmp_path,
        options=ProgramOptions(repeat=3),
    ).measure({}, None)
    assert found.times == tuple(times[:made])
    assert found.unstable is unstable


def test_values_stay_one_word() -> None:
    template = read_template("./k --n={BM} '{BN}' {{x}}", "--cmd-template", KNOWN)
    assert template.filled({"BM": "1; rm -rf $HOME", "BN": "a b"}) == (
        "./k",
        "--n=1; rm -rf $HOME",
        "a b",
        "{x}",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("./k {BLOCK}", "{BLOCK} in --cmd-template is not a parameter"),
        ("./k {}", "is not a parameter"),
        ("./k {BM.__class__}", "is not a parameter"),
        ("./k {BM:>9999999}", "is not a parameter"),
        ("./k {BM", "cannot read --cmd-template"),
        ("./k 'open", "cannot read --cmd-template"),
        ("  ", "--cmd-template is empty"),
    ],
)
def test_templates_that_make_no_sense(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_template(text, "--cmd-template", KNOWN)
    assert message in caught.value.cause


def test_equal_builds_are_made_once(tmp_path: Path) -> None:
    code = "import sys; sys.exit('no 7') if sys.argv[1] == '7' else open(sys.argv[2], 'w')"
    template = read_template(
        f'{sys.executable} -c "{code}" {{BM}} {{output}}', "b", KNOWN | {"output"}
    )
    builds = Builds(template, tmp_path)
    first = builds.build({"BM": 1, "BN": 1})
    assert first.problem is None
    assert builds.build({"BM": 1, "BN": 2}) is first  # BN does not enter the build
    assert builds.build({"BM": 2, "BN": 1}).program != first.program
    assert builds.count == 2
    assert builds.build({"BM": 7, "BN": 1}).problem == "the build ended with exit code 1: no 7"


@pytest.mark.parametrize(
    ("objective", "first"),
    [("runtime", "{fake}/bin/hipcc"), ("stdout:time=([0-9.]+)", "hipcc")],
)
def test_a_compiler_without_its_place_is_that_of_the_prefix(
    fake_rocm: FakeRocm, tmp_path: Path, objective: str, first: str
) -> None:
    """It is what the program is measured with; where nothing is recorded, there is no prefix."""
    commands = Commands("{output}", "hipcc -DBM={BM} k.hip -o {output}")
    spec = ProgramSpec(commands, ("BM",), objective, rocm=fake_rocm.path)
    builds = spec.open(tmp_path).builds
    assert builds is not None
    assert builds.template.words[0] == first.format(fake=fake_rocm.path)
    assert builds.template.words[1:] == ("-DBM={BM}", "k.hip", "-o", "{output}")


@pytest.mark.parametrize("other", ["make", "./hipcc", "/opt/mine/bin/hipcc"])
def test_any_other_build_command_is_the_users(
    fake_rocm: FakeRocm, tmp_path: Path, other: str
) -> None:
    commands = Commands("{output}", f"{other} BM={{BM}} -o {{output}}")
    builds = ProgramSpec(commands, ("BM",), "runtime", rocm=fake_rocm.path).open(tmp_path).builds
    assert builds is not None
    assert builds.template.words[0] == other


def test_the_verb_with_a_printed_number(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = tmp_path / "space.json"
    space.write_text(json.dumps({"BM": [1, 16, 32, 48, 64], "BN": [1, 2, 4]}))
    words = ["autotune", "--space", str(space), "--budget", "12", "--repeat", "1"]
    words += ["--cmd-template", f"{sys.executable} '{script}' {{BM}} {{BN}}"]
    words += ["--objective", "stdout:time=([0-9.]+)", "--journal", str(tmp_path / "j.jsonl")]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert document["best_config"] == {
        "parameters": {"BM": 48, "BN": 1},
        "runtime_ms": None,
        "value": 1.0,
        "code": None,
    }
    assert document["evaluated_configs"] == 12
    assert document["search_space_size"] == 15
    assert document["fraction"] == 12 / 15
    assert document["failures"]["failed"] >= 1
    assert main([*words, "--resume"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Best parameters:\n  BM  48\n  BN  1\n")
    assert "12 were in the journal" in text
    assert "Left out:" in text


def test_the_manual_s_example(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two parameters, device time, through the profiler."""
    space = tmp_path / "search_space.json"
    space.write_text(json.dumps([{"BLOCK_M": m, "BLOCK_N": n} for m in (32, 64) for n in (32, 64)]))
    words = ["autotune", "--rocm", str(fake_rocm.path), "--space", str(space), "--budget", "2"]
    words += [
        "--cmd-template",
        f"{sys.executable} -c pass --bm {{BLOCK_M}} --bn {{BLOCK_N}}",
        "--json",
    ]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["evaluated_configs"] == 2
    assert document["warning"] == "low_model_confidence"
    assert document["best_config"]["runtime_ms"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "neither a space with a command nor a recorded space was given"),
        (["--resume"], "--resume needs the journal"),
        (["--repeat", "0"], "--repeat 0 is too small"),
        (["--simulate", "x.json", "--cmd-template", "./k"], "--simulate runs nothing"),
        (["--cmd-template", "./k", "--env", "X"], "--env X is not NAME=TEXT"),
        (["--simulate", "none.json"], "cannot read none.json"),
        (["--", "./k"], "autotune takes no application after --"),
    ],
)
def test_usage(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["autotune", *words]) == 2
    assert message in capsys.readouterr().err
