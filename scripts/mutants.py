#!/usr/bin/env python3
"""Does a test notice it when the code is changed? A sample of mutants, drawn by a seed.

    scripts/mutants.py                     all areas, as CONTRIBUTING.md reports them
    scripts/mutants.py --area judge        one of them
    scripts/mutants.py --seed 2            another sample

mutmut makes the mutants and runs, for each, the tests that reach the changed function. All mutants
of these rooms would take a day; per area this draws some files by their length, then mutants of
those. Everything happens in build/mutants/, the checkout is left alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PACKAGE = "src/rocm_perf_lab"
MADE = TOP / "build" / "mutants"  # a folder for each area
COPIED = ("src", "tests", "benchmarks", "docs", "examples", "native", "scripts")
LEAST_KILLED = 0.85
FAILED = {1, 3}  # a test failed
ENDLESS = {24, -24, 36, 152, 255}  # no end in time: a busy machine can do that, too
KILLED = FAILED | ENDLESS
# mutmut 3.8 asks for a name that pytest 9.2 has given up.
PLUGIN = "import pytest\n\npytest.Item._nodeid = property(lambda item: item.nodeid)\n"
MARKED = "not native and not slow and not weekly"


@dataclass(frozen=True)
class Area:
    folder: str
    tests: tuple[str, ...]
    files: int  # drawn
    mutants: int  # drawn from them
    without: tuple[str, ...] = ()  # files whose tests need the compiler


AREAS = {
    "analysis": Area(
        "analysis",
        (
            "tests/analysis",
            "tests/reporters",
            "tests/cli/test_cli_critical_path.py",
            "tests/cli/test_cli_explain.py",
            "tests/cli/test_cli_profile.py",
        ),
        12,
        80,
    ),
    "measure": Area(
        "measure",
        (
            "tests/measure",
            "tests/prove/compare",
            "tests/cli/test_cli_critical_path.py",
            "tests/cli/test_cli_deep_analysis.py",
            "tests/cli/test_cli_explain.py",
            "tests/cli/test_cli_profile.py",
            "tests/cli/test_cli_roofline.py",
        ),
        6,
        30,
    ),
    "judge": Area(
        "prove/judge",
        ("tests/prove/judge", "tests/prove/compare", "tests/cli/test_cli_judge.py"),
        5,
        40,
    ),
    "guards": Area(
        "optimize/guards",
        ("tests/optimize/guards",),
        4,
        40,
        ("artifact", "denied_names", "denied_syntax", "denylist", "scope", "source_check"),
    ),
}


def draw_files(area: Area, source: random.Random) -> list[Path]:
    """Longer ones more probably; none twice."""
    lengths = {
        path.relative_to(TOP): len(path.read_text("utf-8").splitlines())
        for path in sorted((TOP / PACKAGE / area.folder).rglob("*.py"))
        if path.stem not in ("__init__", *area.without)
    }
    drawn: list[Path] = []
    while lengths and len(drawn) < area.files:
        (path,) = source.choices(list(lengths), weights=list(lengths.values()))
        drawn.append(path)
        del lengths[path]
    return sorted(drawn)


def prepare(work: Path, files: Iterable[Path], area: Area) -> None:
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in COPIED:
        shutil.copytree(TOP / name, work / name, ignore=ignored)
    for name in ("Makefile", "README.md", "CHANGELOG.md"):
        shutil.copy(TOP / name, work / name)
    settings = {
        "source_paths": ["src"],
        "only_mutate": [str(path) for path in files],
        "also_copy": [*COPIED[2:], "Makefile", "README.md", "CHANGELOG.md", "conftest.py"],
        "pytest_add_cli_args": ["-m", MARKED, "-p", "no:cacheprovider"],
        "pytest_add_cli_args_test_selection": list(area.tests),
        "track_dependencies": False,
        "use_git_change_detection": False,
        "timeout_multiplier": 30.0,
        "timeout_constant": 60.0,
    }
    (work / "conftest.py").write_text(PLUGIN)
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    text = (TOP / "pyproject.toml").read_text("utf-8")
    work.joinpath("pyproject.toml").write_text("\n".join([text, "[tool.mutmut]", *lines, ""]))


def mutmut(work: Path, *words: str, jobs: int) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "ROCM_PERF_RECORDINGS"}
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs), *words]
    with (work / "mutmut.log").open("a") as log:
        subprocess.run(command, cwd=work, env=environment, stdout=log, stderr=log, check=True)


def outcomes(work: Path) -> dict[str, object]:
    """Exit code of the tests by mutant; None before it was tried."""
    found: dict[str, object] = {}
    for file in sorted((work / "mutants").rglob("*.py.meta")):
        found.update(json.loads(file.read_text("utf-8"))["exit_code_by_key"])
    return found


def sample(work: Path, area: Area, seed: int, jobs: int) -> dict[str, object]:
    source = random.Random(f"{seed} {area.folder}")
    files = draw_files(area, source)
    prepare(work, files, area)
    print(f"{area.folder}: {', '.join(str(path.relative_to(PACKAGE)) for path in files)}")
    module = ".".join(files[0].with_suffix("").parts[1:])
    # The first run makes all mutants and learns which test reaches which function.
    mutmut(work, f"{module}.*__mutmut_1", jobs=jobs)
    known = sorted(outcomes(work))
    drawn = source.sample(known, min(area.mutants, len(known)))
    mutmut(work, *drawn, jobs=jobs)
    ended = outcomes(work)
    return {name: ended[name] for name in drawn}


def show(work: Path, name: str) -> str:
    command = [sys.executable, "-m", "mutmut", "show", name]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    changed = [line for line in done.stdout.splitlines() if line[:1] in "+-" and line[1:3] != "--"]
    return "\n".join(f"    {line}" for line in changed if line[:3] not in ("+++", "---"))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="A sample of mutants, drawn by a seed.")
    parser.add_argument("--area", choices=sorted(AREAS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    killed = tried = 0
    for name in options.area or AREAS:
        results = sample(MADE / name, AREAS[name], options.seed, options.jobs)
        survivors = [mutant for mutant, code in results.items() if code not in KILLED]
        for mutant in survivors:
            print(f"  survived: {mutant}\n{show(MADE / name, mutant)}")
        endless = sum(code in ENDLESS for code in results.values())
        dead = f"{len(results) - len(survivors)} of {len(results)} killed"
        print(f"{name}: {dead}, {endless} of them by the time limit", flush=True)
        killed += len(results) - len(survivors)
        tried += len(results)
    print(f"Result: {killed} of {tried} mutants killed ({killed / tried:.0%})")
    return 0 if killed >= LEAST_KILLED * tried else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
