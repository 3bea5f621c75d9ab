"""How busy the matrix units are in a thread trace: cycles of matrix instructions over SIMD time.

The cycles follow from the shape in the mnemonic and the rate of the target; a trace does not say
which target it is of, so that CDNA3 is taken where nobody else knows.
"""

from __future__ import annotations

import re
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, instruction_class
from rocm_perf_lab.arch.target import load_target
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace

_USUAL = "gfx942"
_SHAPE = re.compile(
    r"v_mfma_[a-z0-9]+?_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_?(f64|f32|xf32|f16|bf16|i8|fp8|bf8)"
)
_PRECISION = {"xf32": "fp32", "f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64"}
_NARROW = "fp8"  # 8-bit floats and integers have one rate


def matrix_cycles(mnemonic: str, target: str = _USUAL) -> Optional[float]:
    """Of one matrix instruction on its SIMD; None where its shape or rate is not known."""
    match = _SHAPE.match(mnemonic)
    if match is None:
        return None
    facts = load_target(target)
    rate = facts.rate(_PRECISION.get(match[5], _NARROW), "matrix")
    if not rate:
        return None
    operations = 2 * int(match[1]) * int(match[2]) * int(match[3]) * int(match[4] or 1)
    return operations * facts.simds_per_cu / rate


def matrix_busy(trace: ThreadTrace, target: str = _USUAL) -> Optional[float]:
    """Of the time of the watched SIMDs; None without waves, or if an instruction is not known."""
    cycles = {
        line.line: matrix_cycles(line.opcode, target)
        for line in trace.code
        if line.hits and instruction_class(line.text) is InstructionClass.MFMA
    }
    known = {line: value for line, value in cycles.items() if value is not None}
    if not trace.waves or len(known) < len(cycles):
        return None
    busy = 0.0
    spans: dict[tuple[int, int, int], tuple[int, int]] = {}
    for wave in trace.waves:
        lines, counts = np.unique(wave.steps.line, return_counts=True)
        busy += sum(known.get(int(line), 0.0) * int(n) for line, n in zip(lines, counts))
        place = (wave.engine, wave.cu, wave.simd)
        begin, end = spans.get(place, (wave.begin, wave.end))
        spans[place] = min(begin, wave.begin), max(end, wave.end)
    time = sum(end - begin for begin, end in spans.values())
    return busy / time if time else None
