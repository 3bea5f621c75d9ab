"""What the time of traced waves was for: each executed instruction by what its result leads to.

A trace holds every instruction that a wave executed, in order, so it is known which result each of
them took. What leads only to addresses of narrow loads goes with these loads, whatever its opcode;
a product of two loaded values that is added to a sum of others is one of a matrix or a filter, and
a polynomial, whose steps multiply the result of the step before, is none. Time is what passes from
one instruction of a wave to its next, whoever it waits for meanwhile.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Optional

from rocm_perf_lab.analysis.code.data_flow import EXEC, SHUFFLES, Flow, flow_of
from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.thread_traces.loaded_values import REGISTER_BYTES, Values
from rocm_perf_lab.analysis.thread_traces.same_lanes import same_for_all_lanes
from rocm_perf_lab.analysis.thread_traces.selects import picked_by_comparison
from rocm_perf_lab.analysis.thread_traces.taken import Taken, taken_by
from rocm_perf_lab.trace.thread_trace.model import Steps, ThreadTrace, TracedWave

_WAVES = 2  # that are followed, of all
_STEPS = 10_000  # of each: enough for what is repeated

_END = "s_endpgm"  # a wave ends when what it stored is out: that is waiting
_COMPARES = ("s_cmp", "s_bitcmp")


class Role(Enum):
    """The values are the names in documents."""

    NARROW_LOADS = "narrow_loads"  # of less than 4 bytes per lane, and what makes their addresses
    ADDRESSES = "addresses"  # of other memory
    LDS = "lds"  # accesses; waits for them are not told from others
    LDS_ADDRESSES = "lds_addresses"
    SCRATCH = "scratch"
    PRODUCTS = "products"  # of loaded values, added up
    NARROW_PRODUCTS = "narrow_products"  # the same of values of one or two bytes
    OPERANDS = "operands"  # loaded values widened, cut out or moved
    POLYNOMIALS = "polynomials"  # steps of functions: a result times a value, plus a constant
    SELECTS = "selects"  # elements of an array in registers, picked by comparing their place
    SAME = "same"  # of vector units, but the same for all lanes
    DOUBLE = "double"
    FLOAT = "float"
    INTEGER = "integer"
    CONTROL = "control"  # branches, and what only decides them
    REST = "rest"  # accesses, waits, barriers


# What a result can lead to, one bit each; ``_DATA`` is a result of the kernel.
_ONLY_FOR = (Role.NARROW_LOADS, Role.SCRATCH, Role.ADDRESSES, Role.LDS_ADDRESSES, Role.CONTROL)
_BIT = {role: 1 << number for number, role in enumerate(_ONLY_FOR)}
_DATA = 1 << len(_ONLY_FOR)
_DECIDING = _BIT[Role.CONTROL] | _BIT[Role.NARROW_LOADS] | _BIT[Role.ADDRESSES]


@dataclass(frozen=True)
class Purposes:
    time: dict[Role, float]  # shares of the time of the followed waves; empty without waves
    # Of their vector loads those whose value decides a branch or makes the address of another
    # access: what is loaded next is not known before.
    deciding_loads: Optional[float] = None


def purposes_of(trace: ThreadTrace) -> Purposes:
    texts = {line.line: line.text for line in trace.code}
    spent: Counter[Role] = Counter()
    loads = deciding = 0
    for wave in _followed(trace.waves):
        flows = [flow_of(texts.get(int(line), "")) for line in wave.steps.line[:_STEPS]]
        taken = taken_by(flows)
        leads_to = _leading(flows, taken)
        for role, cycles in zip(_roles(flows, taken, leads_to), _cycles(wave.steps, len(flows))):
            spent[role] += cycles
        ends = [leads_to[n] for n, flow in enumerate(flows) if _is_vector_load(flow)]
        loads += len(ends)
        deciding += sum(1 for end in ends if end & _DECIDING)
    whole = sum(spent.values())
    time = {role: cycles / whole for role, cycles in spent.items()} if whole else {}
    return Purposes(time, deciding / loads if loads else None)


def _followed(waves: Sequence[TracedWave]) -> Sequence[TracedWave]:
    step = max(1, len(waves) // _WAVES)
    return waves[::step][:_WAVES]


def _cycles(steps: Steps, count: int) -> Iterable[int]:
    times = [int(time) for time in steps.time[:count]]
    ends = [*times[1:], times[-1] + int(steps.duration[count - 1])] if times else []
    return (end - begin for begin, end in zip(times, ends))


def _roles(flows: Sequence[Flow], taken: Sequence[Taken], leads_to: Sequence[int]) -> list[Role]:
    values = Values()
    for place, (flow, took) in enumerate(zip(flows, taken)):
        values.add(place, flow, took)
    values.end()
    same, selects = same_for_all_lanes(flows), picked_by_comparison(flows, taken)
    return [
        Role.SELECTS
        if place in selects
        else _role(flow, leads_to[place], _of_value(values, place), same[place])
        for place, flow in enumerate(flows)
    ]


def _leading(flows: Sequence[Flow], taken: Sequence[Taken]) -> list[int]:
    """What each result leads to. A sum that is stored only after the followed steps leads to
    nothing yet, and is work all the same; what was last made of an address or of a counter leads
    to what the same instruction led to before."""
    first = _backwards(flows, taken, {})
    before: dict[str, int] = {}
    for flow, purposes in zip(flows, first):
        before[flow.text] = before.get(flow.text, 0) | purposes
    return _backwards(flows, taken, {text: found or _DATA for text, found in before.items()})


def _backwards(
    flows: Sequence[Flow], taken: Sequence[Taken], unused: Mapping[str, int]
) -> list[int]:
    """From the last instruction to the first; ``unused`` is what results lead to by their text that
    nobody takes."""
    found = [0] * len(flows)
    is_used = [False] * len(flows)
    for place in range(len(flows) - 1, -1, -1):
        flow, took = flows[place], taken[place]
        if not is_used[place] and flow.writes:
            found[place] = unused.get(flow.text, 0)
        of_result = _leads_to(flow, found[place])
        for source in took.sources:
            for part in source:
                found[part] |= of_result
                is_used[part] = True
        for_address = _for_address(flow) if took.address else 0
        for part in took.address:
            found[part] |= for_address
            is_used[part] = True
    return found


def _leads_to(flow: Flow, purposes: int) -> int:
    if flow.lane_bytes:  # what is stored or exchanged
        return _DATA
    return _BIT[Role.CONTROL] if _decides(flow) else purposes


def _decides(flow: Flow) -> bool:
    """A branch, or a comparison for one: by SCC, which no text names, or by EXEC."""
    if flow.kind is InstructionClass.BRANCH or EXEC[0] in flow.writes:
        return True
    return flow.opcode.startswith(_COMPARES) and not flow.writes


def _for_address(flow: Flow) -> int:
    if flow.kind is InstructionClass.LDS:
        # Of an exchange between lanes the address is which lane to take.
        return _DATA if flow.opcode.startswith(SHUFFLES) else _BIT[Role.LDS_ADDRESSES]
    if flow.opcode.startswith("scratch_"):
        return _BIT[Role.SCRATCH]
    return _BIT[Role.NARROW_LOADS if _is_narrow(flow) else Role.ADDRESSES]


def _of_value(values: Values, place: int) -> Optional[Role]:
    if values.is_product(place):
        return Role.NARROW_PRODUCTS if values.is_narrow(place) else Role.PRODUCTS
    if values.is_power(place):
        return Role.POLYNOMIALS
    return Role.OPERANDS if values.is_loaded(place) else None


def _is_vector_load(flow: Flow) -> bool:
    return flow.kind is InstructionClass.VMEM and flow.is_load


def _is_narrow(flow: Flow) -> bool:
    return _is_vector_load(flow) and flow.lane_bytes < REGISTER_BYTES


def _role(flow: Flow, purposes: int, of_values: Optional[Role], is_same: bool) -> Role:
    if flow.kind is InstructionClass.VMEM:
        if flow.opcode.startswith("scratch_"):
            return Role.SCRATCH
        return Role.NARROW_LOADS if _is_narrow(flow) else Role.REST
    if flow.kind is InstructionClass.LDS and not flow.opcode.startswith(SHUFFLES):
        return Role.LDS
    if flow.kind is InstructionClass.BRANCH and flow.opcode != _END:
        return Role.CONTROL
    if flow.kind not in (InstructionClass.VALU, InstructionClass.SALU):
        return Role.REST
    if _decides(flow):
        return Role.CONTROL
    if purposes and not purposes & _DATA:
        return next(role for role in _ONLY_FOR if purposes & _BIT[role])
    if is_same and flow.kind is InstructionClass.VALU and of_values in (None, Role.POLYNOMIALS):
        return Role.SAME
    if of_values and not (of_values is Role.POLYNOMIALS and "f64" in flow.opcode):
        return of_values
    if "f64" in flow.opcode:
        return Role.DOUBLE
    return Role.FLOAT if re.search(r"_f(?:32|16)|_bf16", flow.opcode) else Role.INTEGER
