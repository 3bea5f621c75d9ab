"""action.yml: well formed, and its shell steps do on a small repository what the page promises.

What GitHub does (inputs, expressions, variables from step to step) is done here by hand; the steps
that install and the cache are not run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import pytest
import yaml

from fakes.fake_rocm import FakeRocm

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
NOT_HERE = ("Keep the built virtual ROCm", "Install")  # needs GitHub, a network, root
FAKE_GH = """\
#!/bin/sh
echo "$@" >>"$RUNNER_TEMP/gh.log"
case "$*" in *--paginate*) cat "$RUNNER_TEMP/comments" 2>/dev/null ;; esac
"""
MARK = "<!-- rocm-perf-lab compare: performance/compare -->"


def test_inputs_are_described_and_have_a_value() -> None:
    for name, about in ACTION["inputs"].items():
        assert about["description"], name
        assert about.get("required") or "default" in about, name
    page = (ROOT / "docs" / "github-action.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == set(ACTION["inputs"])


def test_no_text_of_a_pull_request_becomes_part_of_a_script() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", ""), step["name"]


def test_expressions_name_what_is_there() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(ACTION["inputs"])
    ids = {step["id"] for step in STEPS if "id" in step}
    assert set(re.findall(r"steps\.(\w+)\.outputs", text)) == ids
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)


@dataclass
class Runner:
    """As much of GitHub's runner as the steps need."""

    folder: Path
    inputs: dict[str, str]
    event: dict[str, str]
    variables: dict[str, str]
    outputs: dict[str, str] = field(default_factory=dict)

    @property
    def temp(self) -> Path:
        return self.folder / "temp"

    def value(self, text: str) -> str:
        """An expression of an ``env``: the first of several that is not empty."""
        found = re.fullmatch(r"\$\{\{ (.*) \}\}", text)
        if not found:
            return text
        known = {f"inputs.{name}": value for name, value in self.inputs.items()}
        known |= {f"steps.compare.outputs.{name}": v for name, v in self.outputs.items()}
        known |= {f"github.event.pull_request.{name}": v for name, v in self.event.items()}
        return next((known[name] for name in found[1].split(" || ") if known.get(name)), "")

    def run(self, step: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        files = {f"GITHUB_{name}": self.temp / name for name in ("OUTPUT", "PATH", "ENV")}
        for path in files.values():
            path.write_text("")
        environment = {
            **os.environ,
            **self.variables,
            **{name: str(path) for name, path in files.items()},
            **{name: self.value(text) for name, text in step.get("env", {}).items()},
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_REPOSITORY": "owner/project",
            "GITHUB_WORKFLOW": "performance",
            "GITHUB_JOB": "compare",
            "RUNNER_TEMP": str(self.temp),
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=self.folder / "head", env=environment, capture_output=True, text=True
        )
        self.outputs.update(pairs(files["GITHUB_OUTPUT"]))
        self.variables.update(pairs(files["GITHUB_ENV"]))
        for line in files["GITHUB_PATH"].read_text().splitlines():
            self.variables["PATH"] = f"{line}:{self.variables['PATH']}"
        return done

    def all_but_the_decision(self) -> None:
        for step in STEPS[:-1]:
            if step["name"] not in NOT_HERE:
                done = self.run(step)
                assert done.returncode == 0, f"{step['name']}\n{done.stdout}\n{done.stderr}"


def pairs(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def git(folder: Path, *words: str) -> str:
    names = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    command = ["git", *names, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def runner(folder: Path, before: str, after: str, name: str, **inputs: str) -> Runner:
    """A repository with two versions of one file, checked out at the second."""
    head = folder / "head"
    head.mkdir()
    (folder / "temp").mkdir()
    git(head, "init", "--quiet")
    for text in (before, after):
        (head / name).write_text(text)
        git(head, "add", name)
        git(head, "commit", "--quiet", "-m", "a version")
    programs = folder / "bin"
    programs.mkdir()
    scripts = {
        "gh": FAKE_GH,
        "rocm-perf": f'#!/bin/sh\nexec {sys.executable} -m rocm_perf_lab.cli.main "$@"\n',
    }
    for program, text in scripts.items():
        (programs / program).write_text(text)
        (programs / program).chmod(0o755)
    known = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    return Runner(
        folder,
        {**known, **inputs},
        {"base.sha": git(head, "rev-parse", "HEAD~1").strip(), "number": "7"},
        {"PATH": f"{programs}:{os.environ['PATH']}"},
    )


def test_base_and_head_are_built_compared_and_told(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    fake_rocm.add_gpu()
    place = tmp_path / "a place"
    place.mkdir()
    version = "#!/bin/sh\n# version {}\n"
    action = runner(
        place,
        version.format(1),
        version.format(2),
        "app.sh",
        device="gpu",
        blocks="7",
        build="cp app.sh app && chmod +x app",
        command="./app 100",
    )
    action.variables["ROCM_PATH"] = str(fake_rocm.path)
    action.all_but_the_decision()
    started = {
        (Path(call["cwd"]).name, *call["argv"][call["argv"].index("--") + 1 :][1:])
        for call in fake_rocm.calls()
        if "--" in call["argv"]
    }
    assert started == {("base", "100"), ("head", "100")}
    summary = (action.temp / "summary").read_text()
    assert summary.startswith("### no change")
    assert (action.outputs["verdict"], action.outputs["found"]) == ("no change", "")
    document = json.loads(Path(action.outputs["document"]).read_text())
    assert document["comparison"]["head"]["given"] == "working tree: ./app 100"
    body = action.temp / "rocm-perf-comment.md"
    assert body.read_text() == f"{MARK}\n{summary}"
    asked, written = (action.temp / "gh.log").read_text().splitlines()
    assert asked.startswith("api --paginate repos/owner/project/issues/7/comments --jq ")
    assert written == f"pr comment 7 --body-file {body}"
    assert git(place / "head", "worktree", "list").count("\n") == 1
    assert (place / "head" / "app").read_text().endswith("2\n")


def test_its_own_comment_is_replaced_and_no_other(tmp_path: Path) -> None:
    """The filter runs in gh: here it is checked that it asks for the mark, and what follows."""
    for name in ("temp", "head", "bin"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin" / "gh").write_text(FAKE_GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    (tmp_path / "temp" / "comments").write_text("11\n42\n")
    (tmp_path / "temp" / "summary.md").write_text("### no change\n")
    comment = next(step for step in STEPS if step["name"] == "Comment")
    assert "select(.body | startswith(env.MARK))" in comment["run"]
    assert "--edit-last" not in comment["run"]
    outputs = {"summary": str(tmp_path / "temp" / "summary.md")}
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    action = Runner(tmp_path, {}, {"number": "7"}, {"PATH": path}, outputs)
    assert action.run(comment).returncode == 0
    body = action.temp / "rocm-perf-comment.md"
    assert (action.temp / "gh.log").read_text().splitlines()[1:] == [
        f"api --silent --method PATCH repos/owner/project/issues/comments/42 -F body=@{body}"
    ]


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (
            {"fail-on": "regresion", "device": "gpu"},
            "the input fail-on is 'regresion'; choose from: any regression finding never",
        ),
        (
            {"fail-on": "never", "device": "cpu"},
            "the input device is 'cpu'; choose from: virtual gpu",
        ),
        ({"fail-on": "never", "device": "gpu"}, None),
    ],
)
def test_misspelt_inputs_are_refused_first(
    tmp_path: Path, inputs: dict[str, str], said: Optional[str]
) -> None:
    (tmp_path / "temp").mkdir()
    (tmp_path / "head").mkdir()
    assert STEPS[0]["name"] == "Check the inputs"
    done = Runner(tmp_path, inputs, {}, {}).run(STEPS[0])
    assert done.returncode == (1 if said else 0)
    assert f"::error::{said}" in done.stdout if said else not done.stdout


@pytest.mark.parametrize(
    ("found", "answer", "said"),
    [
        ("regression finding", "1", "::error::rocm-perf ci: proven: regression, finding\n"),
        ("regression", "0", ""),
        ("", "0", ""),
    ],
)
def test_the_job_fails_as_the_verb_says(tmp_path: Path, found: str, answer: str, said: str) -> None:
    (tmp_path / "temp").mkdir()
    (tmp_path / "head").mkdir()
    done = Runner(tmp_path, {}, {}, {}, {"found": found, "code": answer}).run(STEPS[-1])
    assert (done.returncode, done.stdout) == (int(answer), said)


def test_without_a_pull_request_it_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "temp").mkdir()
    (tmp_path / "head").mkdir()
    build = next(step for step in STEPS if step["name"] == "Compare")
    done = Runner(tmp_path, {"base": ""}, {}, {}).run(build)
    assert done.returncode == 1
    assert "say with the input base" in done.stderr


@pytest.mark.weekly
@pytest.mark.native
@pytest.mark.timeout(900)
def test_a_slower_kernel_is_a_regression_on_the_virtual_device(
    virtual_rocm: Path, tmp_path: Path
) -> None:
    slower = (ROOT / "examples" / "untuned" / "strided_copy.hip").read_text()
    text = slower.replace("kPerThread = 32", "kPerThread = 1")  # neighbours read neighbours
    build, command = "hipcc -O3 app.hip -o app", "./app 400000"
    action = runner(tmp_path, text, slower, "app.hip", build=build, command=command)
    action.all_but_the_decision()
    assert action.outputs["verdict"] == "regression"
    assert "virtual" in Path(action.outputs["summary"]).read_text()
    assert action.run(STEPS[-1]).returncode == 1
