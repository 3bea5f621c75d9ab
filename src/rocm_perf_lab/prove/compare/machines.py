"""Whether two measurements may be compared at all: the same device, on the same machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.errors import NotComparable
from rocm_perf_lab.measure.process_times import MachineIdentity
from rocm_perf_lab.trace.measured_roofs import Fingerprint

_SAME = "measure both on the same machine; rocm-perf compare takes two commands"


def one_machine(machines: Iterable[MachineIdentity], side: str) -> MachineIdentity:
    """Of all runs of a side."""
    found = list(dict.fromkeys(machines))
    for other in found[1:]:
        check_comparable(found[0], other, (f"a run of {side}", f"another run of {side}"))
    return found[0]


def check_comparable(
    base: MachineIdentity, head: MachineIdentity, names: tuple[str, str] = ("BASE", "HEAD")
) -> list[str]:
    """Raises ``NotComparable``; returns what could not be checked."""
    if base.virtual != head.virtual:
        virtual, real = names if base.virtual else names[::-1]
        raise NotComparable(
            f"{virtual} is of the virtual device, {real} is not: their times are never compared",
            _SAME,
        )
    if base.device != head.device and base.device and head.device:
        raise NotComparable(
            f"{names[0]} is of {device_name(base.device)}, {names[1]} of "
            f"{device_name(head.device)}{_difference(base.device, head.device)}: a difference "
            "says nothing about the code",
            _SAME,
        )
    if base.host and head.host and base.host != head.host:
        raise NotComparable(
            f"{names[0]} and {names[1]} are of different machines: a difference says nothing about "
            "the code",
            _SAME,
        )
    return _unchecked(base, head)


def device_name(device: Optional[Fingerprint]) -> Optional[str]:
    return None if device is None else device.product or device.target


def machine_of_profile(profile: ProfileDocument) -> MachineIdentity:
    """A profile does not say on which host it was made."""
    device = profile.device
    if device is None or device.gfx is None:
        return MachineIdentity(None, None, False)
    return MachineIdentity(
        Fingerprint(
            device.gfx,
            device.product,
            device.compute_units,
            device.xcc_count,
            device.max_clock_mhz,
        ),
        None,
        device.kind == "virtual",
    )


def _difference(base: Fingerprint, head: Fingerprint) -> str:
    """Two devices may have one name: partitions, clocks."""
    if device_name(base) != device_name(head):
        return ""
    pairs = {
        "target": (base.target, head.target),
        "CUs": (base.cu_count, head.cu_count),
        "XCDs": (base.xcc_count, head.xcc_count),
        "clock in MHz": (base.engine_clock_mhz, head.engine_clock_mhz),
    }
    told = [f"{what} {a} and {b}" for what, (a, b) in pairs.items() if a != b]
    return f" ({', '.join(told)})"


def _unchecked(base: MachineIdentity, head: MachineIdentity) -> list[str]:
    if not (base.device and head.device):
        return ["which device it was is not known of both: that they are equal is not checked"]
    if not (base.host and head.host):
        return ["on which machine it was is not known of both: that they are equal is not checked"]
    return []
