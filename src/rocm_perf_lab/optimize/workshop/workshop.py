"""Everything a search works with, and the best version so far."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.box import Limits
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.errors import ApplicationFailed
from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.project import PrivateTree, open_project
from rocm_perf_lab.optimize.project.baseline_flags import flags_of
from rocm_perf_lab.optimize.project.model import DEFAULT
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.source import ParserProcess, TranslationUnit, compile_command
from rocm_perf_lab.optimize.workshop.boxed_application import BoxedApplication
from rocm_perf_lab.optimize.workshop.evidence_keeper import EvidenceKeeper
from rocm_perf_lab.optimize.workshop.measured import Measured, measured
from rocm_perf_lab.prove.evidence.place import evidence_folder
from rocm_perf_lab.trace.files.temporary import temporary_folder


class Workshop:
    """``folder`` is private and is removed with it; the evidence stays."""

    def __init__(self, request: OptimizeRequest, folder: Path) -> None:
        self.request = request
        self.listener = request.listener
        self.prefix = find_prefix(request.rocm)
        self.listener.doing("reading the project")
        self.project = open_project(request, self.prefix)
        self.tree = PrivateTree(self.project, self.prefix, folder / "build")
        self.folder = folder
        self.application = BoxedApplication(
            self.prefix,
            folder / "run",
            self.project.folder,
            folder / "build" / "built",
            Limits(seconds=request.timeout_s),
        )
        self._until = None if request.budget_s is None else time.monotonic() + request.budget_s
        self._parsers: dict[Path, ParserProcess] = {}
        self._measured: dict[Path, Measured] = {}
        self.attempts: list[Attempt] = []
        self.notes: list[str] = []
        self.best: dict[str, bytes] = {}  # accepted files, by their path in the user's tree
        self.accepted_folder: Optional[Path] = None
        self.listener.doing("building the baseline")
        self._take_flags_of_the_program()
        self.base_program = self.built_program({})
        self.best_program = self.base_program
        place = evidence_folder(request.evidence, self.project.sources[0])
        self.evidence = EvidenceKeeper(place, self.project, self.prefix, self.tree.seal.digest)

    def seconds_left(self) -> Optional[float]:
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    def argv(self, program: Path) -> tuple[str, ...]:
        return (str(program), *self.project.argv[1:])

    def measure(self, program: Path) -> Measured:
        """Once of each program: a search profiles again when it has another best one."""
        if program not in self._measured:
            self._measured[program] = measured(
                self.application,
                self.argv(program),
                self.request.timeout_s,
                hot_lines=self.request.hot_lines,
            )
        return self._measured[program]

    def all_notes(self) -> list[str]:
        """With what the box could not enforce here, said once."""
        missing = sorted(self.application.not_enforced)
        return [*self.notes, *(f"the box could not enforce: {one}" for one in missing)]

    def built_program(self, contents: Mapping[str, bytes]) -> Path:
        """For versions that have to build: the baseline."""
        built = self.tree.program(contents)
        if built.file is None:
            raise ApplicationFailed(
                f"{self.project.sources[0]} does not build",
                self._how_to_build(),
                stderr_tail=built.said,
            )
        return built.file

    def _how_to_build(self) -> str:
        if self.project.build is None:
            return (
                "give the flags with --flags, the other sources with --source, or your own "
                'command: --build "CMD {source} {output}"'
            )
        return (
            f"--build runs in a copy of {self.project.folder}: start where every file that it "
            "reads is below, or name the compiler itself in it"
        )

    def _take_flags_of_the_program(self) -> None:
        """Where nobody said with which flags it was built: those that make the same code of it."""
        program = Path(self.project.argv[0])
        if self.project.flags_from != DEFAULT or self.project.build or not program.is_file():
            return

        def built(flags: tuple[str, ...]) -> Optional[Path]:
            self.tree.project = replace(self.project, flags=flags)
            return self.tree.program({}).file

        flags = flags_of(program, built)
        if flags is None:
            self.notes.append(
                f"{program} was not built from these sources with usual flags; both versions are "
                "built with -O3. Name its flags with --flags, or its build with --build"
            )
        else:
            self.project = replace(self.project, flags=flags, flags_from="the program")
        self.tree.project = self.project

    def parse(self, source: Path, contents: Mapping[str, bytes]) -> TranslationUnit:
        if source not in self._parsers:
            command = compile_command(self.prefix, source, self.project.flags)
            self._parsers[source] = ParserProcess(command, source)
        return self._parsers[source].parse(contents)

    def accept(self, contents: Mapping[str, bytes], program: Path) -> None:
        """The best version from now on, kept outside of this folder before anything else."""
        self.accepted_folder = self.evidence.keep(contents)
        self.best = dict(contents)
        self.best_program = program

    def finished(self, attempt: Attempt) -> Attempt:
        self.attempts.append(attempt)
        self.listener.attempted(attempt)
        return attempt

    def close(self) -> None:
        for parser in self._parsers.values():
            parser.close()


@contextlib.contextmanager
def opened_workshop(request: OptimizeRequest) -> Iterator[Workshop]:
    with temporary_folder("optimize") as folder:
        workshop = None
        try:
            workshop = Workshop(request, folder)
            yield workshop
        finally:
            if workshop is not None:
                workshop.close()
