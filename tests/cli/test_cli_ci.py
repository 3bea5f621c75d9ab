"""``rocm-perf ci`` as a job of any CI system meets it: two commits, or two commands."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.measure.blocks import order_of

ROOT = Path(__file__).resolve().parents[2]
COMMAND = shlex.join([sys.executable, "-c", "pass"])
VIRTUAL = "AMD Instinct MI300X (virtual)"
BUILD = 'test "$ROCM_PATH" && cp app.sh app && chmod +x app'
# Version 2 has a race that version 1 does not have; both read what nobody wrote.
APP = """\
#!/bin/sh
# version {version}
[ "$VROCM_CHECK" ] || exit 0
cat >&2 <<END
VROCM_CHECK: lane {version} reads LDS byte 0x1{version} that nobody wrote
  in kernel _Z10vector_addPKfS0_Pfi, workgroup (0), wave {version}
  instruction ds_read_b32 v0, v1 at $PWD/app.hip:{version} (pc 0x7f{version}0)
END
[ {version} = 1 ] || cat >&2 <<END
VROCM_CHECK: race: this wave writes LDS byte 256 that wave 0 read, with nothing in between
  in kernel _Z10vector_addPKfS0_Pfi, workgroup (3), wave 0
  instruction ds_write_b32 v1, v2 at $PWD/app.hip:7 (pc 0x7e33)
  and before  ds_read_b32 v2, v1 at $PWD/app.hip:9 (pc 0x7e35)
END
exit {code}
"""


def git(*words: str) -> str:
    names = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    done = subprocess.run(["git", *names, *words], check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits, tagged v1 and v2; checked out is the second."""
    folder = tmp_path / "a repository"
    (folder / "src").mkdir(parents=True)
    monkeypatch.chdir(folder)
    git("init", "--quiet")
    for version in (1, 2):
        (folder / "src" / "app.sh").write_text(APP.format(version=version, code=0))
        git("add", "src")
        git("commit", "--quiet", "-m", "a version")
        git("tag", f"v{version}")
    return folder


def options(fake: FakeRocm) -> list[str]:
    return ["--rocm", str(fake.path), "--blocks", "1"]  # decides nothing, quickly


def project(fake: FakeRocm) -> list[str]:
    return [*options(fake), "--build", BUILD, "--directory", "src", "--command", "./app 100"]


def test_two_commits_are_built_and_compared(
    fake_rocm: FakeRocm, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ci", "v1", "v2", *project(fake_rocm)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("### no change shown")
    short = git("rev-parse", "--short=8", "v1").strip()
    assert f"Base: `v1 ({short}): ./app 100`" in out
    assert "Checks" not in out
    folders = {Path(call["cwd"]) for call in fake_rocm.calls()}
    assert [folder.name for folder in folders] == ["src", "src"]
    assert {folder.parent.name for folder in folders} == {"base", "head"}
    assert not any(folder.exists() for folder in folders)
    assert git("worktree", "list").count("\n") == 1
    assert git("status", "--porcelain") == ""


def test_without_head_the_files_as_they_are_now_are_compared(
    fake_rocm: FakeRocm, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    orders = [role for number in range(1, 8) for role in order_of(0, number)]
    fake_rocm.behave(durations_ns=[120_000 if role == "B" else 100_000 for role in orders])
    (repository / "src" / "app.sh").write_text("#!/bin/sh\n")
    words = ["ci", "v1", *project(fake_rocm), "--blocks", "7", "--out", str(repository / "out")]
    assert main(words) == 1
    out = capsys.readouterr().out
    assert out.startswith("### regression: ")
    assert "Head: `working tree: ./app 100`" in out
    assert (repository / "src" / "app").read_text() == "#!/bin/sh\n"
    assert (repository / "out" / "summary.md").read_text() == out
    document = json.loads((repository / "out" / "ci.json").read_text())
    jsonschema.validate(document, json.loads((ROOT / "docs/schema/ci-1.0.json").read_text()))
    assert document["found"] == ["regression"]
    assert document["comparison"] == json.loads((repository / "out" / "compare.json").read_text())
    assert (repository / "out" / "samples" / "end_to_end.json").is_file()


@pytest.mark.parametrize(
    ("fail_on", "code"), [("any", 1), ("finding", 1), ("regression", 0), ("never", 0)]
)
def test_a_fault_that_base_does_not_have_fails_the_job(
    fake_rocm: FakeRocm,
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    fail_on: str,
    code: int,
) -> None:
    fake_rocm.behave(product=VIRTUAL)
    words = [*project(fake_rocm), "--check", "race,uninit", "--fail-on", fail_on]
    assert main(["ci", "v1", "v2", *words]) == code
    checks = capsys.readouterr().out.partition("#### Checks: ")[2]
    assert checks == (
        "1 new finding, 1 that base has too\n\n"
        "- **race: this wave writes LDS byte 256 that wave 0 read, with nothing in between** in "
        "`vector_add(float const*, float const*, float*, int)`\n"
        "  - `instruction ds_write_b32 v1, v2 at app.hip:7`\n"
        "  - `and before  ds_read_b32 v2, v1 at app.hip:9`\n\n"
        "Checked on the virtual device: race, uninit. Base: 3 dispatches. Head: 3 dispatches.\n"
    )


@pytest.mark.parametrize(("version", "new"), [(1, [False]), (2, [False, True])])
def test_a_fault_that_ends_head_is_the_answer(
    fake_rocm: FakeRocm,
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    version: int,
    new: list[bool],
) -> None:
    """What was not compared is never a pass, also where base has the same finding."""
    fake_rocm.behave(product=VIRTUAL)
    (repository / "src" / "app.sh").write_text(APP.format(version=version, code=134))
    assert main(["ci", "v1", *project(fake_rocm), "--check", "race", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["comparison"] is None
    assert document["checks"]["head"]["dispatches"] is None
    assert [one["new"] for one in document["checks"]["head"]["findings"]] == new
    assert document["found"] == ["finding"]


def test_an_application_that_fails_without_a_finding_is_an_error(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    assert main(["ci", COMMAND, failing, *options(fake_rocm), "--check", "race"]) == 3
    assert "checks need the virtual device" in capsys.readouterr().err
    fake_rocm.behave(product=VIRTUAL)
    assert main(["ci", COMMAND, failing, *options(fake_rocm), "--check", "race"]) == 4
    assert "exit code 3" in capsys.readouterr().err


def test_two_commands_are_compared_as_they_are(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ci", COMMAND, COMMAND, *options(fake_rocm)]) == 0
    assert f"Base: `{COMMAND}` (2 runs)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nowhere", "--command", "./app"], 2, "git knows no commit 'nowhere' here"),
        (["v1", "--command", "./app", "--directory", "x"], 2, "has no folder x"),
        (["v1", "--command", "./app", "--check", "races"], 2, "'races' is not a check"),
        (["v1", "--command", "./app", "--check", ","], 2, "an empty list checks nothing"),
        (["v1", "--command", "./app", "--build", "false"], 4, "does not build: false ended with"),
        (["v1"], 2, "BASE and HEAD are commands, and HEAD is missing"),
        (["v1", "v2", "--build", "make"], 2, "--build and --directory need --command"),
        (["v1", "v2", "--command", " "], 2, "--command is empty"),
        (["v1", "v2", "--command", ""], 2, "--command is empty"),
        (["./old", " "], 2, "HEAD is an empty command"),
        (["v1", "--command", "./app", "--", "./app"], 2, "ci takes no application after --"),
    ],
)
def test_what_cannot_be_compared_says_why(
    fake_rocm: FakeRocm,
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    message: str,
) -> None:
    cut = words.index("--") if "--" in words else len(words)
    assert main(["ci", *words[:cut], "--rocm", str(fake_rocm.path), *words[cut:]]) == code
    assert message in capsys.readouterr().err
    assert git("worktree", "list").count("\n") == 1


def test_outside_of_a_repository_it_says_so(
    fake_rocm: FakeRocm,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["ci", "main", "--command", "./app", "--rocm", str(fake_rocm.path)]) == 2
    assert "run rocm-perf ci inside of the git repository" in capsys.readouterr().err
