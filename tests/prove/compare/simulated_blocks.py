"""Blocks of processes with typical noise, as the virtual device makes it: 1 % from process to
process, 2 % from dispatch to dispatch, and one dispatch in thirty disturbed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

import numpy as np

from rocm_perf_lab.measure.blocks import BlockTimes, order_of
from rocm_perf_lab.measure.process_times import MachineIdentity, ProcessTimes
from rocm_perf_lab.trace.measured_roofs import Fingerprint

DEVICE = Fingerprint("gfx942", "AMD Instinct MI300X", 304, 8, 2100)
MACHINE = MachineIdentity(DEVICE, "host", False)
DISPATCHES = 20


def process(
    random: np.random.Generator,
    slower: float = 0.0,
    machine: MachineIdentity = MACHINE,
    whole: bool = False,
) -> ProcessTimes:
    """``slower`` is a fraction: 0.05 is 5 %. With ``whole`` the process has an end-to-end time."""
    logs = random.normal(0, 0.02, DISPATCHES) + random.normal(0, 0.01)
    logs += np.where(random.random(DISPATCHES) < 0.033, random.exponential(0.26, DISPATCHES), 0)
    times = tuple(np.rint(1e5 * (1 + slower) * np.exp(logs)).astype(int).tolist())
    return ProcessTimes({"spin": times}, sum(times) if whole else None, machine)


def blocks(
    seed: int, slower: float = 0.0, whole: bool = False, most: Optional[int] = None
) -> Iterator[BlockTimes]:
    random = np.random.default_rng(seed)
    number = 0
    while most is None or number < most:
        number += 1
        order = order_of(seed, number)
        made = {
            role: process(random, slower if role == "B" else 0.0, whole=whole) for role in order
        }
        yield BlockTimes(number, order, made)
