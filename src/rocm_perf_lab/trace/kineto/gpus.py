"""The GPUs of a PyTorch trace, from its ``deviceProperties``."""

from __future__ import annotations

import re
from typing import Any, Optional

from rocm_perf_lab.arch.named import target_of_product
from rocm_perf_lab.trace.model import Agent
from rocm_perf_lab.trace.records import THIS_PROCESS

_AMD = re.compile(r"\b(?:AMD|Radeon|Instinct|gfx\d+)", re.IGNORECASE)
_NVIDIA = re.compile(r"\b(?:NVIDIA|GeForce|Tesla|Quadro)\b", re.IGNORECASE)
# Of what PyTorch calls "compute capability" only these leave one target.
_TARGETS: dict[tuple[Optional[int], Optional[int]], str] = {(9, 4): "gfx942", (9, 5): "gfx950"}
# deviceProperties -> rocprofiler's agent record.
_FACTS = {"numSms": "cu_count", "warpSize": "wave_front_size"}


class Gpus:
    """Turns the device number of a kernel into an agent."""

    def __init__(self, properties: Any) -> None:
        listed = properties if isinstance(properties, list) else []
        self._listed = [device for device in listed if isinstance(device, dict)]
        self._by_id = {_whole(device, "id"): device for device in self._listed}
        self.known: dict[int, Agent] = {}

    @property
    def are_amd(self) -> bool:
        return any(_AMD.search(_name(device) or "") for device in self._listed)

    @property
    def are_nvidia(self) -> bool:
        return any(_NVIDIA.search(_name(device) or "") for device in self._listed)

    def agent(self, device: int) -> Agent:
        """Kernels may count devices as the driver does, properties as HIP does."""
        if device not in self.known:
            described = self._by_id.get(device) or self._only_kind()
            name = _name(described)
            facts = {
                ours: value
                for theirs, ours in _FACTS.items()
                if (value := _whole(described, theirs)) is not None
            }
            self.known[device] = Agent(
                THIS_PROCESS,
                device,
                "GPU",
                _target(described, name) or "unknown",
                name,
                len(self.known),
                {**facts, **({"product_name": name} if name else {})},
            )
        return self.known[device]

    def _only_kind(self) -> dict[str, Any]:
        """A device that is not listed is as the others are, if those are all the same."""
        kinds = {(_name(device), _whole(device, "numSms")) for device in self._listed}
        return self._listed[0] if len(kinds) == 1 else {}


def _name(device: dict[str, Any]) -> Optional[str]:
    name = device.get("name")
    return name if isinstance(name, str) and name else None


def _target(device: dict[str, Any], name: Optional[str]) -> Optional[str]:
    capability = (_whole(device, "computeMajor"), _whole(device, "computeMinor"))
    return target_of_product(name) or _TARGETS.get(capability)


def _whole(device: dict[str, Any], key: str) -> Optional[int]:
    value = device.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
