"""An application that tells how it was started, and one way to collect."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from fakes.fake_rocm import write_program

_APPLICATION = """\
import json, os, sys
report = {{"argv": sys.argv[1:], "cwd": os.getcwd(), "environment": dict(os.environ)}}
report["stdin"] = "" if sys.stdin.isatty() else sys.stdin.read()
with open({report!r}, "a") as out:
    out.write(json.dumps(report) + "\\n")
print("result of the application")
print("words of the application", file=sys.stderr)
"""


@dataclass(frozen=True)
class Application:
    path: Path
    report: Path

    @property
    def starts(self) -> list[dict]:
        return [json.loads(line) for line in self.report.read_text().splitlines()]


@pytest.fixture
def application(tmp_path: Path) -> Application:
    report = tmp_path / "report.jsonl"
    text = f"#!{sys.executable} -S\n" + _APPLICATION.format(report=str(report))
    return Application(write_program(tmp_path / "app", text), report)
