"""What a measurement is asked for: an application to run or recordings to read, and what of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from msgspec import Struct

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.part import Part

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.path.what_if import Scenario
    from rocm_perf_lab.arch.named import NamedGpu
    from rocm_perf_lab.collect.rocprof.application_runs import Application


class Recordings(Struct, frozen=True):
    """Recordings to read: a folder of kept runs holds several runs, any other path is one."""

    paths: tuple[Path, ...]
    rocm: Optional[Path] = None  # its disassembler reads the code objects beside them
    gpu: Optional[NamedGpu] = None  # where the kernels ran, if the user knows it better


Source = Union["Application", Recordings]


class KnownCeilings(Struct, frozen=True):
    """Ceilings of the device that the user knows better than the hardware facts."""

    bandwidth_gbps: Optional[float] = None
    clock_mhz: Optional[float] = None

    def __post_init__(self) -> None:
        """Before anything runs: a ceiling of 0 would end in a division by it."""
        named = (
            ("--memory-bandwidth-gbps", self.bandwidth_gbps),
            ("--clock-mhz", self.clock_mhz),
        )
        for option, value in named:
            if value is not None and not 0 < value < float("inf"):
                raise UsageError(f"{option} {value:g} is no ceiling", "give a number above 0")


class ProfileRequest(Struct, frozen=True):
    """The times of all kernels, and what else of them."""

    source: Source
    kernel: Optional[str] = None  # a regular expression; only kernels whose name it matches
    critical_path: bool = False
    scenarios: tuple[Scenario, ...] = ()  # what-if questions about the critical path
    roofline: bool = False
    deep_analysis: bool = False
    part: Part = Part()  # of each run
    timing_only: bool = False  # an application without a profiler: the wall time of its process
    ceilings: KnownCeilings = KnownCeilings()


class ExplainRequest(Struct, frozen=True):
    """What limits the application, and why."""

    source: Source
    # A thread trace of the limiting kernel, too; None: where it would tell more, and can be made.
    deep_analysis: Optional[bool] = None
    ceilings: KnownCeilings = KnownCeilings()
    # The limiting kernel with mechanisms of the device made free; None: where it limits the
    # application, on the virtual device, within a time limit.
    walls: Optional[bool] = False
    part: Part = Part()  # of each run
    kernel: Optional[str] = None  # a regular expression: the kernel that is explained
    whole: bool = False  # with what comes before and after the part that repeats
