"""Job files (``-i``): the application runs once for each job, with that job's options.

JSON, or the part of YAML that such files use (``profiler_yaml``): a list ``jobs`` of mappings whose
keys are long options. Text files hold ``pmc:`` lines, one job each.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.profiler_arguments import make_parser
from rocm_perf_lab.vrocm.profiler_yaml import parse_yaml

_TEXT_FOLDER, _JOB_FOLDER = "pmc_", "pass_"
_ONLY_IN_FILES = {"pmc_groups": "pmc", "pmc_group_interval": None}


@dataclass(frozen=True)
class Job:
    options: Mapping[str, Any]  # by the names that argparse gives them; None where not set
    folder: str  # below the output directory


def read_jobs(path: Path) -> list[Job]:
    """Raises ``UsageError`` when the file is not a list of jobs."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise UsageError(f"the input file {path} cannot be read: {error}") from error
    if path.suffix in (".txt", ".text"):
        jobs, folder = _text_jobs(content), _TEXT_FOLDER
    elif path.suffix in (".json", ".yaml", ".yml"):
        jobs, folder = _listed_jobs(path, content), _JOB_FOLDER
    else:
        raise UsageError(
            f"the input file {path} has no known extension", "use .json, .yaml, .yml or .txt"
        )
    if not jobs:
        raise UsageError(f"the input file {path} holds no job", 'for example: {"jobs": [{...}]}')
    return [
        Job(_options(path, job), f"{folder}{number}") for number, job in enumerate(jobs, start=1)
    ]


def _listed_jobs(path: Path, content: str) -> list[Mapping[str, Any]]:
    try:
        document = json.loads(content) if path.suffix == ".json" else parse_yaml(content)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the input file {path} is damaged: {error}") from error
    jobs = document.get("jobs") if isinstance(document, dict) else None
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise UsageError(f"the input file {path} has no list of jobs", '{"jobs": [{...}]}')
    return jobs


def _text_jobs(content: str) -> list[Mapping[str, Any]]:
    lines = (line.partition("#")[0].strip() for line in content.splitlines())
    return [{"pmc": line[len("pmc:") :].split()} for line in lines if line.startswith("pmc:")]


def _options(path: Path, job: Mapping[str, Any]) -> Mapping[str, Any]:
    """The job as if it had been a command line: the same names, values and errors."""
    parser = make_parser({})
    words: list[str] = []
    for name, value in job.items():
        option = _ONLY_IN_FILES.get(str(name), str(name))
        if option is not None:
            words.extend(_words(f"--{option.replace('_', '-')}", value))
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return vars(parser.parse_args(words))
    except (SystemExit, argparse.ArgumentError) as error:
        lines = complaint.getvalue().strip().splitlines()
        cause = lines[-1].rpartition("error: ")[2] if lines else str(error)
        raise UsageError(f"the input file {path}: {cause}", "rocprofv3 --help") from error


def _words(option: str, value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list):
        return [option, *map(str, value)]
    return [f"{option}={value}"]
