"""The table of what to try against a mechanism."""

from __future__ import annotations

from rocm_perf_lab.analysis.diagnosis.remedies import REMEDIES
from rocm_perf_lab.analysis.verdicts.advice.kernels import ROWS
from rocm_perf_lab.analysis.verdicts.advice.outside import OUTSIDE
from rocm_perf_lab.arch.ideal import load_mechanisms


def test_every_mechanism_has_one_and_names_advice_that_there_is() -> None:
    assert tuple(REMEDIES) == tuple(load_mechanisms())
    advised = {row.mend for row in (*ROWS, *OUTSIDE)} | {"beside"}
    for name, remedy in REMEDIES.items():
        assert remedy.what.endswith("."), name
        assert remedy.mends, name
        assert set(remedy.mends) <= advised, name
