"""Asks the HSA runtime of a prefix about its agents, through the C interface."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from rocm_perf_lab.errors import ToolFailed, ToolMissing

LIBRARY = "libhsa-runtime64.so.1"
_SUCCESS = 0
_LONGEST_ANSWER = 256  # bytes; the largest attribute that is asked for is a name
_AGENT_DEVICE = 17  # HSA_AGENT_INFO_DEVICE
_GPU = 1  # HSA_DEVICE_TYPE_GPU
_ISA_NAME_LENGTH, _ISA_NAME = 0, 1

# Handles are structs of one uint64_t, which are passed as that number.
_Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)


@dataclass(frozen=True)
class Hsa:
    """An open runtime. Attributes are the numbers of hsa.h and hsa_ext_amd.h."""

    library: ctypes.CDLL

    def system(self, attribute: int, kind: Any) -> Any:
        return self._ask("hsa_system_get_info", None, attribute, kind)

    def agents(self) -> list[int]:
        return self._collect("hsa_iterate_agents")

    def pools(self, agent: int) -> list[int]:
        return self._collect("hsa_amd_agent_iterate_memory_pools", agent)

    def isa_names(self, agent: int) -> list[str]:
        names = []
        for isa in self._collect("hsa_agent_iterate_isas", agent):
            length = self._ask("hsa_isa_get_info_alt", isa, _ISA_NAME_LENGTH, ctypes.c_uint32)
            text = self._ask("hsa_isa_get_info_alt", isa, _ISA_NAME, bytes)
            names.append(text[:length])
        return names

    def agent(self, agent: int, attribute: int, kind: Any) -> Any:
        """The answer as a ctypes type has it; ``bytes`` stands for text."""
        return self._ask("hsa_agent_get_info", agent, attribute, kind)

    def pool(self, pool: int, attribute: int, kind: Any) -> Any:
        return self._ask("hsa_amd_memory_pool_get_info", pool, attribute, kind)

    def is_gpu(self, agent: int) -> bool:
        return bool(self.agent(agent, _AGENT_DEVICE, ctypes.c_uint32) == _GPU)

    def _ask(self, function: str, handle: Optional[int], attribute: int, kind: Any) -> Any:
        answer = ctypes.create_string_buffer(_LONGEST_ANSWER)
        subject = () if handle is None else (ctypes.c_uint64(handle),)
        status = self._function(function)(*subject, ctypes.c_uint32(attribute), answer)
        if status != _SUCCESS:
            raise ToolFailed(f"{function} of attribute {attribute:#x} returned {status:#x}")
        if kind is bytes:
            return answer.value.decode("utf-8", "replace")
        value = kind.from_buffer(answer)
        return list(value) if isinstance(value, ctypes.Array) else value.value

    def _collect(self, function: str, *handles: int) -> list[int]:
        found: list[int] = []

        def visit(handle: int, _data: object) -> int:
            found.append(handle)
            return _SUCCESS

        subject: Sequence[Any] = [ctypes.c_uint64(handle) for handle in handles]
        self._function(function)(*subject, _Visit(visit), None)
        return found

    def _function(self, name: str) -> Callable[..., int]:
        function: Callable[..., int] = getattr(self.library, name)
        return function


def open_runtime(root: Optional[Path]) -> Hsa:
    """Raises ``ToolMissing`` when the runtime of the prefix cannot be used."""
    path = str(root / "lib" / LIBRARY) if root else LIBRARY
    try:
        library = ctypes.CDLL(path)
        status = library.hsa_init()
    except (OSError, AttributeError) as error:
        raise ToolMissing(
            f"the HSA runtime cannot be loaded: {error}", "build it again: rocm-perf vrocm path"
        ) from error
    if status != _SUCCESS:
        raise ToolFailed(f"hsa_init of {path} returned status {status:#x}", "rocm-perf doctor")
    return Hsa(library)
