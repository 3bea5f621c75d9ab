"""Asking all questions of one candidate, in the order in which they are cheap."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.codeobject.elf import ElfFile
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.prove.oracle.baseline import CAPTURED, ORDERS, Baseline
from rocm_perf_lab.prove.oracle.comparison import Images, compare
from rocm_perf_lab.prove.oracle.executed.code import coverage_of, work_of
from rocm_perf_lab.prove.oracle.executed.plain import PlainBuilds, PlainMaker
from rocm_perf_lab.prove.oracle.executed.stage import NAME as EXECUTED
from rocm_perf_lab.prove.oracle.executed.stage import ExecutedCode
from rocm_perf_lab.prove.oracle.findings import kind_of, worth_checking
from rocm_perf_lab.prove.oracle.numbers.element_type import ElementType
from rocm_perf_lab.prove.oracle.outputs import Right, shows_work
from rocm_perf_lab.prove.oracle.passed.buffers import buffers_of
from rocm_perf_lab.prove.oracle.play import CHECKS, in_parts
from rocm_perf_lab.prove.oracle.precision.comparing import Comparing
from rocm_perf_lab.prove.oracle.precision.precision import Precision
from rocm_perf_lab.prove.oracle.reference import Reference, ReferenceMaker
from rocm_perf_lab.prove.oracle.report import OracleReport, Stage, decide
from rocm_perf_lab.prove.oracle.said import not_varied, notes, typed_arguments
from rocm_perf_lab.prove.oracle.scene import Scene, captured_images
from rocm_perf_lab.prove.oracle.strength import Trial, strength
from rocm_perf_lab.prove.oracle.trials.trials import RANDOM_TRIALS
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.coverage import Work
from rocm_perf_lab.replay.replay import refuse_unsupported
from rocm_perf_lab.replay.variant import VariantCode, variant_code
from rocm_perf_lab.trace.files.temporary import temporary_folder

# Rounds of a search, trials from which each goes on, and how many it makes of them; and after how
# many rounds that show nothing new it ends.
_SEARCHES, _NEAR, _MOST_AROUND, _FRUITLESS = 6, 4, 144, 1


@dataclass(frozen=True)
class OracleRequest:
    """Is ``candidate`` as good as the captured code of ``capture``?"""

    capture: Capture
    candidate: Path  # a code object, a bundle or a program that holds the kernel
    prefix: Prefix
    kernel: Optional[str] = None  # its name there, if it is another
    types: Mapping[int, ElementType] = field(
        default_factory=dict
    )  # by argument, over what is known
    reference: Optional[ReferenceMaker] = None  # asked only when bits differ
    seed: int = 0  # of the other inputs; a search draws a new one for every candidate it keeps
    exact: bool = False  # accept no rounding
    allow_unseen: bool = False  # accept code that no trial executed
    device: int = 0
    timeout_s: float = 60.0  # per launch
    allow_unsupported: bool = False


def check_equal(request: OracleRequest) -> OracleReport:
    """Equal, different or unverified, with every stage that was asked."""
    with opened_oracle(request) as oracle:
        return oracle.check(request.candidate, request.kernel)


@contextlib.contextmanager
def opened_oracle(request: OracleRequest) -> Iterator[Oracle]:
    """An oracle for many candidates; its ``candidate`` is not looked at."""
    refuse_unsupported(request.capture, request.allow_unsupported)
    with temporary_folder("oracle") as folder:
        yield Oracle(request, Path(folder))


class Oracle:
    """Runs the captured code once per trial, and every candidate against that."""

    def __init__(self, request: OracleRequest, folder: Path) -> None:
        self._request = request
        self._code = folder / "code"
        self._code.mkdir()
        capture = request.capture
        self._reference: Optional[Reference] = None
        self.baseline = Baseline(
            capture,
            buffers_of(capture, request.types),
            request.prefix,
            request.device,
            request.timeout_s,
            folder,
            request.seed,
        )
        precision = Precision(self.baseline, self._precise, request.prefix.kind == "virtual")
        self._comparing = Comparing(self.baseline, precision, request.exact)
        self.buffers = self.baseline.buffers
        self._random_seed = request.seed
        self.work: Optional[Work] = None  # of the candidate that was asked about last
        self._trouble = self._prepare()

    # --- the captured code ------------------------------------------------------------------------

    def _prepare(self) -> Optional[Stage]:
        """Whether the capture can prove anything; None if it can."""
        baseline, name = self.baseline, "captured code"
        captured = baseline.captured
        if captured.played.failure is not None:
            return Stage(name, "unverified", f"fails itself: {captured.played.failure}")
        if not baseline.written:
            return Stage(name, "unverified", "it changes no memory that it is given: no output")
        stage = self._comparing.compare(
            name, captured, captured_images(self._request.capture), captured.played.images
        )
        if stage.verdict != "pass":
            return replace(stage, verdict="unverified", detail=f"does not replay: {stage.detail}")
        if baseline.touched_guards(captured, captured.played.images):
            return Stage(name, "unverified", "writes outside of its buffers itself")
        return None

    def _precise(self) -> Optional[VariantCode]:
        """The code of higher precision, if there is any that fits."""
        if self._request.reference is None:
            return None
        made = self._request.reference()
        self._reference = made
        if made.code is None:
            return None
        try:
            return variant_code(made.code, self._request.capture, self._code, made.kernel)
        except PerfLabError as error:
            self._reference = Reference(None, error.cause)
            return None

    @functools.cached_property
    def fixed(self) -> list[Right]:
        return self.baseline.fixed()

    # --- a candidate ------------------------------------------------------------------------------

    def check(
        self,
        candidate: Path,
        kernel: Optional[str] = None,
        seed: Optional[int] = None,
        *,
        allow_unseen: bool = False,
        plain: Optional[PlainMaker] = None,
    ) -> OracleReport:
        """``seed``: of the random trials. Without one it follows from the request's seed and the
        candidate's code, so that nobody knows it before the code exists. ``plain`` is asked only
        when not all code was executed."""
        if self._trouble is not None:
            return self._report([self._trouble])
        code = variant_code(candidate, self._request.capture, self._code, kernel)
        self._comparing.begin()
        self._random_seed = _seed_of(code, self._request.seed) if seed is None else seed
        stages: list[Stage] = []
        rights = [*self.fixed]
        rights += self._random(self._random_seed, RANDOM_TRIALS)
        allow_unseen = allow_unseen or self._request.allow_unseen
        for stage in self._stages(code, rights, allow_unseen, plain):
            stages.append(stage)
            if stage.verdict == "fail":  # what is wrong once needs no more proof
                return self._report(stages)
        exact = all(stage.exact for stage in stages if stage.compared_bytes)
        return self._report([*stages, self._strength(rights, exact)], 1 + len(rights))

    def _random(self, seed: int, count: int) -> list[Right]:
        names = {right.name for right in self.fixed}
        shapes = self.baseline.free_shapes(self.fixed)
        return self.baseline.coping(self.baseline.trials.random(seed, shapes, names, count))

    def check_again(self, candidate: Path, seed: int) -> OracleReport:
        """Of a candidate that was found equal: other random trials alone."""
        if self._trouble is not None:
            return self._report([self._trouble])
        code = variant_code(candidate, self._request.capture, self._code, None)
        self._comparing.begin()
        self._random_seed = seed
        rights = self._random(seed, 2 * RANDOM_TRIALS)
        executed = ExecutedCode(self._request.prefix, self._request.capture, code)
        return self._report(list(self._played(code, rights, executed)), 1 + len(rights))

    def _stages(
        self,
        code: VariantCode,
        rights: list[Right],
        allow_unseen: bool,
        plain: Optional[PlainMaker],
    ) -> Iterator[Stage]:
        executed = ExecutedCode(self._request.prefix, self._request.capture, code)
        yield from self._played(code, rights, executed)
        if executed.own_constants:  # a comparison may have had both answers, but not with others
            own = self.baseline.coping(self.baseline.trials.directed(executed.own_constants))
            rights += own
            yield from self._played(code, own, executed)
        yield self._device_checks(code, rights, executed)
        yield self._orders(code)
        if self._request.prefix.kind != "virtual":
            yield Stage("executed", "skipped", "only the virtual device tells what was executed")
            return
        executed.captured_code(self.baseline.covered(rights))
        if allow_unseen or not executed.is_worth_a_search():
            yield executed.stage(allow_unseen)
            return
        builds = plain() if plain is not None and not executed.is_all_seen() else None
        versions = [(code, executed)]
        if builds is not None:
            versions.append(self._plain(builds))
            yield from self._also_played(versions[1:], rights)
        for scenes in self._searched(versions[-1][1]):
            more = self.baseline.coping(scenes)
            yield from self._also_played(versions, more)
            rights += more
        yield versions[-1][1].stage(False)

    def _plain(self, builds: PlainBuilds) -> tuple[VariantCode, ExecutedCode]:
        capture = self._request.capture
        old, new = (variant_code(one, capture, self._code) for one in (builds.old, builds.new))
        return new, ExecutedCode(self._request.prefix, capture, new, old)

    def _also_played(
        self, versions: Sequence[tuple[VariantCode, ExecutedCode]], rights: Sequence[Right]
    ) -> Iterator[Stage]:
        """Every version, and what of the code that it takes the place of is executed there."""
        for code, executed in versions:
            yield from self._played(code, rights, executed)
            if executed.old is None:
                executed.captured_code(self.baseline.covered(rights))
            else:
                scenes = [right.scene for right in rights]
                count = self.baseline.player.processes(len(scenes))
                old = self.baseline.play(scenes, executed.old, covered=True, processes=count)
                executed.captured_code(coverage_of(one.folder for one in old if one.folder))

    def _searched(self, executed: ExecutedCode) -> Iterator[Iterable[Scene]]:
        """Constants of the code wherever they fit; then more changes to what came near."""
        if not executed.is_worth_a_search():
            return
        trials, others = self.baseline.trials, executed.other_constants
        constants = (*executed.own_constants, *others)
        yield trials.directed(others)
        left, fruitless = executed.unseen_count(), 0
        for _ in range(_SEARCHES):
            near = executed.near_misses(_NEAR)
            if not near or fruitless == _FRUITLESS:
                return
            turns = itertools.zip_longest(*(trials.around(one, constants) for one in near))
            scenes = (scene for turn in turns for scene in turn if scene is not None)
            yield itertools.islice(scenes, _MOST_AROUND)
            now = executed.unseen_count()
            fruitless = 0 if now < left else fruitless + 1
            left = now

    def _played(
        self, code: VariantCode, rights: Sequence[Right], executed: ExecutedCode
    ) -> Iterator[Stage]:
        """The captured memory first and last in every process: state would show."""
        captured, processes = self.baseline.captured, self.baseline.player.processes(len(rights))
        parts = in_parts(rights, processes)
        asked = [one for part in parts for one in (captured, *part, captured)]
        played = self.baseline.play(
            [replace(right.scene, departures=right.departures) for right in asked], code,
            variables=self.baseline.limits(asked),
            stop_at_failure=True, covered=True, processes=processes,
        )  # fmt: skip
        self.work = work_of(played[0].folder)
        by_kind: dict[str, list[Stage]] = {}
        ran: list[tuple[Scene, Path]] = []
        inexact = False
        pending = list(zip(asked, played))
        for number, (right, one) in enumerate(pending):
            in_order = bool(self._comparing.orders_of_terms)
            stage = self._comparing.judged(right, one, code)
            if stage.verdict == "fail" and right.optional:
                executed.differed(right.departures)
                continue
            if stage.verdict == "fail":
                yield stage
                return
            if not stage.exact and not inexact:
                inexact = True
                self._comparing.find_sharpness(pending[number:])
            if self._comparing.orders_of_terms and not in_order:
                self._comparing.look_ahead(pending[number:], code)
            by_kind.setdefault(right.scene.kind, []).append(stage)
            if one.folder is not None and shows_work(right, one):
                ran.append((replace(right.scene, departures=right.departures), one.folder))
        executed.ran(ran)
        yield from (_together(kind, stages) for kind, stages in by_kind.items())

    def _device_checks(
        self, code: VariantCode, rights: Sequence[Right], executed: ExecutedCode
    ) -> Stage:
        """Races, accesses outside and reads of what nobody wrote that the captured code does not
        have."""
        name = "device checks"
        if self._request.prefix.kind != "virtual":
            return Stage(name, "skipped", "only the virtual device looks for races")
        shown = {scene.name for scene in executed.that_show_all()}
        asked = [self.baseline.captured, *worth_checking(rights, shown)]
        variables = {**CHECKS, **self.baseline.limits(asked)}
        played = self.baseline.play(
            [right.scene for right in asked], code,
            variables=variables, processes=self.baseline.player.processes(len(asked)),
        )  # fmt: skip
        own = self.baseline.own_findings
        for right, one in zip(asked, played):
            if one.failure is not None:
                return Stage(name, "fail", f"with {right.name}: {one.failure}")
            known = own | {kind_of(finding) for finding in right.played.findings}
            new = [finding for finding in one.findings if kind_of(finding) not in known]
            if new:
                return Stage(name, "fail", f"with {right.name}: {new[0]}")
        also = f"; the captured code has {len(own)} kind(s) of finding itself"
        return Stage(name, "pass", f"{len(asked)} trials: no finding" + (also if own else ""))

    def _orders(self, code: VariantCode) -> Stage:
        """The same bits in every order of waves, unless the captured code varies itself."""
        name = "order of waves"
        right, compared = self.baseline.captured, 0
        usual = right.played.images
        for order in ORDERS:
            played = self.baseline.in_order(code, order)
            if played.failure is not None:
                return Stage(name, "fail", played.failure)
            stage = self._comparing.compare(name, right, usual, played.images)
            compared += stage.compared_bytes
            if stage.verdict == "fail":
                return replace(stage, detail=f"the result depends on it: {stage.detail}")
            if not self.baseline.varying and not stage.exact:
                usual = played.images if order == ORDERS[0] else usual
        exact = not self.baseline.varying
        how = "the same bits" if exact else "within the budget; the captured code varies itself"
        return Stage(name, "pass", f"{len(ORDERS)} orders: {how}", exact, compared)

    def _strength(self, rights: Sequence[Right], exact: bool) -> Stage:
        """With the comparison that the candidate passed: bit by bit, or within the budget."""
        trials = []
        of_kind = {one.scene.kind: one for one in reversed(rights) if not one.optional}
        for right in (self.baseline.captured, *of_kind.values()):

            def passes(images: Images, right: Right = right) -> bool:
                args = ("", right.played.images, images, right.before, self.buffers)
                stage = compare(*args, None if exact else self._comparing.sharpness_of(right))
                return stage.exact if exact else stage.verdict == "pass"

            trials.append(Trial(right.played.images, right.before, passes))
        dispatch = self._request.capture.dispatch
        blocks = 1
        for grid, block in zip(dispatch.grid, dispatch.block):
            blocks *= -(-grid // block)
        return strength(trials, self.baseline.written, self.buffers, blocks)

    # --- the report -------------------------------------------------------------------------------

    def _report(self, stages: list[Stage], trials: int = 0) -> OracleReport:
        reference = "the captured code on the same memory"
        if self._reference is not None and self._reference.code is not None:
            reference = self._reference.said
        told = notes(self.baseline, self._reference, self._request.prefix.kind == "virtual")
        report = decide(stages, reference, typed_arguments(self.baseline), told, self._random_seed)
        if report.verdict != "equal":
            return report
        how = "bit by bit" if report.tier == "bit_exact" else "within the error budget"
        code = next((one.detail for one in stages if one.name == EXECUTED), "")
        words = f"equal in {trials} trials {how}" + (f", {code}" if code else "")
        left = not_varied(self.baseline, self.fixed, self._request.prefix.kind == "virtual")
        return replace(report, reason=words, trials=trials, not_varied=left)


def _seed_of(code: VariantCode, seed: int) -> int:
    """The same for the same program, wherever it was built."""
    program = ElfFile(code.file.read_bytes()).loaded_program()
    digest = hashlib.sha256(f"{seed}\n{code.symbol}\n".encode() + program)
    return int.from_bytes(digest.digest()[:4], "little")


def _together(kind: str, stages: Sequence[Stage]) -> Stage:
    """One stage for all trials of a kind; none of them failed."""
    exact = all(stage.exact for stage in stages)
    compared = sum(stage.compared_bytes for stage in stages)
    noun = "trial" if len(stages) == 1 else "trials"
    if exact:
        return Stage(kind, "pass", f"{len(stages)} {noun}: the same bit by bit", True, compared)
    worst = max(stages, key=lambda stage: stage.max_ulp or 0.0)
    return replace(
        worst,
        detail=f"{len(stages)} {noun}: {worst.detail}",
        compared_bytes=compared,
        different=sum(stage.different for stage in stages),
    )


__all__ = ["CAPTURED", "Oracle", "OracleRequest", "check_equal", "opened_oracle"]
