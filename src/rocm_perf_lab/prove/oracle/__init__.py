"""The oracle: does other code compute what the captured code does? Equal, different, unverified.

``check_equal`` is what optimizers call; ``Oracle`` answers for many candidates of one capture.
"""

from rocm_perf_lab.prove.oracle.application import ApplicationRequest, check_application
from rocm_perf_lab.prove.oracle.oracle import Oracle, OracleRequest, check_equal
from rocm_perf_lab.prove.oracle.reference import Reference
from rocm_perf_lab.prove.oracle.report import OracleReport, Stage, Worst

__all__ = [
    "ApplicationRequest",
    "Oracle",
    "OracleReport",
    "OracleRequest",
    "Reference",
    "Stage",
    "Worst",
    "check_application",
    "check_equal",
]
