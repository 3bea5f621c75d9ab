"""The journal of a tuning as measurements in their order."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.report.contents import Tuning
from rocm_perf_lab.tune.journal import read_journal
from rocm_perf_lab.tune.run.objective import unit_of


def read_tuning(path: Path) -> Tuning:
    journal = read_journal(path)
    measurements = tuple(journal.known.values())
    parameters = journal.header.get("parameters")
    known = parameters if isinstance(parameters, dict) else {}
    default = journal.header.get("default")
    objective = str(journal.header.get("objective", ""))
    return Tuning(
        name=path.name,
        objective=objective,
        measurements=measurements,
        parameters={
            str(name): tuple(values) for name, values in known.items() if isinstance(values, list)
        },
        machines=tuple(dict.fromkeys(one.machine for one in measurements if one.machine)),
        unit=unit_of(objective),
        default=next((one for one in measurements if dict(one.configuration) == default), None),
    )
