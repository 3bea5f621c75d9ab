"""A program with one kernel changed: by a new definition or by a rule, and what the guards say."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Optional

from benchmarks.cheats.asking import build
from rocm_perf_lab.codeobject import read_code_objects
from rocm_perf_lab.collect.disassembly import disassemble
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.guards.artifact import Artifact, Launch, artifact_of, check_artifact
from rocm_perf_lab.optimize.guards.source_check import check_source
from rocm_perf_lab.optimize.refusal import Refusal
from rocm_perf_lab.optimize.rules.registry import ALL_RULES
from rocm_perf_lab.optimize.rules.rule import REASSOCIATE, Change, Situation
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.source import Parser, compile_command, splice_body
from rocm_perf_lab.prove.oracle.executed.plain import PLAIN_FLAGS, PlainBuilds
from rocm_perf_lab.prove.symbolic import device_ir, prove_equal
from rocm_perf_lab.replay.capture import Capture


class Guards:
    """Text and machine code of candidates for one kernel of one program."""

    def __init__(
        self, prefix: Prefix, source: Path, kernel: str, capture: Capture, folder: Path
    ) -> None:
        self._prefix, self._capture = prefix, capture
        self._folder, self._count = folder, 0
        self._parser = Parser(compile_command(prefix, source), source)
        self._unit = self._parser.parse()
        self._kernel = self._unit.kernels_named(kernel)[0]
        self._baseline = self._artifact(self._built(self._data))

    def close(self) -> None:
        self._parser.close()

    @property
    def _data(self) -> bytes:
        return self._unit.files[self._kernel.path].data

    def with_definition(self, text: bytes) -> bytes:
        span = self._kernel.span
        return self._data[: span.start] + text + self._data[span.end :]

    def changed_by(self, rule: str) -> Optional[bytes]:
        """The first change that the rule proposes; None if there is none."""
        found = next(one for one in ALL_RULES if one.name == rule)
        situation = Situation(self._unit, self._kernel, allowed=frozenset({REASSOCIATE}))
        for answer in found.look(situation):
            if isinstance(answer, Change):
                body = edited(self._data, self._kernel.body, answer.edits)
                return splice_body(self._data, self._kernel, body)
        return None

    def decide(self, source: bytes) -> tuple[Optional[Path], Optional[Refusal]]:
        """The code object of a candidate, or the first refusal."""
        after = self._parser.parse({self._kernel.path: source})
        verdict = check_source(self._unit, self._kernel, after)
        if verdict.refusals:
            return None, verdict.refusals[0]
        code = self._built(source)
        dispatch, kernel = self._capture.dispatch, self._capture.kernel
        launch = Launch(
            math.prod(dispatch.block), max(0, dispatch.group_segment_size - kernel.lds_bytes)
        )
        refusals = check_artifact(self._baseline, self._artifact(code), launch).refusals
        return (None, refusals[0]) if refusals else (code, None)

    def plain(self, source: bytes) -> PlainBuilds:
        old, new = (self._built(one, *PLAIN_FLAGS) for one in (self._data, source))
        return PlainBuilds(old, new)

    def proven(self, source: bytes) -> bool:
        """Whether the change is proven for all inputs, without running anything."""
        before, after = (self._device_ir(one) for one in (self._data, source))
        symbol = self._capture.dispatch.mangled_name.removesuffix(".kd")
        return prove_equal(before, after, symbol).proven

    def _device_ir(self, source: bytes) -> str:
        return device_ir(self._prefix, self._written(source), ("-O3", self._include))

    @property
    def _include(self) -> str:
        return f"-I{Path(self._kernel.path).parent}"

    def _written(self, source: bytes) -> Path:
        self._count += 1
        file = self._folder / f"candidate-{self._count}.hip"
        file.write_bytes(source)
        return file

    def _built(self, source: bytes, *flags: str) -> Path:
        file = self._written(source)
        return build(self._prefix, file, file.with_suffix(".co"), "--genco", self._include, *flags)

    def _artifact(self, code: Path) -> Artifact:
        file = read_code_objects(code)[0]
        info = file.kernel(self._capture.dispatch.mangled_name)
        assert info is not None, self._capture.dispatch.mangled_name
        listing = disassemble(self._prefix, file, info)
        found = artifact_of(file, info.name, [one.text for one in listing])
        assert found is not None
        return found
