"""Our own guards as a gate for the corpus: reply, G1, G2, and whether it compiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from corpus import Case

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.gate.reply import candidate_file, read_reply
from rocm_perf_lab.optimize.guards.source_check import check_source
from rocm_perf_lab.optimize.refusal import Refusal
from rocm_perf_lab.optimize.source import Kernel, Parser, TranslationUnit, compile_command


@dataclass(frozen=True)
class Decision:
    """``source`` is the file that later stages would build; None when it was refused."""

    refusals: tuple[Refusal, ...]
    changed: bool = True
    source: Optional[bytes] = field(default=None, repr=False)

    @property
    def stage(self) -> Optional[str]:
        return self.refusals[0].stage.value if self.refusals else None

    @property
    def reason(self) -> Optional[str]:
        return self.refusals[0].reason if self.refusals else None


class SourceGate:
    """Parses each program once; candidates are never written."""

    def __init__(self, prefix: Prefix) -> None:
        self._prefix = prefix
        self._parsers: dict[Path, tuple[Parser, TranslationUnit]] = {}

    def program(self, path: Path) -> tuple[Parser, TranslationUnit]:
        if path not in self._parsers:
            parser = Parser(compile_command(self._prefix, path), path)
            self._parsers[path] = (parser, parser.parse())
        return self._parsers[path]

    def kernel(self, case: Case) -> Kernel:
        return self.program(case.program)[1].kernels_named(case.kernel)[0]

    def decide(self, case: Case) -> Decision:
        parser, before = self.program(case.program)
        kernel = self.kernel(case)
        if case.form == "reply":
            block = read_reply(case.text)
            if isinstance(block, Refusal):
                return Decision((block,))
            source = candidate_file(before.files[kernel.path].data, kernel, block)
        else:
            source = case.source
        verdict = check_source(before, kernel, parser.parse({kernel.path: source}))
        return Decision(verdict.refusals, verdict.changed, None if verdict.refusals else source)

    def close(self) -> None:
        for parser, _ in self._parsers.values():
            parser.close()
        self._parsers.clear()
