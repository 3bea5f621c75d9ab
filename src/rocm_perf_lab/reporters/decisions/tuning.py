"""A tuning as a person reads it: the best parameters first, last line ``Result:``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.prove.judge.verdict import at_least
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.fidelity import fidelity_line
from rocm_perf_lab.reporters.kernel_names import short_names
from rocm_perf_lab.reporters.progress import PROGRESS
from rocm_perf_lab.tune.measurement import Measurement
from rocm_perf_lab.tune.tuning_schema import (
    CodeModel,
    ConfigurationModel,
    TritonTable,
    TuningDocument,
)

_NAME_WIDTH = 40  # of a kernel in a sentence
_LEAST_IMPORTANCE = 0.01


class TuningLine:
    """What a tuning does, in one line, and how much of it is done."""

    def __init__(self) -> None:
        self._stage, self._share = "", 0.0

    def measured(self, number: int, budget: int, last: Measurement, best: Optional[float]) -> None:
        del last
        so_far = "no time yet" if best is None else f"best so far {best:.6g}"
        self._tell(
            "search", f"configuration {number} of {budget} measured, {so_far}", number / budget
        )

    def compiling(self, number: int, count: int) -> None:
        self._tell("builds", f"compiling build {number} of {count}", (number - 1) / count)

    def looking(self, kernel: str) -> None:
        self._tell("look", f"reading and compiling the configurations of {kernel}", 0.0)

    def judging(self, block: int, most: int) -> None:
        text = f"the best against the default: block {block} of at most {most}"
        self._tell("judge", text, (block - 1) / most)

    def _tell(self, stage: str, text: str, share: float) -> None:
        self._share = share
        if stage == self._stage:
            PROGRESS.now(text)
        else:
            self._stage = stage
            PROGRESS.doing(text, lambda: self._share)


def render_tuning(document: TuningDocument) -> str:
    parts = [_best(document), _how_much(document), _model(document), _judgement(document)]
    parts += [_pareto(document), _triton(document.triton)]
    if document.failures:
        named = ", ".join(f"{count} {status}" for status, count in document.failures.items())
        parts.append(tt.wrap(f"Left out: {named} (--json has the reason of each)"))
    if document.virtual:
        parts.append(tt.wrap(fidelity_line()))
    parts.append(tt.closing(f"Result: {_result(document)}"))
    return "\n\n".join(filter(None, parts)) + "\n"


def _best(document: TuningDocument) -> str:
    if document.best_config is None:
        return "Best parameters: none, no configuration could be measured"
    values = document.best_config.parameters
    width = max(map(len, values))
    lines = [tt.wrap(str(v), f"  {name.ljust(width)}  ", "    ") for name, v in values.items()]
    return "\n".join(["Best parameters:", *lines, *_code(document.best_config.code)])


def _code(code: Optional[CodeModel]) -> list[str]:
    if code is None:
        return []
    occupancy = "" if code.occupancy is None else f", occupancy at most {code.occupancy:.0%}"
    spills = f", {code.spills} registers spilled" if code.spills else ""
    text = f"Its code: {code.vgprs} VGPRs, {code.lds_bytes} bytes of LDS{spills}{occupancy}"
    return [tt.wrap(text)]


def _how_much(document: TuningDocument) -> str:
    about = "about " if document.size_is_estimate else ""
    how = "read from a recorded space, nothing was run" if document.simulated else "measured"
    text = (
        f"Measured: {document.evaluated_configs} of {about}{document.search_space_size} "
        f"configurations ({document.fraction:.2%}), {how}"
    )
    if document.resumed:
        text += f"; {document.resumed} were in the journal"
    lines = [tt.wrap(text)]
    if document.mixed_machines:
        named = "; ".join(f"{count} on {name}" for name, count in document.machines.items())
        lines.append(tt.wrap(f"Warning: one model of different machines: {named}"))
    return "\n".join(lines)


def _model(document: TuningDocument) -> str:
    if document.evaluated_configs == document.search_space_size:
        return ""  # nothing is left that a model would speak of
    if document.model.r2 is None:
        text = "Model: too few measurements to estimate how good it is"
    else:
        text = f"Model: explains {document.model.r2:.0%} of the variance of held-out times (R2)"
    lines = [tt.wrap(text)]
    ranked = sorted(document.importance.items(), key=lambda entry: -entry[1])
    named = [f"{name} {part:.0%}" for name, part in ranked if part >= _LEAST_IMPORTANCE]
    if named and document.warning is None:
        lines.append(tt.wrap(f"What matters: {', '.join(named)}"))
    if document.warning is not None:
        doubt = "Warning: low model confidence; a better configuration may be among the rest"
        lines += [tt.wrap(doubt), *(tt.wrap(text, "  ", "    ") for text in document.advice)]
    return "\n".join(lines)


_VERDICTS = {
    "faster": "faster than",
    "slower": "slower than",
    "no_change": "no faster than",
    "inconclusive": "not proven to be faster than",
}
_OUTPUTS = {
    "equal": "the same as the default's",
    "within_tolerance": "right by your own check",
    "unverified": "not proven to be right",
}


def _judgement(document: TuningDocument) -> str:
    """Of what was measured after the search, for this alone."""
    found = document.judgement
    if found is None:
        why = document.not_judged
        return "" if why is None or document.simulated else tt.wrap(f"Not judged: {why}")
    between = ""
    if found.low is not None and found.high is not None:
        between = f" ({found.low:.4g}x to {found.high:.4g}x)"
    lines = [
        tt.wrap(
            f"Judge: {_VERDICTS[found.verdict]} the default, {found.speedup:.4g}x{between}, in "
            f"{found.processes} processes after the search; {found.reason}"
        ),
        tt.wrap(f"Output: {_OUTPUTS[found.output]} ({found.output_reason})"),
    ]
    if found.output == "unverified":
        lines.append("  --verify CMD checks the result of each configuration")
    return "\n".join([*lines, tt.wrap(f"Evidence: {found.evidence}")])


def _pareto(document: TuningDocument) -> str:
    if not document.pareto:
        return ""
    rows = [
        tt.wrap(_shown(one.parameters), f"  {one.value:<12.6g} {one.second:<12.6g} ", " " * 28)
        for one in document.pareto
    ]
    title = f"No other one is better in both ({document.objective}):"
    return "\n".join([tt.wrap(title), *rows])


def _triton(table: Optional[TritonTable]) -> str:
    """A line for each key; without one the kernel has no key names, and the key is empty."""
    if table is None:
        return ""
    name = short_names([table.kernel], _NAME_WIDTH)[0]
    title = f"For each key of {name} ({', '.join(table.key) or 'it names none'}):"
    lines = [tt.wrap(title)] if table.table else []
    for choice in table.table:
        gain = ""
        if choice.default_ms is not None:
            ratio = choice.default_ms / choice.ms
            gain = f", {ratio:.2f}x faster than the default" if ratio > 1 else ", the default"
        key = " ".join(map(str, (*choice.key.values(), *choice.dtypes)))
        words = _shown({**choice.config.kwargs, **choice.config.options})
        lines.append(tt.wrap(f"{key}: {words}, {choice.ms:.6g} ms{gain}", "  ", "    "))
    if table.reason is not None:
        lines.append(tt.wrap(f"Warning: {table.reason}"))
    return "\n".join(lines)


def _shown(parameters: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())


def _result(document: TuningDocument) -> str:
    where = " on the virtual device" if document.virtual else ""
    best, default = document.best_config, document.default_config
    if best is None:
        return "nothing was measured"
    text = f"best {_value(best)}"
    judged = document.judgement
    if judged is not None and judged.claim is not None:
        text += f", at least {at_least(judged.claim, 2)} faster than the default"
    elif judged is not None:
        text += f", {_VERDICTS[judged.verdict]} the default"
    elif default is not None and document.speedup is not None:
        text += f", {document.speedup:.2f}x faster than the default's {_value(default)}"
        text += " as measured"
    return f"{text}{where}"


def _value(configuration: ConfigurationModel) -> str:
    if configuration.runtime_ms is None:
        return f"{configuration.value:.6g}"
    return f"{configuration.runtime_ms:.6g} ms"
