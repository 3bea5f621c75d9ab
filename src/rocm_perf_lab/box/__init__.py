"""Running a candidate where it can do no harm and learn nothing.

``run_boxed`` starts a supervisor, a process of its own, which makes the namespaces, watches over
time, memory, processes and disk, and starts the candidate behind Landlock and seccomp. What the
kernel does not offer is left out and said in the result.
"""

from rocm_perf_lab.box.environment import boxed_environment, device_variables
from rocm_perf_lab.box.limits import Limits
from rocm_perf_lab.box.run import BoxResult, run_boxed
from rocm_perf_lab.box.run_folder import prepare_run_folder

__all__ = [
    "BoxResult",
    "Limits",
    "boxed_environment",
    "device_variables",
    "prepare_run_folder",
    "run_boxed",
]
