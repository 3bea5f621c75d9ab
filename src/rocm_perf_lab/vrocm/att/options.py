"""What ``--att`` asks for: which waves of which dispatches, and how much of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.counters.request import Filters, kernel_filters

# What the virtual device listens to (native/vgpu/model/thread_trace/thread_trace_options.h).
VARIABLES = (
    "VROCM_THREAD_TRACE",
    "VROCM_THREAD_TRACE_INCLUDE",
    "VROCM_THREAD_TRACE_EXCLUDE",
)
SIMULATED_ENGINES = 0xF  # shader engines of XCD 0, the only one that is simulated step by step
_MOST_CU = 15
_DEFAULT_BUFFER = 0x10000000
# Hardware needs 10 to 13 bytes of its buffer for an instruction, by the size of recorded traces.
_BUFFER_BYTES_PER_STEP = 12
_FIRST_DISPATCH = (range(1, 2),)
_NO_EFFECT = {
    "att_activity": "se*_perfcounter.json",
    "att_perfcounters": "se*_perfcounter.json",
    "att_consecutive_kernels": "a trace of several kernels",
}


@dataclass(frozen=True)
class ThreadTraceRequest:
    target_cu: int
    simd_mask: int
    engine_mask: int
    most_steps: int  # instructions that a trace of one dispatch holds
    gpus: frozenset[int]  # all when empty
    filters: Filters
    warnings: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        iterations = "/".join(f"{part[0]}-{part[-1]}" for part in self._iterations if part)
        settings = {
            "target_cu": self.target_cu,
            "simd_mask": self.simd_mask,
            "se_mask": self.engine_mask & SIMULATED_ENGINES,
            "steps": self.most_steps,
            "iterations": iterations,
        }
        values = (
            ",".join(f"{name}={value}" for name, value in settings.items()),
            self.filters.include,
            self.filters.exclude,
        )
        return {name: value for name, value in zip(VARIABLES, values) if value}

    @property
    def _iterations(self) -> tuple[range, ...]:
        return self.filters.iterations or _FIRST_DISPATCH


def thread_trace_request(options: Mapping[str, Any]) -> Optional[ThreadTraceRequest]:
    """None when no thread trace is asked for. Raises ``UsageError``."""
    if not options.get("advanced_thread_trace"):
        return None
    _check_counters(options)
    engines = _number(options, "att_shader_engine_mask", 0x1, least=1, most=0xFFFFFFFF)
    buffer = _number(options, "att_buffer_size", _DEFAULT_BUFFER, least=1)
    return ThreadTraceRequest(
        target_cu=_number(options, "att_target_cu", 1, most=_MOST_CU),
        simd_mask=_number(options, "att_simd_select", 0xF, least=1, most=0xF),
        engine_mask=engines,
        most_steps=buffer // _BUFFER_BYTES_PER_STEP,
        gpus=_gpus(options.get("att_gpu_index")),
        filters=kernel_filters(options),
        warnings=tuple(_warnings(options, engines)),
    )


def _number(
    options: Mapping[str, Any], name: str, default: int, least: int = 0, most: Optional[int] = None
) -> int:
    """Decimal, or hexadecimal with 0x."""
    given = options.get(name)
    if given is None:
        return default
    try:
        value = int(str(given), 0)
    except ValueError:
        value = -1
    if value < least or (most is not None and value > most):
        bounds = f"{least} or more" if most is None else f"from {least} to {most:#x}"
        raise UsageError(f"{_option(name)} {given}: expected a number, {bounds}", None)
    return value


def _gpus(given: Optional[str]) -> frozenset[int]:
    if given is None:
        return frozenset()
    words = [word.strip() for word in str(given).split(",")]
    if not all(word.isdigit() for word in words):
        raise UsageError(f"--att-gpu-index {given}: expected numbers of GPUs", "for example: 0,1")
    return frozenset(map(int, words))


def _check_counters(options: Mapping[str, Any]) -> None:
    """Counters beside a thread trace; the rules are those of rocprofv3."""
    activity, counters = options.get("att_activity"), options.get("att_perfcounters")
    control = options.get("att_perfcounter_ctrl")
    if activity is not None and (counters is not None or control is not None):
        raise UsageError("--att-activity and --att-perfcounters exclude each other", None)
    if (counters is None) != (control is None):
        raise UsageError(
            "--att-perfcounters and --att-perfcounter-ctrl need each other",
            '--att-perfcounter-ctrl 3 --att-perfcounters "SQ_BUSY_CYCLES"',
        )
    if (activity is not None or counters is not None) and options.get("pmc"):
        raise UsageError("counters in a thread trace and --pmc exclude each other", None)
    _number(options, "att_activity", 1, least=1, most=16)
    _number(options, "att_perfcounter_ctrl", 1, least=1, most=32)


def _warnings(options: Mapping[str, Any], engines: int) -> Iterator[str]:
    for name, file in _NO_EFFECT.items():
        if options.get(name) is not None:
            yield f"{_option(name)} has no effect: the virtual ROCm does not write {file}"
    beyond = engines & ~SIMULATED_ENGINES
    if beyond:
        yield (
            f"shader engines {beyond:#x} of --att-shader-engine-mask are not traced: the virtual "
            f"device simulates those of its first XCD ({SIMULATED_ENGINES:#x})"
        )


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
