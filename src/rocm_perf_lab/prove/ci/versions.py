"""The two versions of a change: commands as they are, or commits that are checked out and built."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.collect.rocprof.application import split_command
from rocm_perf_lab.errors import BuildFailed, ToolMissing, UsageError
from rocm_perf_lab.measure.meter import Command
from rocm_perf_lab.prove.compare.sides import CommandSide

_SHORT = 8  # characters of a commit that people recognise
_SHELL = ("bash", "-euo", "pipefail", "-c")
WORKING_TREE = "working tree"


@dataclass(frozen=True)
class Project:
    """How the application of a repository is built and started, in every version."""

    command: str
    build: str = ""  # a shell command; nothing is built without one
    directory: Path = Path()  # where both happen, inside of the repository


@dataclass(frozen=True)
class Checkout:
    name: str  # for people
    root: Path


def command_side(text: str, which: str) -> CommandSide:
    words = split_command(text)
    if not words:
        raise UsageError(f"{which} is an empty command", 'rocm-perf ci "./old 100" "./new 100"')
    return CommandSide(text, Command(tuple(words)))


@contextmanager
def checked_out(base: str, head: Optional[str], space: Path) -> Iterator[tuple[Checkout, Checkout]]:
    """Work trees of both; without ``head`` the files of the repository as they are now."""
    root = Path(_git("rev-parse", "--show-toplevel"))
    added: list[Path] = []

    def tree(name: str, ref: str) -> Checkout:
        commit = _commit(ref)
        path = space / name
        _git("worktree", "add", "--quiet", "--detach", str(path), commit)
        added.append(path)
        return Checkout(f"{ref} ({commit[:_SHORT]})", path)

    try:
        first = tree("base", base)
        yield first, Checkout(WORKING_TREE, root) if head is None else tree("head", head)
    finally:
        for path in added:
            subprocess.run(
                ["git", "worktree", "remove", "--force", str(path)],
                capture_output=True,
                check=False,
            )


def built(checkout: Checkout, project: Project, prefix: Prefix) -> CommandSide:
    """Builds with the compiler of ``prefix``, which also runs the result."""
    folder = checkout.root / project.directory
    if not folder.is_dir():
        raise UsageError(
            f"{checkout.name} has no folder {project.directory}", "correct --directory"
        )
    if project.build:
        _build(checkout, project.build, folder, prefix)
    words = split_command(project.command)
    if not words:
        raise UsageError("--command is empty", 'rocm-perf ci main --command "./app 100"')
    return CommandSide(project.command, Command(tuple(words), cwd=folder), checkout.name)


def _build(checkout: Checkout, build: str, folder: Path, prefix: Prefix) -> None:
    result = run_process(
        (*_SHELL, build),
        env=compiler_environment(prefix, os.environ),
        cwd=folder,
        stdout=Stdout.TO_STDERR,
        stdin_closed=True,
    )
    if not result.ok:
        raise BuildFailed(
            f"{checkout.name} does not build: {shlex.quote(build)} ended with {result.ending}",
            f"run it in a checkout of {checkout.name}; hipcc is that of {prefix.path}",
        )


def compiler_environment(prefix: Prefix, environment: Mapping[str, str]) -> dict[str, str]:
    """A build finds the hipcc of ``prefix`` first."""
    found = {
        **environment,
        "PATH": f"{prefix.path / 'bin'}{os.pathsep}{environment.get('PATH', os.defpath)}",
        "ROCM_PATH": str(prefix.path),
        "HIP_PATH": str(prefix.path),
        "HIP_PLATFORM": "amd",
    }
    clang = prefix.path / "llvm" / "bin" / "clang++"
    return {**found, "HIPCXX": str(clang)} if clang.exists() else found


def _commit(ref: str) -> str:
    """The commit of a branch, tag or hash; a hash that a shallow clone lacks is fetched."""
    found = _asked("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if found is None and not ref.startswith("-"):
        fetched = _asked("fetch", "--quiet", "--depth", "1", "origin", ref)
        found = None if fetched is None else _asked("rev-parse", "--verify", "FETCH_HEAD^{commit}")
    if found is None:
        raise UsageError(
            f"git knows no commit '{ref}' here, and the remote origin has none",
            "name a branch, a tag or a commit; in CI fetch the whole history",
        )
    return found


def _git(*words: str) -> str:
    done = _run(words)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise UsageError(
            f"git {words[0]} failed: {said[-1] if said else f'exit code {done.returncode}'}",
            "run rocm-perf ci inside of the git repository of the application",
        )
    return done.stdout.strip()


def _asked(*words: str) -> Optional[str]:
    done = _run(words)
    return done.stdout.strip() if done.returncode == 0 else None


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolMissing(f"git cannot be started: {error.strerror}", "install git") from error
