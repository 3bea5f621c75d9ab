"""Recorded runs of two versions: one value per run, of each kernel and of the whole."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from rocm_perf_lab.measure.process_times import ProcessTimes
from rocm_perf_lab.prove.compare.judgement import Judgement
from rocm_perf_lab.prove.compare.subjects import END_TO_END, Subject, subjects_of
from rocm_perf_lab.prove.compare.unpaired import judge_runs


def recording_rows(
    bases: Sequence[ProcessTimes], heads: Sequence[ProcessTimes], threshold: float
) -> dict[Subject, Judgement]:
    """A kernel's value of a run is the median of its dispatches there."""
    subjects = subjects_of(bases, heads)
    return {
        subject: judge_runs(
            [_value(run, subject) for run in bases],
            [_value(run, subject) for run in heads],
            len(subjects),
            threshold,
        )
        for subject in subjects
    }


def _value(run: ProcessTimes, subject: Subject) -> float:
    if subject is END_TO_END:
        return float(run.critical_path_ns or 0)
    return float(statistics.median(run.kernels[subject]))
