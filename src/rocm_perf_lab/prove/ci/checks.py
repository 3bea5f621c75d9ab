"""What the checks of the virtual device find in one run of an application.

The run is recorded, so that "no finding" is said of kernels that were executed, never of none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import STDERR_TAIL_BYTES, ProcessResult, Stdout, run_process
from rocm_perf_lab.collect.rocprof.options import CollectOptions, StartOptions, Step
from rocm_perf_lab.collect.rocprof.run import Recorder
from rocm_perf_lab.errors import ApplicationFailed, ToolMissing
from rocm_perf_lab.measure.meter import Command

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MOST_BYTES = 1 << 22  # of what a run says; each finding is said once
_FINDING = re.compile(
    r"^VROCM_CHECK: (?P<what>.*)\n"
    r"  in kernel (?P<kernel>.*), workgroup \(.*\n"
    r"(?P<rest>(?:  .*\n)*)",
    re.MULTILINE,
)

_ADDRESS = re.compile(r" \(pc 0x[0-9a-f]+\)$")  # of this run alone
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


@dataclass(frozen=True)
class Finding:
    what: str
    kernel: str  # its symbol
    where: tuple[str, ...]  # the instructions, with their source lines where the code has them

    @property
    def kind(self) -> str:
        """Its words, without lanes, sizes and addresses."""
        return _NUMBER.sub("N", self.what)


@dataclass(frozen=True)
class Checked:
    dispatches: Optional[int]  # that were checked; None: the run ended early
    findings: tuple[Finding, ...]
    names: Mapping[str, str] = field(default_factory=dict)  # of kernels for people, by symbol


class _Listener:
    """Starts the profiler and keeps all that is said: reports of errors need the end only."""

    said = ""

    def __call__(self, argv: Sequence[str], **options: Unpack[StartOptions]) -> ProcessResult:
        result = run_process(argv, **options, most_stderr=_MOST_BYTES)
        self.said = result.stderr_tail
        return replace(result, stderr_tail=result.stderr_tail[-STDERR_TAIL_BYTES:])


def check_command(
    command: Command, kinds: Sequence[str], prefix: Prefix, space: Path, timeout_s: Optional[float]
) -> Checked:
    """Runs it once. A fault ends the application: what was found before it is the answer."""
    listener = _Listener()
    options = CollectOptions(
        runs=1,
        timeout_s=timeout_s,
        app_stdout=Stdout.DISCARD,
        echo_stderr=False,
        environment={**command.env, "VROCM_CHECK": ",".join(kinds)},
        cwd=command.cwd,
        start=listener,
    )
    recorder = Recorder(prefix, command.words, options, space)
    try:
        trace = recorder.record_traces(Step("run", 1, 1)).trace
    except ApplicationFailed:
        findings = findings_in(listener.said, command.cwd)
        if not findings:
            raise
        return Checked(None, findings)
    if not trace.is_virtual:
        raise ToolMissing(
            "the checks need the virtual device: kernels ran on a real one, which has none",
            'eval "$(rocm-perf vrocm env)" first, or omit --check',
        )
    names = {(kernel.symbol or "").removesuffix(".kd"): kernel.name for kernel in trace.kernels}
    return Checked(len(trace.dispatches), findings_in(listener.said, command.cwd), names)


def findings_in(said: str, folder: Optional[Path]) -> tuple[Finding, ...]:
    """Files in ``folder`` are named from there: it may be gone."""
    here = "" if folder is None else f"{os.path.abspath(folder)}{os.sep}"

    def line(text: str) -> str:
        return _ADDRESS.sub("", text.strip()).replace(f" at {here}", " at ")

    return tuple(
        Finding(
            found["what"],
            found["kernel"],
            tuple(line(text) for text in found["rest"].splitlines()),
        )
        for found in _FINDING.finditer(said)
    )


def new_findings(base: Checked, head: Checked) -> tuple[bool, ...]:
    """Of each finding of ``head`` whether ``base`` lacks one like it: of the same kernel and kind,
    because lines and addresses move with every change."""
    known = {(one.kernel, one.kind) for one in base.findings}
    return tuple((one.kernel, one.kind) not in known for one in head.findings)
