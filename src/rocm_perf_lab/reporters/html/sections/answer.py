"""The answer first: what limits the application, why, what it could gain, what to try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.report.contents import Measured
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.figures import explain_words as words
from rocm_perf_lab.reporters.html.sections.ladder import Ladder, ladder_of
from rocm_perf_lab.reporters.kernel_names import shorten

_NAME_WIDTH = 80
_COUNTED = "The recording has counter passes only: the profiler made the gaps between the kernels."


@dataclass(frozen=True)
class Share:
    name: str
    text: str
    percent: float


@dataclass(frozen=True)
class Answer:
    headline: str
    limit: tuple[str, ...]
    why: Optional[words.Why]
    traced: Optional[str]
    gain: tuple[str, ...]
    tips: tuple[words.Tip, ...]
    notes: tuple[str, ...]
    shares: tuple[Share, ...]
    ladder: Optional[Ladder] = None  # on the virtual device, where a kernel limits


def answer_of(measured: Measured) -> Answer:
    document = measured.explanation
    if document is None:
        return _of_times_alone(measured)
    kernel = words.limiting(document)
    only_counted = bool(measured.runs) and measured.path is None
    parts = [] if only_counted else words.time_parts(document.time)
    limit = words.limit_lines(document, kernel, shorten(document.kernel, _NAME_WIDTH))
    return Answer(
        headline=words.result_line(document, kernel).removeprefix("Result: "),
        limit=(*limit[:-1], _COUNTED) if only_counted else tuple(limit),
        why=words.why_of(kernel),
        traced=words.traced_line(document.trace),
        gain=tuple(words.gain_lines(document, kernel)),
        tips=tuple(words.tips(document)),
        notes=tuple(words.absences(document)),
        shares=tuple(
            Share(name, tt.percent(share), round(100 * share, 2)) for name, share in parts
        ),
        ladder=ladder_of(document.walls),
    )


def _of_times_alone(measured: Measured) -> Answer:
    profile = measured.profile
    notes = tuple(f"{gap.field}: {gap.reason}" for gap in profile.unavailable)
    text = f"{tt.duration(profile.runtime_ms * 1e6)} per run; what takes the time is not recorded"
    return Answer(text, (), None, None, (), (), notes, ())
