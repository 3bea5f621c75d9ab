"""Which results of a traced wave are the same for all of its lanes.

Vector units compute such a result 64 times, and every wave does it again: a table, a scalar
register, or a value that the host passes would do. Lanes differ by the number of their work-item,
which is in a register before the first instruction, and by all that follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.analysis.code.data_flow import EXEC, SHUFFLES, Flow
from rocm_perf_lab.analysis.code.register_operands import register_bits, register_numbers

_FIRST_SCALAR = register_numbers(register_bits("s0"))[0]
_ONE_LANE = ("v_readfirstlane", "v_readlane")
_BY_LANE = ("v_mbcnt", "scratch_", *SHUFFLES)  # or is its own
_DPP = " row_", " quad_perm", " wave_"


def same_for_all_lanes(flows: Sequence[Flow]) -> list[bool]:
    lanes = _Lanes()
    return [lanes.execute(flow) for flow in flows]


class _Lanes:
    def __init__(self) -> None:
        self._differ: dict[int, bool] = {}  # registers that were written

    def execute(self, flow: Flow) -> bool:
        """Whether its result is the same. With some lanes switched off the others keep theirs."""
        if EXEC[0] in flow.writes:
            return self._switch(flow)
        differ = not flow.opcode.startswith(_ONE_LANE) and self._differs(flow)
        for register in flow.writes:
            masked = register < _FIRST_SCALAR and self._of(EXEC)
            self._differ[register] = differ or masked
        return not differ and not self._of(EXEC)

    def _switch(self, flow: Flow) -> bool:
        before = self._of(EXEC)
        if "saveexec" in flow.opcode:
            for register in flow.writes:
                self._differ[register] = before
            now = before or any(map(self._of, flow.sources))
        elif flow.opcode.startswith("s_or_"):  # on again: those that were on before
            now = any(self._of(source) for source in flow.sources if EXEC[0] not in source)
        else:
            now = self._differs(flow)
        for register in EXEC:
            self._differ[register] = now
        return not now

    def _differs(self, flow: Flow) -> bool:
        if flow.opcode.startswith(_BY_LANE) or any(part in flow.text for part in _DPP):
            return True
        return self._of(flow.address) or any(map(self._of, flow.sources))

    def _of(self, registers: Sequence[int]) -> bool:
        return any(self._differ.get(one, one < _FIRST_SCALAR) for one in registers)
