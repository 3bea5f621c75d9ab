"""The journal of a tuning as measurements in their order."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.report.contents import Tuning
from rocm_perf_lab.tune.journal import read_journal


def read_tuning(path: Path) -> Tuning:
    journal = read_journal(path)
    measurements = tuple(journal.known.values())
    parameters = journal.header.get("parameters")
    known = parameters if isinstance(parameters, dict) else {}
    return Tuning(
        name=path.name,
        objective=str(journal.header.get("objective", "")),
        measurements=measurements,
        parameters={
            str(name): tuple(values) for name, values in known.items() if isinstance(values, list)
        },
        machines=tuple(dict.fromkeys(one.machine for one in measurements if one.machine)),
    )
