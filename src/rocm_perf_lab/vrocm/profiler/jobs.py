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
from rocm_perf_lab.vrocm.profiler.arguments import make_parser
from rocm_perf_lab.vrocm.yaml_text import parse_yaml

_TEXT_FOLDER, _JOB_FOLDER = "pmc_", "pass_"
_GROUPS, _INTERVAL = "pmc_groups", "pmc_group_interval"  # only job files have these


@dataclass(frozen=True)
class Job:
    options: Mapping[str, Any]  # by the names that argparse gives them; None where not set
    folder: str  # below the output directory; a single job without counters has none


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
    options = [_options(path, job) for job in jobs]
    if len(jobs) == 1 and not options[0].get("pmc"):
        return [Job(options[0], "")]
    return [Job(job, f"{folder}{number}") for number, job in enumerate(options, start=1)]


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
        if name not in (_GROUPS, _INTERVAL):
            words.extend(_words(f"--{str(name).replace('_', '-')}", value))
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return {**vars(parser.parse_args(words)), **_groups(path, job)}
    except (SystemExit, argparse.ArgumentError) as error:
        lines = complaint.getvalue().strip().splitlines()
        cause = lines[-1].rpartition("error: ")[2] if lines else str(error)
        raise UsageError(f"the input file {path}: {cause}", "rocprofv3 --help") from error


def _groups(path: Path, job: Mapping[str, Any]) -> dict[str, Any]:
    """Groups of counters that take turns within one run."""
    groups, interval = job.get(_GROUPS), job.get(_INTERVAL)
    if groups is None:
        return {}
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise UsageError(
            f"the input file {path}: {_GROUPS} is not a list of lists",
            f'for example: "{_GROUPS}": [["SQ_WAVES"], ["TCC_HIT"]]',
        )
    if interval is not None and (not isinstance(interval, int) or interval < 1):
        raise UsageError(f"the input file {path}: {_INTERVAL} is not a number of dispatches")
    return {_GROUPS: groups, _INTERVAL: interval}


def _words(option: str, value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list):
        return [option, *map(str, value)]
    return [f"{option}={value}"]
