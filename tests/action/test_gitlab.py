"""templates/rocm-perf.yml: well formed, and its script does with stand-ins what docs/ci.md says."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Optional

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "templates" / "rocm-perf.yml").read_text("utf-8")
HEADER, JOBS = yaml.safe_load_all(TEXT)
INPUTS: dict[str, Any] = HEADER["spec"]["inputs"]
JOB: dict[str, Any] = JOBS["rocm-perf"]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
OF_GITLAB = {"source", "version", "image", "stage"}
FAKE_ROCM_PERF = """\
#!/bin/sh
printf '%s\\n' "$@" >said
mkdir -p rocm-perf && echo '### a table' >rocm-perf/summary.md
exit 1
"""
FAKE_CURL = """\
#!/bin/sh
echo "$@" >>curl.log
case "$*" in *per_page*) cat notes.json ;; esac
"""


def test_inputs_are_used_and_are_those_of_the_action() -> None:
    assert set(re.findall(r"\$\[\[ inputs\.([a-z-]+) \]\]", TEXT)) == set(INPUTS)
    assert set(INPUTS) - OF_GITLAB == set(ACTION["inputs"]) - {"base", "device", "comment", "token"}
    for name in set(INPUTS) & set(ACTION["inputs"]) - {"blocks"}:
        assert INPUTS[name].get("default") == ACTION["inputs"][name].get("default"), name
        assert INPUTS[name]["description"] == ACTION["inputs"][name]["description"], name


def test_no_text_of_a_merge_request_becomes_part_of_a_script() -> None:
    for step in (*JOB["before_script"], *JOB["script"]):
        assert "$[[" not in step
    assert all(one["expand"] is False for name, one in JOB["variables"].items() if "RP_" in name)


@pytest.mark.parametrize("known", [None, 42])
def test_the_script_keeps_one_note_and_ends_as_the_verb_does(
    tmp_path: Path, known: Optional[int]
) -> None:
    for name, text in (("rocm-perf", FAKE_ROCM_PERF), ("curl", FAKE_CURL)):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    notes = [{"id": 7, "body": "another"}]
    if known:
        notes.append({"id": known, "body": "<!-- rocm-perf-lab: compare -->\nold"})
    (tmp_path / "notes.json").write_text(json.dumps(notes))
    values = {name: str(about.get("default", "")) for name, about in INPUTS.items()}
    values |= {"command": "./app 100", "build": "make $X", "check": "race"}
    environment = {
        **os.environ,
        **{f"RP_{name.upper().replace('-', '_')}": value for name, value in values.items()},
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "1a2b",
        "CI_API_V4_URL": "https://gitlab.example/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "5",
        "CI_JOB_NAME": "compare",
        "ROCM_PERF_TOKEN": "secret",
    }
    command = ["bash", "-eo", "pipefail", "-c", *JOB["script"]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    words = ["ci", "1a2b", "--command", "./app 100", "--build", "make $X", "--directory", "."]
    words += ["--fail-on", "any", "--blocks", "8", "--threshold", "2", "--check", "race"]
    assert (tmp_path / "said").read_text().splitlines() == [*words, "--out", "rocm-perf"]
    note = (tmp_path / "rocm-perf" / "note.md").read_text()
    assert note == "<!-- rocm-perf-lab: compare -->\n### a table\n"
    place = "https://gitlab.example/api/v4/projects/3/merge_requests/5/notes"
    request = f"PUT {place}/{known}" if known else f"POST {place}"
    method, address = request.split()
    written = (tmp_path / "curl.log").read_text().splitlines()[1]
    assert f"--request {method}" in written
    assert written.endswith(f"body@rocm-perf/note.md {address}")
