"""The whole of it: a prefix with a device, a folder of work, the steps that were asked for."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.doctor.runtime_gpus import Gpu, runtime_gpus
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.errors import ToolMissing, UsageError
from rocm_perf_lab.selftest.looks import SIZES
from rocm_perf_lab.selftest.result import FAILS, Selftest, StepResult
from rocm_perf_lab.selftest.run import Progress, Runner
from rocm_perf_lab.selftest.steps import Step, chosen
from rocm_perf_lab.vrocm.sources import examples_folder

_RIGHT, _WRONG = "a[i] + b[i];\n}", "a[i] - b[i];\n}"  # the kernel's line, not the host's check


@dataclass(frozen=True)
class SelftestRequest:
    rocm: Optional[Path] = None
    only: Optional[Sequence[str]] = ()  # verbs, () for all of them; None for no step
    keep: Optional[Path] = None  # the folder of work stays, whatever holds


class _Silent:
    def started(self, name: str, position: int, total: int) -> None:
        pass

    def ended(self, result: StepResult) -> None:
        pass


SILENT: Progress = _Silent()


def first_gpu(prefix: Prefix) -> Gpu:
    found = runtime_gpus(prefix)
    if not found.gpus:
        raise ToolMissing(
            f"no GPU to try: {found.problem or 'the runtime shows none'}", "rocm-perf doctor"
        )
    return found.gpus[0]


def selftest(request: SelftestRequest, progress: Progress = SILENT) -> Selftest:
    """Raises where there is no prefix or no device; a step that fails is a result."""
    steps = () if request.only is None else chosen(request.only)
    prefix = find_prefix(request.rocm)
    gpu = first_gpu(prefix)
    with _folder_of_work(request.keep) as work:
        found = _tried(prefix, gpu, work.path, steps, progress)
        failed = found.count(FAILS) > 0
        work.stays = work.stays or failed
    return found if work.stays else replace(found, folder=None)


def _tried(
    prefix: Prefix, gpu: Gpu, folder: Path, steps: Sequence[Step], progress: Progress
) -> Selftest:
    prepare(folder)
    results = Runner(prefix, gpu.target, folder, progress).run(steps)
    device = gpu.product or gpu.target
    return Selftest(str(prefix.path), prefix.kind, device, gpu.target, str(folder), results)


def prepare(folder: Path) -> None:
    """What steps read and no step before them writes."""
    space = {"parameters": {"ELEMENTS": list(SIZES)}}
    (folder / "space.json").write_text(json.dumps(space), "utf-8")
    source = (examples_folder() / "vector_add.hip").read_text("utf-8")
    if source.count(_RIGHT) != 1:
        raise ToolMissing("vector_add.hip is not the example that comes along", "install it again")
    (folder / "wrong.hip").write_text(source.replace(_RIGHT, _WRONG), "utf-8")


@dataclass
class _Work:
    path: Path
    stays: bool


@contextmanager
def _folder_of_work(keep: Optional[Path]) -> Iterator[_Work]:
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise UsageError(f"{keep} is in use", "name a new or an empty folder with --keep")
    if keep is None:
        work = _Work(Path(tempfile.mkdtemp(prefix="rocm-perf-selftest-")), False)
    else:
        keep.mkdir(parents=True, exist_ok=True)
        work = _Work(keep.absolute(), True)
    try:
        yield work
    finally:
        if not work.stays:
            shutil.rmtree(work.path, ignore_errors=True)
