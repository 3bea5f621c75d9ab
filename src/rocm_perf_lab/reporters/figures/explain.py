"""The one-page answer as a person reads it: limit, reason, gain, and the first things to try."""

from __future__ import annotations

from rocm_perf_lab.analysis.documents.schemas.explain import (
    ExplanationDocument,
    RankedKernelModel,
)
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.wall_words import wall_lines
from rocm_perf_lab.reporters.figures import explain_words as words
from rocm_perf_lab.reporters.figures.code.samples import most_sampled
from rocm_perf_lab.reporters.figures.gpu_words import region_lines, use_table
from rocm_perf_lab.reporters.figures.origins import other_origin
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_KERNELS = 5
_NAME_WIDTH = 32  # of a kernel in a sentence
_COLUMNS = (
    tt.Column("kernel", align_left=True, shorten=short_names),
    tt.Column("share"),
    tt.Column("mean"),
    tt.Column("bottleneck", align_left=True),
    tt.Column("headroom"),
    tt.Column("score"),
    tt.Column("slack"),
)


def render_explanation(document: ExplanationDocument) -> str:
    kernel = words.limiting(document)
    names = _short(document, kernel)
    limit = words.limit_lines(document, kernel, names[kernel.kernel])
    parts = [
        _heading(document),
        _section("What limits it", [_item(line) for line in limit]),
        *_walls(document),
        _section("Why", _why(document, kernel)),
        _section("What it could gain", [_item(t) for t in words.gain_lines(document, kernel)]),
        _section("Try first", _advice(document)),
    ]
    used = use_table(document.gpus)
    parts.extend([used] if used else [])
    if len(document.kernels) > 1:
        parts.append(_table(document, names))
    parts.extend(_origins(document, names))
    ranges = [_item(line) for line in region_lines(document.regions)]
    parts.extend([_section("Ranges (choose with --region NAME)", ranges)] if ranges else [])
    notes = [_item(line, "") for line in words.absences(document)]
    parts.extend(["\n".join(notes)] if notes else [])
    parts.append(tt.closing(words.result_line(document, kernel)))
    return "\n\n".join(parts) + "\n"


def _walls(document: ExplanationDocument) -> list[str]:
    lines = wall_lines(document.walls)
    return [_section("Walls", list(map(_item, lines)))] if lines else []


def _short(document: ExplanationDocument, kernel: RankedKernelModel) -> dict[str, str]:
    """Of the kernels on the page, in one order, so that none has the name of another."""
    named = list(dict.fromkeys([kernel.kernel, *(k.kernel for k in _shown(document))]))
    return dict(zip(named, short_names(named, terminal.roomy(_NAME_WIDTH))))


def _heading(document: ExplanationDocument) -> str:
    lines = []
    if document.command:
        lines.append(f"Application: {' '.join(document.command)}")
    if document.source:
        lines.append(f"Recording: {', '.join(document.source)}")
    if document.device:
        facts = [document.device.gfx or "unknown target"]
        if document.device.compute_units is not None:
            facts.append(f"{document.device.compute_units} CUs")
        product = document.device.product or "GPU"
        device = f"Device: {product} ({', '.join(facts)}), {document.device.kind}"
        return "\n".join([*map(tt.clip, lines), tt.wrap(device)])
    return "\n".join(map(tt.clip, lines))


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([title, *lines])


def _item(text: str, mark: str = "  ") -> str:
    return tt.wrap(text, mark, " " * len(mark))


def _why(document: ExplanationDocument, kernel: RankedKernelModel) -> list[str]:
    why = words.why_of(kernel)
    traced = (
        words.traced_line(document.trace),
        words.hot_lines(document.trace),
        most_sampled(document.samples),
    )
    lines = [_item(why.verdict), *(_item(line, "  - ") for line in why.evidence)]
    return lines + [_item(line) for line in (why.ruled_out, *traced) if line]


def _advice(document: ExplanationDocument) -> list[str]:
    if not document.advice:
        return [_item("Record more first; the notes below say what.")]
    lines = []
    for number, tip in enumerate(words.tips(document), start=1):
        lines += [_item(tip.what, f"  {number}. "), _item(tip.because, "     ")]
    return lines


def _known(document: ExplanationDocument) -> list[RankedKernelModel]:
    return [k for k in document.kernels if k.bottleneck or k.criticality >= words.VISIBLE]


def _shown(document: ExplanationDocument) -> list[RankedKernelModel]:
    return _known(document)[:MOST_KERNELS]


def _table(document: ExplanationDocument, names: dict[str, str]) -> str:
    rows = []
    for kernel in _shown(document):
        label = kernel.bottleneck.primary if kernel.bottleneck else tt.ABSENT
        headroom = kernel.headroom.fraction if kernel.headroom else None
        score = kernel.optimisation_score
        slack = None if kernel.slack_us is None else kernel.slack_us * 1e3
        rows.append(
            [
                names[kernel.kernel],
                tt.percent(kernel.criticality),
                tt.duration(kernel.mean_us * 1e3),
                label,
                tt.percent(headroom),
                tt.ABSENT if score is None else f"{score:.2f}",
                tt.duration(slack),
            ]
        )
    table = tt.render(_COLUMNS, rows)
    hidden = len(_known(document)) - MOST_KERNELS
    return table if hidden <= 0 else f"{table}\n... and {hidden} more kernels (see --json)"


def _origins(document: ExplanationDocument, names: dict[str, str]) -> list[str]:
    """Of the other kernels of the table, where the recording knows."""
    others = [k for k in _shown(document) if k.kernel != document.kernel and k.origins]
    lines = [_item(other_origin(names[kernel.kernel], kernel)) for kernel in others]
    return [_section("Launched by", lines)] if lines else []
