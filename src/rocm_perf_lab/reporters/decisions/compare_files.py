"""A comparison as files: the document, and the times of everything that was judged in blocks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Optional

from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument
from rocm_perf_lab.prove.judge import Samples
from rocm_perf_lab.prove.judge.samples_file import samples_text
from rocm_perf_lab.reporters.json_document import to_json, write_document


def write_comparison(
    folder: Path, document: ComparisonDocument, samples: Mapping[Optional[str], Samples]
) -> None:
    """``samples/kernel_N.json`` is that of the N-th kernel of the document, from 1; ``rocm-perf
    judge`` reads it."""
    write_document(folder / "compare.json", to_json(document))
    names: dict[Optional[str], str] = {None: "end_to_end"}
    names.update((row.kernel, f"kernel_{n}") for n, row in enumerate(document.kernels, start=1))
    for subject, times in samples.items():
        write_document(folder / "samples" / f"{names[subject]}.json", samples_text(times))
