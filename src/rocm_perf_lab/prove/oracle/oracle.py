"""Asking all questions of one candidate, in the order in which they are cheap."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.prove.oracle.baseline import CAPTURED, LAUNCHES, ORDERS, Baseline, Right
from rocm_perf_lab.prove.oracle.blame import overwritten, place_of
from rocm_perf_lab.prove.oracle.buffers import Buffer, buffers_of
from rocm_perf_lab.prove.oracle.comparison import Images, compare
from rocm_perf_lab.prove.oracle.element_type import ElementType
from rocm_perf_lab.prove.oracle.play import Played, Player
from rocm_perf_lab.prove.oracle.reference import Reference, ReferenceMaker
from rocm_perf_lab.prove.oracle.report import OracleReport, Stage, TypedArgument, Use, decide
from rocm_perf_lab.prove.oracle.scene import captured_images
from rocm_perf_lab.prove.oracle.strength import Trial, strength
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.replay import refuse_unsupported
from rocm_perf_lab.replay.variant import VariantCode, variant_code
from rocm_perf_lab.trace.files.temporary import temporary_folder

# Questions to the virtual device; a real one does not answer them.
_CHECKS = {"VROCM_CHECK": "memory,uninit,race"}


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
    """Runs the captured code once per scene, and every candidate against that."""

    def __init__(self, request: OracleRequest, folder: Path) -> None:
        self._request = request
        self._code = folder / "code"
        self._code.mkdir()
        capture = request.capture
        self.buffers = buffers_of(capture, request.types)
        player = Player(request.prefix, request.device, request.timeout_s)
        self._player = player
        self._reference: Optional[Reference] = None
        self._folder = folder
        self._baseline: Optional[Baseline] = None
        self._scenes: Optional[list[Right]] = None
        self._findings: dict[str, frozenset[str]] = {}  # by the name of the scene
        self._not_used: list[str] = []
        self._not_enforced: tuple[str, ...] = ()
        self._trouble = self._prepare()

    # --- the captured code ------------------------------------------------------------------------

    def _prepare(self) -> Optional[Stage]:
        """Whether the capture can prove anything; None if it can."""
        capture = self._request.capture
        name = "captured code"
        baseline = Baseline(
            capture, self.buffers, self._player, self._folder, self._precise, self._request.seed
        )
        self._baseline = baseline
        if baseline.captured.played.failure is not None:
            return Stage(name, "unverified", f"fails itself: {baseline.captured.played.failure}")
        if not baseline.written:
            return Stage(name, "unverified", "it changes no memory that it is given: no output")
        stage = self._compare(
            name, baseline.captured, captured_images(capture), baseline.captured.played.first
        )
        if stage.verdict != "pass":
            return replace(stage, verdict="unverified", detail=f"does not replay: {stage.detail}")
        touched = baseline.captured.staged.guards & set(baseline.captured.played.first)
        if touched:
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

    @property
    def baseline(self) -> Baseline:
        assert self._baseline is not None
        return self._baseline

    def scenes(self) -> list[Right]:
        if self._scenes is None:
            self._scenes = self.baseline.scenes()
        return self._scenes

    # --- a candidate ------------------------------------------------------------------------------

    def check(self, candidate: Path, kernel: Optional[str] = None) -> OracleReport:
        stages: list[Stage] = []
        if self._trouble is not None:
            return self._report([self._trouble])
        code = variant_code(candidate, self._request.capture, self._code, kernel)
        for stage in self._stages(code):
            stages.append(stage)
            if stage.verdict == "fail":  # what is wrong once needs no more proof
                return self._report(stages)
        exact = all(stage.exact for stage in stages if stage.compared_bytes)
        return self._report([*stages, self._strength(exact)])

    def _stages(self, code: VariantCode) -> Iterator[Stage]:
        played = self._player.play(self.baseline.captured.staged, code, launches=LAUNCHES)
        self._not_enforced = played.not_enforced
        yield self._judged(CAPTURED, self.baseline.captured, played, played.first)
        yield self._judged("second launch", self.baseline.captured, played, played.last)
        for right in self.scenes():
            found = self._player.play(right.staged, code)
            stage = self._judged(right.name, right, found, found.first)
            if stage.verdict == "fail" and self._undefined(right):
                continue
            yield stage
        yield self._device_checks(code)
        yield self._orders(code, played)

    def _undefined(self, right: Right) -> bool:
        """Whether the captured code races there, reads what nobody wrote, or the like, and does not
        with the captured memory: then what it left is chance, and nothing to be compared with.
        Asked when a candidate differs, because looking takes long; the scene is not used again."""
        if self._request.prefix.kind != "virtual":
            return False
        if not self._own_findings(right) - self._own_findings(self.baseline.captured):
            return False
        self._scenes = [one for one in self.scenes() if one.name != right.name]
        self._not_used.append(right.name)
        return True

    def _judged(self, name: str, right: Right, played: Played, found: Images) -> Stage:
        if played.failure is not None:
            return Stage(name, "fail", played.failure)
        touched = sorted(right.staged.guards & set(found))
        if touched:
            guard = touched[0]
            changed = np.flatnonzero(found[guard] != right.staged.before(guard))
            where = place_of(guard + int(changed[0]), self.buffers)
            return Stage("guards", "fail", f"with {name}: it writes {where}")
        stage = self._compare(name, right, right.played.first, found)
        stray = None
        if stage.verdict == "fail":
            read_only = [one for one in self.buffers if not self.baseline.writes(one)]
            stray = overwritten(read_only, right.staged.before, right.played.first, found)
        if stray is not None:
            return replace(stage, name="inputs unchanged", detail=f"with {name}: {stray}")
        return stage

    def _compare(self, name: str, right: Right, expected: Images, found: Images) -> Stage:
        """Bit by bit first: how sharp the numbers are is asked only when they differ."""
        before = right.staged.before
        stage = compare(name, expected, found, before, self.buffers)
        if stage.exact or self._request.exact:
            return stage
        sharpness = self.baseline.sharpness(right)
        return compare(name, expected, found, before, self.buffers, sharpness)

    def _device_checks(self, code: VariantCode) -> Stage:
        """Races, accesses outside and uninitialised reads that the captured code does not have."""
        name = "device checks"
        if self._request.prefix.kind != "virtual":
            return Stage(name, "skipped", "only the virtual device looks for races")
        captured = self.baseline.captured
        own = self._own_findings(captured)
        played = self._player.play(captured.staged, code, variables=_CHECKS)
        if played.failure is not None:
            return Stage(name, "fail", played.failure)
        new = [one for one in played.findings if _kind_of(one) not in own]
        if new:
            return Stage(name, "fail", new[0])
        also = f"; the captured code has {len(own)} kind(s) of finding itself"
        return Stage(name, "pass", "no finding" + (also if own else ""))

    def _own_findings(self, right: Right) -> frozenset[str]:
        """Kinds of what the checks find in the captured code; asked once of each scene."""
        if right.name not in self._findings:
            own = self._player.play(right.staged, None, variables=_CHECKS)
            self._findings[right.name] = frozenset(map(_kind_of, own.findings))
        return self._findings[right.name]

    def _orders(self, code: VariantCode, usual: Played) -> Stage:
        """The same bits in every order of waves, unless the captured code varies itself."""
        name = "order of waves"
        compared = 0
        for order in ORDERS:
            played = self.baseline.in_order(code, order)
            if played.failure is not None:
                return Stage(name, "fail", played.failure)
            right = self.baseline.captured
            expected = right.played.first if self.baseline.varying else usual.first
            if self.baseline.varying:
                stage = self._compare(name, right, expected, played.first)
            else:
                stage = compare(name, expected, played.first, right.staged.before, self.buffers)
            compared += stage.compared_bytes
            if stage.verdict == "fail":
                return replace(stage, detail=f"the result depends on it: {stage.detail}")
        exact = not self.baseline.varying
        how = "the same bits" if exact else "within the budget; the captured code varies itself"
        return Stage(name, "pass", f"{len(ORDERS)} orders: {how}", exact, compared)

    def _strength(self, exact: bool) -> Stage:
        """With the comparison that the candidate passed: bit by bit, or within the budget."""
        trials = []
        for right in (self.baseline.captured, *self.scenes()):

            def passes(images: Images, right: Right = right) -> bool:
                args = ("", right.played.first, images, right.staged.before, self.buffers)
                stage = compare(*args, None if exact else self.baseline.sharpness(right))
                return stage.exact if exact else stage.verdict == "pass"

            trials.append(Trial(right.played.first, right.staged.before, passes))
        dispatch = self._request.capture.dispatch
        blocks = 1
        for grid, block in zip(dispatch.grid, dispatch.block):
            blocks *= -(-grid // block)
        return strength(trials, self.baseline.written, self.buffers, blocks)

    # --- the report -------------------------------------------------------------------------------

    def _report(self, stages: list[Stage]) -> OracleReport:
        notes = []
        reference = "the captured code on the same memory"
        if self._reference is not None and self._reference.code is not None:
            reference = self._reference.said
        if self._baseline is not None:
            notes = self._notes(self._baseline)
        arguments = [self._typed(one) for one in self.buffers]
        return decide(stages, reference, arguments, notes, self._request.seed)

    def _notes(self, baseline: Baseline) -> list[str]:
        notes = []
        if baseline.varying:
            notes.append("the captured code itself depends on the order of waves")
        if self._reference is not None and self._reference.code is None:
            notes.append(f"nothing of higher precision to compare with: {self._reference.said}")
        if not baseline.inputs():
            notes.append("no input has a known type: only the captured input was tried")
        if not baseline.poisonable:
            notes.append("outputs were not poisoned: the captured code reads what it overwrites")
        if not baseline.has_guard_pages:
            notes.append(
                "pages around the buffers were not free: only the rest of pages is guarded"
            )
        if self._request.prefix.kind != "virtual":
            notes.append("the order of waves cannot be chosen on this device")
        notes += [
            f"not compared: {name}, where the captured code itself is not defined"
            for name in self._not_used
        ]
        notes += [f"the candidate's box could not hold: {one}" for one in self._not_enforced]
        return notes

    def _typed(self, buffer: Buffer) -> TypedArgument:
        use: Use = "untouched or unknown"
        if self._baseline is not None:
            use = "input"
            if self._baseline.writes(buffer):
                use = "output" if self._baseline.is_output(buffer) else "input and output"
        name = None if buffer.element is None else buffer.element.name
        return TypedArgument(buffer.name, name, buffer.source, use, buffer.size)


def _kind_of(finding: str) -> str:
    """Without lanes, addresses and lines, which differ between versions."""
    return re.sub(r"\d+", "#", finding.partition(":")[0])
