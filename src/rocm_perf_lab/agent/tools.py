"""The verbs as tools: typed arguments to a command line, its document to a typed answer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Optional, TypeVar

from mcp.server.mcpserver import Context
from pydantic import Field

from rocm_perf_lab.agent.answers import Answer, answer
from rocm_perf_lab.agent.process import run_verb
from rocm_perf_lab.agent.roots import Roots
from rocm_perf_lab.analysis.documents.schemas.critical_path import CriticalPathModel
from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.schemas.roofline import RooflineDocument
from rocm_perf_lab.collect.doctor.document import DoctorDocument
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.document import OptimizeDocument
from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument
from rocm_perf_lab.prove.evidence.document import EvidenceDocument
from rocm_perf_lab.prove.judge.document import JudgeDocument
from rocm_perf_lab.prove.oracle.document import VerifyDocument
from rocm_perf_lab.replay.replay_schema import IsolateDocument, ReplayDocument
from rocm_perf_lab.report.document import ReportDocument
from rocm_perf_lab.strict_json import Strict
from rocm_perf_lab.tune.tuning_schema import TuningDocument

Document = TypeVar("Document", bound=Strict)

Command = Annotated[
    Optional[list[str]],
    Field(description='the application and its arguments, such as ["./app", "100"]'),
]
Recordings = Annotated[
    Optional[list[str]], Field(description="recordings to read instead of running an application")
]
Seconds = Annotated[
    Optional[float], Field(gt=0, description="stop the application after so many seconds per run")
]
Runs = Annotated[int, Field(ge=1, le=100, description="runs of the application, for the times")]
Kernel = Annotated[Optional[str], Field(description="a regular expression for kernel names")]
_OUTPUT = "{output}"  # what build makes


@dataclass(frozen=True)
class Tools:
    """``most_bytes`` of an answer. Every tool names the program that it runs, or runs none."""

    roots: Roots
    most_bytes: int

    async def doctor(self, context: Context) -> Answer[DoctorDocument]:
        """Can this machine profile: ROCm, the GPU (or the virtual MI300X), permissions."""
        return await self._run(DoctorDocument, ["doctor"], context)

    async def profile(
        self,
        context: Context,
        command: Command = None,
        recordings: Recordings = None,
        runs: Runs = 3,
        kernel: Kernel = None,
        timeout_s: Seconds = None,
    ) -> Answer[ProfileDocument]:
        """Times, stability, registers, LDS and occupancy of every kernel of an application."""
        words = ["profile", *_given("--kernel", kernel)]
        return await self._measured(
            ProfileDocument, words, context, command, recordings, runs, timeout_s
        )

    async def explain(
        self,
        context: Context,
        command: Command = None,
        recordings: Recordings = None,
        runs: Runs = 3,
        deep_analysis: Annotated[
            bool, Field(description="a thread trace, too: what the waves wait for")
        ] = False,
        timeout_s: Seconds = None,
    ) -> Answer[ExplanationDocument]:
        """What limits an application, why, how much it could gain, and what to try first."""
        words = ["explain", *(["--deep-analysis"] if deep_analysis else [])]
        return await self._measured(
            ExplanationDocument, words, context, command, recordings, runs, timeout_s
        )

    async def report(
        self,
        context: Context,
        out: Annotated[
            str,
            Field(description="the file to write: .html, .md, .csv, .json, .pftrace, .svg or .png"),
        ],
        command: Command = None,
        recordings: Annotated[
            Optional[list[str]],
            Field(
                description="recordings, profiles, evidence, journals, captures or histories to "
                "read instead of running an application"
            ),
        ] = None,
        runs: Runs = 3,
        timeout_s: Seconds = None,
    ) -> Answer[ReportDocument]:
        """Write everything that is known as one page for people, and answer with its data."""
        words = ["report", "-o", str(self.roots.inside(out))]
        return await self._measured(
            ReportDocument, words, context, command, recordings, runs, timeout_s
        )

    async def roofline(
        self,
        context: Context,
        command: Command = None,
        recordings: Recordings = None,
        runs: Runs = 3,
        timeout_s: Seconds = None,
    ) -> Answer[RooflineDocument]:
        """FLOPs and bytes per memory level of every kernel, and how near each ceiling is."""
        words = ["profile", "--roofline"]
        return await self._measured(
            RooflineDocument, words, context, command, recordings, runs, timeout_s, "rooflines"
        )

    async def critical_path(
        self,
        context: Context,
        command: Command = None,
        recordings: Recordings = None,
        runs: Runs = 1,
        what_if: Annotated[
            Optional[dict[str, float]],
            Field(description="kernel name (regular expression) to factor: how fast if it were"),
        ] = None,
        timeout_s: Seconds = None,
    ) -> Answer[CriticalPathModel]:
        """What the end of the application waits for, slack, and what-if answers."""
        asked = [f"--what-if={name}={factor}" for name, factor in (what_if or {}).items()]
        words = ["profile", "--critical-path", *asked]
        return await self._measured(
            CriticalPathModel, words, context, command, recordings, runs, timeout_s, "critical_path"
        )

    async def compare(
        self,
        context: Context,
        base: Annotated[list[str], Field(description="the version to compare with")],
        head: Annotated[list[str], Field(description="the version in question")],
        blocks: Annotated[Optional[int], Field(ge=1, description="of measurement")] = None,
        timeout_s: Seconds = None,
    ) -> Answer[ComparisonDocument]:
        """Is the new version slower or faster? Per kernel and end to end, with proof."""
        sides = [shlex.join(self.roots.command(side)) for side in (base, head)]
        words = ["compare", *sides, *_given("--blocks", blocks), *_given("--timeout", timeout_s)]
        return await self._run(ComparisonDocument, words, context)

    async def judge(
        self,
        context: Context,
        samples: Annotated[str, Field(description="a file of samples, as evidence has it")],
        candidates: Annotated[int, Field(ge=1, description="tried in the search")] = 1,
    ) -> Answer[JudgeDocument]:
        """Is the candidate faster? The same samples give the same verdict anywhere."""
        words = ["judge", str(self.roots.inside(samples)), "--candidates", str(candidates)]
        return await self._run(JudgeDocument, words, context)

    async def verify(
        self,
        context: Context,
        capture: Annotated[
            Optional[str], Field(description="the folder that isolate wrote, of the old kernel")
        ] = None,
        hsaco: Annotated[
            Optional[str], Field(description="code object with the new kernel, for the capture")
        ] = None,
        source: Annotated[
            Optional[str], Field(description="source of the old kernel, for a precise reference")
        ] = None,
        baseline: Annotated[
            Optional[list[str]], Field(description="the old program with its arguments")
        ] = None,
        candidate: Annotated[
            Optional[list[str]], Field(description="the new program with its arguments")
        ] = None,
        files: Annotated[
            Optional[list[str]], Field(description="output files that both programs write")
        ] = None,
        exact: Annotated[bool, Field(description="accept no rounding differences")] = False,
        allow_unseen: Annotated[
            bool, Field(description="accept code of the change that no trial executed")
        ] = False,
        timeout_s: Seconds = None,
    ) -> Answer[VerifyDocument]:
        """Does a changed kernel (capture and hsaco), or a whole program (baseline and candidate),
        compute the same? On other inputs, sizes and orders than the application's as well."""
        words = ["verify", *(["--exact"] if exact else []), *_given("--timeout", timeout_s)]
        words += ["--allow=unseen"] if allow_unseen else []
        for option, place in (("hsaco", hsaco), ("source", source)):
            words += [f"--{option}={self.roots.inside(place)}"] if place is not None else []
        for option, program in (("baseline", baseline), ("candidate", candidate)):
            if program is not None:
                words.append(f"--{option}={shlex.join(self.roots.command(program))}")
        words += [f"--file={name}" for name in files or ()]
        if capture is not None:
            words.append(str(self.roots.inside(capture)))
        return await self._run(VerifyDocument, words, context)

    async def evidence(
        self,
        context: Context,
        folder: Annotated[
            str, Field(description="a bundle, or the folder of a search with all of its bundles")
        ],
    ) -> Answer[EvidenceDocument]:
        """Check stored decisions: every hash, and every decision again from its raw data."""
        words = ["evidence", "verify", str(self.roots.inside(folder))]
        return await self._run(EvidenceDocument, words, context)

    async def isolate(
        self,
        context: Context,
        command: Annotated[list[str], Field(description="the application and its arguments")],
        kernel: Annotated[str, Field(description="a regular expression for its name")],
        out: Annotated[str, Field(description="a new folder for the capture")],
        dispatch: Annotated[int, Field(ge=0, description="which one, from 0")] = 0,
        timeout_s: Seconds = None,
    ) -> Answer[IsolateDocument]:
        """Take one dispatch out of a running application, with its memory and code."""
        place = str(self.roots.inside(out))
        words = ["isolate", f"--kernel={kernel}", f"--dispatch={dispatch}", f"--out={place}"]
        words += _given("--timeout", timeout_s)
        return await self._run(IsolateDocument, words, context, self.roots.command(command))

    async def replay(
        self,
        context: Context,
        capture: Annotated[str, Field(description="the folder that isolate wrote")],
        iterations: Annotated[int, Field(ge=1, le=10_000)] = 10,
        hsaco: Annotated[
            Optional[str], Field(description="other code for the kernel, to compare its results")
        ] = None,
    ) -> Answer[ReplayDocument]:
        """Run a captured dispatch again, alone, at its own addresses; compare what it leaves."""
        words = ["replay", "run", str(self.roots.inside(capture)), f"--iterations={iterations}"]
        if hsaco is not None:
            words.append(f"--hsaco={self.roots.inside(hsaco)}")
        return await self._run(ReplayDocument, words, context)

    async def optimize(
        self,
        context: Context,
        source: Annotated[str, Field(description="the file with the kernels")],
        command: Annotated[list[str], Field(description="the application built from it")],
        kernel: Annotated[Optional[str], Field(description="only this one")] = None,
        max_iters: Annotated[Optional[int], Field(ge=1)] = None,
        budget_s: Annotated[Optional[float], Field(gt=0, description="seconds in all")] = None,
        mode: Annotated[
            Literal["keep_beside", "write_into_source", "dry_run"],
            Field(description="what to do with accepted code; a dry run proves nothing"),
        ] = "keep_beside",
    ) -> Answer[OptimizeDocument]:
        """Find faster code for the kernels that matter by rules; prove it equal and faster."""
        modes = {"write_into_source": ["--auto-approve"], "dry_run": ["--dry-run"]}
        words = ["optimize", *modes.get(mode, []), *_given("--kernel", kernel)]
        words += [*_given("--max-iters", max_iters), *_given("--budget", budget_s)]
        words.append(str(self.roots.inside(source)))
        return await self._run(OptimizeDocument, words, context, self.roots.command(command))

    async def autotune(
        self,
        context: Context,
        space: Annotated[Optional[str], Field(description="the file of the space")] = None,
        command: Annotated[
            Optional[list[str]],
            Field(description='with parameters in braces: ["./app", "{TILE}"] or ["{output}"]'),
        ] = None,
        build: Annotated[
            Optional[list[str]],
            Field(description="hipcc or a program of the roots, with {output} and parameters"),
        ] = None,
        simulate: Annotated[
            Optional[str], Field(description="a recorded space; nothing is run")
        ] = None,
        budget: Annotated[
            Optional[str], Field(description="measurements (40) or a share of all (0.2)")
        ] = None,
        seed: Annotated[int, Field(ge=0)] = 0,
        journal: Annotated[Optional[str], Field(description="a file for every measurement")] = None,
    ) -> Answer[TuningDocument]:
        """The best parameters for a fraction of the measurements."""
        words = ["autotune", f"--seed={seed}", *_given("--budget", budget)]
        for option, place in (("space", space), ("simulate", simulate), ("journal", journal)):
            if place is not None:
                words.append(f"--{option}={self.roots.inside(place)}")
        if command is not None:
            built = build is not None and command[:1] == [_OUTPUT]
            run = command if built else self.roots.command(command)
            words.append(f"--cmd-template={shlex.join(run)}")
        if build is not None:
            words.append(f"--build-template={shlex.join(self.roots.build(build))}")
        return await self._run(TuningDocument, words, context)

    async def _measured(
        self,
        model: type[Document],
        words: Sequence[str],
        context: Context,
        command: Optional[Sequence[str]],
        recordings: Optional[Sequence[str]],
        runs: int,
        timeout_s: Optional[float],
        part: Optional[str] = None,
    ) -> Answer[Document]:
        if (command is None) == (recordings is None):
            raise UsageError("either a command to run or recordings to read", None)
        if recordings is not None:
            read = ["--from", *(str(self.roots.inside(place)) for place in recordings)]
            return await self._run(model, [*words, *read], context, part=part)
        options = [*words, f"--runs={runs}", *_given("--timeout", timeout_s)]
        application = self.roots.command(command or ())
        return await self._run(model, options, context, application, part)

    async def _run(
        self,
        model: type[Document],
        words: Sequence[str],
        context: Context,
        application: Sequence[str] = (),
        part: Optional[str] = None,
    ) -> Answer[Document]:
        count = 0

        async def report(line: str) -> None:
            nonlocal count
            count += 1
            await context.report_progress(count, message=line)

        run = ["--", *application] if application else []
        ended = await run_verb([*words, "--json", *run], self.roots.folders[0], report)
        return answer(model, ended, self.most_bytes, part)


def _given(option: str, value: object) -> list[str]:
    return [] if value is None else [f"{option}={value}"]
