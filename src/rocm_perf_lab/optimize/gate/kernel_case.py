"""One kernel before anything of it was changed: a captured dispatch that every version replays."""

from __future__ import annotations

import contextlib
import re
import shutil
import statistics
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional, Union

from rocm_perf_lab.codeobject import CodeObjectFile, read_code_objects
from rocm_perf_lab.collect.disassembly import disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.guards.artifact import Artifact, artifact_of
from rocm_perf_lab.optimize.guards.artifact import Launch as ArtifactLaunch
from rocm_perf_lab.optimize.rules.rule import Launch
from rocm_perf_lab.optimize.source.model import Kernel
from rocm_perf_lab.optimize.workshop.boxed_application import BoxedApplication
from rocm_perf_lab.optimize.workshop.measured import emptied
from rocm_perf_lab.prove.oracle import Oracle, OracleReport, OracleRequest
from rocm_perf_lab.prove.oracle.executed.plain import PlainMaker
from rocm_perf_lab.prove.oracle.oracle import opened_oracle
from rocm_perf_lab.prove.oracle.reference import ReferenceMaker
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.coverage import Work
from rocm_perf_lab.replay.isolate import IsolateOptions, isolate
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.replay.poison import poison_variable
from rocm_perf_lab.replay.replayer import run_replayer
from rocm_perf_lab.replay.variant import variant_code

_ROUNDS, _WARMUP = 3, 0  # each begins with the captured memory; the median counts
_FORMATS = {
    ("float", 4): "<f",
    ("double", 8): "<d",
    ("unsigned", 1): "<B",
    ("unsigned", 2): "<H",
    ("unsigned", 4): "<I",
    ("unsigned", 8): "<Q",
    ("signed", 1): "<b",
    ("signed", 2): "<h",
    ("signed", 4): "<i",
    ("signed", 8): "<q",
}


@dataclass(frozen=True)
class Replayed:
    """``speedup`` over the captured code, alternately in one process."""

    baseline_ns: float
    candidate_ns: float
    different: bool  # from the memory that the captured code leaves, here as in the application

    @property
    def speedup(self) -> float:
        return self.baseline_ns / self.candidate_ns


class KernelCase:
    """Close it: the oracle keeps files."""

    def __init__(self, prefix: Prefix, capture: Capture, folder: Path) -> None:
        self.capture = capture
        self._prefix = prefix
        self._variants = folder / "variants"
        self._variants.mkdir(parents=True)
        self._open = contextlib.ExitStack()
        self._oracle: Optional[Oracle] = None
        self.reference: Optional[ReferenceMaker] = None  # the captured code in higher precision
        self.seed = 0  # of the trials
        self.allow_unseen = False  # code that no trial executed

    @property
    def symbol(self) -> str:
        return self.capture.dispatch.mangled_name

    @property
    def symbol_name(self) -> str:
        """Of the function; the symbol is that of its descriptor."""
        return self.symbol[: -len(".kd")] if self.symbol.endswith(".kd") else self.symbol

    @property
    def demangled(self) -> str:
        return self.capture.dispatch.demangled_name

    def close(self) -> None:
        self._open.close()

    def replay(self, code: Path) -> Replayed:
        """Raises ``ReplayFailed`` where the candidate faults or does not end."""
        variant = variant_code(code, self.capture, self._variants)
        options = ReplayOptions(iterations=_ROUNDS, warmup=_WARMUP, timeout_s=60.0)
        result = run_replayer(self.capture, self._prefix, options, (None, variant))
        old, new = result.variants
        return Replayed(
            statistics.median(old.samples_ns),
            statistics.median(new.samples_ns),
            bool(new.first.differences) and not old.first.differences,
        )

    def prove(
        self,
        code: Path,
        seed: Optional[int] = None,
        *,
        allow_unseen: bool = False,
        plain: Optional[PlainMaker] = None,
    ) -> OracleReport:
        """Most trials of the first question are the same for all candidates; a ``seed`` draws
        others for one that was found equal."""
        if self._oracle is None:
            self._oracle = self._open.enter_context(opened_oracle(self._request(code)))
        if seed is not None:
            return self._oracle.check_again(code, seed)
        return self._oracle.check(code, allow_unseen=allow_unseen, plain=plain)

    def counted(self) -> Optional[tuple[Work, Work]]:
        """Of the captured launch, with the captured code and with the code that was proven last.
        None where the device does not count."""
        if self._oracle is None:
            return None
        before, after = self._oracle.baseline.work(), self._oracle.work
        return None if before is None or after is None else (before, after)

    def poison(self) -> Mapping[str, str]:
        """Variables that make the virtual device overwrite the kernel's outputs before each of its
        launches; nothing before the oracle knows them, or on a real device."""
        if self._oracle is None or self._prefix.kind != "virtual":
            return {}
        return poison_variable(self.symbol, self._oracle.baseline.poison_spans())

    def _request(self, code: Path) -> OracleRequest:
        return OracleRequest(
            self.capture,
            code,
            self._prefix,
            reference=self.reference,
            seed=self.seed,
            allow_unseen=self.allow_unseen,
        )

    def artifact(self, code: Path) -> Optional[Artifact]:
        """None when the kernel is not in it."""
        for found in read_code_objects(code):
            if found.target_name == self.capture.code.target_name and found.kernel(self.symbol):
                return self._artifact(found)
        return None

    def _artifact(self, code: CodeObjectFile) -> Optional[Artifact]:
        info = code.kernel(self.symbol)
        assert info is not None
        listing = disassemble(self._prefix, code, info)
        return artifact_of(code, self.symbol, [instruction.text for instruction in listing])

    def artifact_launch(self) -> ArtifactLaunch:
        x, y, z = self.capture.dispatch.block
        dynamic = self.capture.dispatch.group_segment_size - self.capture.kernel.lds_bytes
        return ArtifactLaunch(x * y * z, max(0, dynamic))

    def launch(self, kernel: Kernel) -> Launch:
        """The captured launch in the words of the source."""
        dispatch = self.capture.dispatch
        sizes = zip(dispatch.grid, dispatch.block)
        groups = tuple(-(-grid // block) for grid, block in sizes)
        return Launch((groups[0], groups[1], groups[2]), dispatch.block, self._scalars(kernel))

    def _scalars(self, kernel: Kernel) -> Mapping[str, Union[int, float]]:
        scalars: dict[str, Union[int, float]] = {}
        arguments = self.capture.kernel.visible_arguments
        if len(arguments) != len(kernel.parameters):
            return {}
        for argument, parameter in zip(arguments, kernel.parameters):
            format_ = _FORMATS.get((_sort(parameter.canonical_type), argument.size))
            if format_ is not None and not argument.is_pointer:
                raw = self.capture.kernarg[argument.offset : argument.offset + argument.size]
                scalars[parameter.name] = struct.unpack(format_, raw)[0]
        return scalars


def _sort(canonical: str) -> str:
    words = canonical.replace("const", "").split()
    if words in (["float"], ["double"]):
        return words[0]
    if "unsigned" in words or words == ["bool"]:
        return "unsigned"
    integers = {"char", "short", "int", "long", "signed"}
    return "signed" if words and set(words) <= integers else ""


def captured_case(
    application: BoxedApplication,
    argv: tuple[str, ...],
    demangled: str,
    launch: int,
    folder: Path,
    *,
    timeout_s: float,
) -> KernelCase:
    """``launch`` counts from 1 over the launches of this kernel. The application runs in its box,
    so that the capture is made where it may write, and brought out of its reach."""
    options = IsolateOptions(
        kernel=f"^{re.escape(demangled)}( \\[clone \\.kd\\])?$",
        dispatch=launch - 1,
        out=application.recordings / "capture",
        timeout_s=timeout_s,
        start=application.capture,
    )
    emptied(application.recordings)
    capture = isolate(argv, application.prefix, options).capture
    folder.mkdir(parents=True, exist_ok=True)
    place = shutil.move(capture.folder, folder / "capture")
    return KernelCase(application.prefix, replace(capture, folder=Path(place)), folder)
