"""Every command line in README.md and docs/ is run: the documentation cannot drift."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.fake_rocm import build_fake_rocm

ROOT = Path(__file__).resolve().parents[2]
ROCM_PERF = [sys.executable, "-m", "rocm_perf_lab.cli.main"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```bash\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[str]:
    lines = "\n".join(_BLOCK.findall(page.read_text())).splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


ALL = [(page.relative_to(ROOT).as_posix(), line) for page in PAGES for line in commands(page)]
ONCE = list({line: (page, line) for page, line in reversed(ALL)}.values())[::-1]  # its first page


@pytest.fixture(scope="session")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the documented commands make sense: an ./app, recordings in traces/, and
    two versions of everything."""
    folder = tmp_path_factory.mktemp("docs")
    fake = build_fake_rocm(folder / "rocm")
    app = folder / "app"
    app.write_text("#!/bin/sh\nexit 0\n")
    app.chmod(0o755)
    for version in ("old", "new"):
        shutil.copy(app, folder / version)
    (folder / "examples").symlink_to(ROOT / "examples")
    profile = ["profile", "--json", "--runs", "2", "--keep-trace", "traces", "--", "./app"]
    done = subprocess.run(
        [*ROCM_PERF, *profile],
        cwd=folder,
        env={**os.environ, "ROCM_PATH": str(fake.path)},
        check=True,
        capture_output=True,
    )
    for version in ("old", "new"):
        (folder / f"{version}.json").write_bytes(done.stdout)
        shutil.copytree(folder / "traces", folder / f"{version}_traces")
    history = [*ROCM_PERF, "history", "add", "old.json"]  # pages look at it in other processes, too
    subprocess.run(history, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def virtual_prefix(playground: Path, virtual_rocm: Path) -> Path:
    """The virtual ROCm, with ./vector_add compiled by it in the playground."""
    source = playground / "examples" / "vector_add.hip"
    subprocess.run(
        [str(virtual_rocm / "bin" / "hipcc"), str(source), "-o", str(playground / "vector_add")],
        check=True,
    )
    return virtual_rocm


def test_there_are_commands_to_check() -> None:
    assert len(ALL) >= 10
    assert {line for _, line in ONCE} == {line for _, line in ALL}


@pytest.mark.parametrize(("page", "line"), ONCE)
def test_documented_command_works(
    page: str, line: str, playground: Path, request: pytest.FixtureRequest
) -> None:
    words, cwd = shlex.split(line), playground
    rocm = playground / "rocm"
    if any("vrocm" in word or "vector_add" in word or word == "roofs" for word in words):
        rocm = request.getfixturevalue("virtual_prefix")
    if "roofs" in words and "--only" not in words:
        words += ["--only", "vector.fp64"]  # all of them take a minute
    if words[0] == "make":
        # The targets run this very test: check that they exist and their steps can be planned.
        words, cwd = ["make", "-n", *words[1:]], ROOT
    elif words[0] == "pip":
        pytest.skip("installing is checked by tests/setup/test_wheel.py")
    elif words[0] in ("rocm-perf", "rocm-perf-lab"):
        words = [*ROCM_PERF, *words[1:]]
    elif words[0] == "eval":
        words = [
            "bash",
            "-c",
            f'{line} && test "$ROCM_PATH" = "$1" && hipcc --version',
            "-",
            str(rocm),
        ]
    elif words[0] != "hipcc" and not words[0].startswith("./"):
        pytest.fail(f"{page}: no rule to check '{line}'")
    if "--keep-trace" in words:
        shutil.rmtree(playground / "traces", ignore_errors=True)
    path = f"{Path(sys.executable).parent}:{rocm / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "ROCM_PATH": str(rocm), "PATH": path}
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True)
    allowed = {0, 3} if "doctor" in words else {0}  # a machine without a GPU gets its answer too
    assert done.returncode in allowed, f"{page}: {line}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr


def test_every_verb_and_option_of_profile_is_documented() -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    done = subprocess.run(
        [*ROCM_PERF, "profile", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    options = set(re.findall(r"(--[a-z][a-z-]+)", done.stdout)) - {"--help"}
    missing = sorted(option for option in options if option not in text)
    assert not missing, f"options without documentation: {missing}"
