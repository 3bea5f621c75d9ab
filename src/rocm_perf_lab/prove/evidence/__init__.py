"""Evidence: everything that a decision was made of, kept so that anybody can make it again."""

from rocm_perf_lab.prove.evidence.bundle import Bundle
from rocm_perf_lab.prove.evidence.decision import Decision, OracleSays
from rocm_perf_lab.prove.evidence.search_log import SearchLog, read_log
from rocm_perf_lab.prove.evidence.verify import verify_bundle, verify_search

__all__ = [
    "Bundle",
    "Decision",
    "OracleSays",
    "SearchLog",
    "read_log",
    "verify_bundle",
    "verify_search",
]
