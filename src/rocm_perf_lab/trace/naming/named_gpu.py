"""A recording with the GPU that its user says it is of, whatever the recording says itself."""

from __future__ import annotations

from typing import Optional

import numpy as np
from msgspec.structs import replace

from rocm_perf_lab.arch.named import NamedGpu, boards_named
from rocm_perf_lab.arch.target import load_target
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Trace

_NAMES_NOTHING = ("", "unknown")


def with_gpu(trace: Trace, gpu: NamedGpu) -> Trace:
    """Every GPU becomes the named one. What was recorded of it stays unless it is of another."""
    foreign = {
        number: why
        for number, agent in enumerate(trace.agents)
        if agent.kind == "GPU" and (why := _other(agent, gpu))
    }
    agents = [
        _named(agent, gpu, keep=number not in foreign) if agent.kind == "GPU" else agent
        for number, agent in enumerate(trace.agents)
    ]
    notes = [
        f"the recording says {why}; taken for {gpu}, because --gpu says so"
        for why in dict.fromkeys(foreign.values())
    ]
    found = replace(trace, agents=tuple(agents), warnings=(*trace.warnings, *notes))
    return _with_missing(found, gpu)


def _other(agent: Agent, gpu: NamedGpu) -> Optional[str]:
    """What an agent says of itself that the named GPU is not; None if it says nothing such."""
    if agent.name not in _NAMES_NOTHING and agent.name.partition(":")[0] != gpu.target:
        return agent.name
    if gpu.product is None:
        return None
    boards = [board for _, board in boards_named(agent.product)] or [
        board
        for board in load_target(gpu.target).products
        if agent.facts.get("device_id") in board.device_ids
    ]
    if boards and gpu.product.name not in [board.name for board in boards]:
        return agent.product or boards[0].name
    units = agent.facts.get("cu_count")
    if isinstance(units, int) and units > 0 and gpu.product.partition_mode(units) is None:
        return f"{units} CUs"
    return None


def _named(agent: Agent, gpu: NamedGpu, *, keep: bool) -> Agent:
    product = agent.product if keep else None
    if gpu.product and not boards_named(product):
        product = gpu.product.name
    facts = {**agent.facts, "product_name": product} if keep else {}
    return replace(agent, name=gpu.target, product=product, facts=facts)


def _with_missing(trace: Trace, gpu: NamedGpu) -> Trace:
    """Dispatches of no known agent get one; ids are unique within a process only."""
    rows = trace.dispatches
    missing = rows.agent == UNKNOWN
    if not missing.any():
        return trace
    column, agents = rows.agent.copy(), list(trace.agents)
    for process in np.unique(rows.process[missing]).tolist():
        column[missing & (rows.process == process)] = len(agents)
        agents.append(_named(Agent(process, UNKNOWN, "GPU", "", None, UNKNOWN), gpu, keep=False))
    return replace(trace, agents=tuple(agents), dispatches=replace(rows, agent=column))
