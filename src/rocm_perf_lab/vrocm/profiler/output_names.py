"""Names of output files: ``%hostname%/%pid%`` and the other keys that rocprofv3 replaces."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DEFAULT_PREFIX = "%hostname%/%pid%"

# The first variable that is set tells; launchers and their names for the same thing.
_RANK = ("PBS_NODENUM", "SLURM_PROCID", "PMI_RANK", "MV2_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK")
_SIZE = ("PBS_O_TASKNUM", "SLURM_NTASKS", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE")
_JOB = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")
_NODE = ("SLURM_NODEID", "PBS_NODENUM")
_SHORTHANDS = {"h": "hostname", "p": "pid", "j": "job", "r": "rank", "s": "size"}
_KEY = re.compile(
    r"%env\{(?P<env>[^}]*)\}%|\$ENV\{(?P<shell>[^}]*)\}|%q\{(?P<q>[^}]*)\}"
    r"|%(?P<key>[a-z_]+|arg\d+)%|\{(?P<brace>[a-z_]+|arg\d+)\}|%(?P<short>[hpjrs])"
)


@dataclass(frozen=True)
class NamedProcess:
    """What the keys stand for in the file names of one process."""

    hostname: str
    pid: int
    ppid: int
    command: Sequence[str]
    environment: Mapping[str, str]
    launched: time.struct_time

    def expand(self, name: str) -> str:
        """Replace every key; a word that is not a key stays as it is, so that one sees it."""
        values = self._values()

        def value(match: re.Match[str]) -> str:
            variable = match["env"] or match["shell"] or match["q"]
            if variable is not None:
                return self.environment.get(variable, "")
            key = match["key"] or match["brace"] or _SHORTHANDS[match["short"]]
            return values.get(key, match[0])

        return _KEY.sub(value, name)

    def _values(self) -> dict[str, str]:
        words = list(self.command)
        program = os.path.basename(words[0]) if words else ""
        values = {
            "hostname": self.hostname,
            "pid": str(self.pid),
            "ppid": str(self.ppid),
            "pgid": str(os.getpgid(0)),
            "psid": str(os.getsid(0)),
            "psize": "1",
            "job": self._first(_JOB, "0"),
            "rank": self._first(_RANK, "0"),
            "size": self._first(_SIZE, "1"),
            "nid": self._first(_NODE, "0"),
            "cwd": os.getcwd(),
            "launch_date": time.strftime("%Y-%m-%d", self.launched),
            "launch_time": time.strftime("%H.%M.%S", self.launched),
            "argv": _joined([program, *words[1:]]),
            "argt": program,
            "args": _joined(words[1:]),
            "tag": program,
        }
        values.update({f"arg{n}": _joined([word]) for n, word in enumerate(words)})
        return values

    def _first(self, names: Sequence[str], otherwise: str) -> str:
        return next((self.environment[n] for n in names if n in self.environment), otherwise)


def _joined(words: Sequence[str]) -> str:
    """Words as a part of a file name: no separators of paths."""
    return "_".join(words).replace("/", "_")
