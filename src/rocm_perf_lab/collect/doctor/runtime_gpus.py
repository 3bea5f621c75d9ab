"""The GPUs that the HSA runtime of a prefix sees: the same question for every prefix."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.doctor import hsa_agents
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, ask_program

HSA_LIBRARY = "libhsa-runtime64.so.1"


@dataclass(frozen=True)
class Gpu:
    target: str  # "gfx942"
    product: Optional[str]  # "AMD Instinct MI300X"

    @property
    def title(self) -> str:
        return f"{self.target} ({self.product})" if self.product else self.target


@dataclass(frozen=True)
class RuntimeGpus:
    """What the runtime answered; ``problem`` when it could not be asked."""

    gpus: tuple[Gpu, ...] = ()
    problem: Optional[str] = None


def runtime_gpus(prefix: Prefix) -> RuntimeGpus:
    library = prefix.path / "lib" / HSA_LIBRARY
    if not library.exists():
        return RuntimeGpus(problem=f"{library} is missing")
    paths = [str(prefix.path / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(path for path in paths if path)}
    script = [sys.executable, "-I", "-S", hsa_agents.__file__, str(library)]
    return _answer(ask_program(script, env=environment), library)


def _answer(result: ProcessResult, library: Path) -> RuntimeGpus:
    if not result.ok:
        return RuntimeGpus(problem=f"{library}: {result.ending}")
    try:
        answer = json.loads(result.answer)
    except ValueError:  # the runtime ended the process with exit code 0
        return RuntimeGpus(problem=f"{library} gave no answer")
    gpus = answer.get("gpus", ())
    found = tuple(Gpu(gpu["target"], gpu["product"] or None) for gpu in gpus)
    return RuntimeGpus(gpus=found, problem=answer.get("problem"))
