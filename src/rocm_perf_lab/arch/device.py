"""The device a recording was made on: what it reported, completed from the data files.

What a recording says about itself wins where boards and partition modes differ (CUs, XCCs, shader
engines, clocks, memory). The shape of the compute unit belongs to the target, so there the data
file wins and a contradicting record is named in ``conflicts``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional, Union

from msgspec import Struct

from rocm_perf_lab.arch.identify import candidate_products
from rocm_perf_lab.arch.product import Product
from rocm_perf_lab.arch.target import Target, load_target

RECORDED = "recorded"
TABLE = "table"


class DeviceFacts(Struct, frozen=True):
    """One device. A number that neither the recording nor the data file knows is ``None``."""

    target: Target
    product: Optional[Product]
    product_name: Optional[str]  # as the device calls itself
    partition: Optional[str]  # "SPX", "CPX", ...; None when the CU count fits no mode
    cu_count: Optional[int]
    xcc_count: Optional[int]
    shader_engines: Optional[int]  # of the whole device, all XCCs
    engine_clock_mhz: Optional[float]
    memory_clock_mhz: Optional[float]
    memory_bus_bits: Optional[int]
    memory_bandwidth: Optional[float]  # bytes/s, published where known
    memory_bandwidth_computed: Optional[float]  # bytes/s, bus width times data rate
    vram_bytes: Optional[int]
    l2_bytes: Optional[int]
    l2_channels: Optional[int]
    infinity_cache_bytes: Optional[int]
    origin: Mapping[str, str]  # field that a recording may hold -> "recorded" or "table"
    conflicts: tuple[str, ...]  # what the recording and the data file disagree on

    @property
    def simds_per_cu(self) -> int:
        return self.target.simds_per_cu

    @property
    def max_waves_per_simd(self) -> int:
        return self.target.max_waves_per_simd

    @property
    def lds_bytes_per_cu(self) -> int:
        return self.target.lds_bytes_per_cu

    @property
    def max_waves(self) -> Optional[int]:
        """Wave slots of the whole device."""
        if self.cu_count is None:
            return None
        return self.cu_count * self.simds_per_cu * self.max_waves_per_simd

    @property
    def is_partition(self) -> bool:
        """Only a part of the board: memory and Infinity Cache are shared with the other parts."""
        return (
            self.product is not None
            and self.cu_count is not None
            and self.partition is not None
            and self.cu_count < self.product.cu_count
        )


def device_facts(
    target: Union[Target, str], agent_facts: Optional[Mapping[str, object]] = None
) -> DeviceFacts:
    """Facts of one device from its target and rocprofiler's agent record (possibly empty)."""
    if isinstance(target, str):
        target = load_target(target)
    record = _Record(agent_facts or {})
    candidates = candidate_products(
        target,
        record.whole("cu_count"),
        record.whole("num_xcc"),
        record.product_name,
        record.whole("device_id"),
    )
    choice = _Choice(candidates)
    size = _device_size(record, choice)
    clock = choice.take("engine_clock_mhz", record.number("max_engine_clk_fcompute"))
    memory_clock = choice.take("memory_clock_mhz", record.memory("mem_clk_max"))
    bus = _whole(choice.take("memory_bus_bits", record.memory("width")))
    computed = _computed_bandwidth(target, bus, memory_clock)
    published = choice.agreed("memory_bandwidth_gbps")

    def all_xccs(name: str) -> Optional[int]:
        each = choice.agreed(name)
        return None if each is None or size.xccs is None else int(each * size.xccs)

    return DeviceFacts(
        target=target,
        product=choice.product,
        product_name=record.product_name,
        partition=size.partition,
        cu_count=size.cus,
        xcc_count=size.xccs,
        shader_engines=record.shader_engines or all_xccs("shader_engines_per_xcc"),
        engine_clock_mhz=clock,
        memory_clock_mhz=memory_clock,
        memory_bus_bits=bus,
        memory_bandwidth=computed if published is None else published * 1e9,
        memory_bandwidth_computed=computed,
        vram_bytes=_whole(choice.take("vram_bytes", record.memory("size_in_bytes"))),
        l2_bytes=all_xccs("l2.bytes_per_xcc"),
        l2_channels=all_xccs("l2.channels_per_xcc"),
        infinity_cache_bytes=_whole(choice.agreed("infinity_cache.bytes")),
        origin=choice.origin,
        conflicts=(*_compute_unit_conflicts(target, record), *size.conflicts),
    )


def peak_flops(
    facts: DeviceFacts,
    precision: str,
    unit: str = "vector",
    clock_mhz: Optional[float] = None,
) -> Optional[float]:
    """FLOP/s of the device, ``None`` when its rate, CU count or clock is not known.

    ``unit`` is ``vector``, ``matrix`` (dense) or ``sparse`` (4:2 matrix). ``clock_mhz`` replaces
    the maximum clock, for a ceiling at the clock that a run really had.
    """
    rate = facts.target.rate(precision, unit)
    clock = facts.engine_clock_mhz if clock_mhz is None else clock_mhz
    if rate is None or clock is None or facts.cu_count is None:
        return None
    return facts.cu_count * clock * 1e6 * rate


def theoretical_peak_flops(facts: DeviceFacts) -> Optional[float]:
    """FP32 vector peak, the figure of the ``gpu`` block of a profile."""
    return peak_flops(facts, "fp32")


def memory_bandwidth(facts: DeviceFacts) -> Optional[float]:
    """Bytes/s to device memory: the published figure, else bus width times data rate.

    For a partition this is the figure of the whole board, which the partitions share: an upper
    bound (``facts.is_partition`` tells).
    """
    return facts.memory_bandwidth


class _Record:
    """rocprofiler's agent record; zeros and texts that are not numbers count as not recorded."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values
        banks = values.get("mem_banks")
        first = banks[0] if isinstance(banks, (list, tuple)) and banks else None
        self._memory: Mapping[str, object] = first if isinstance(first, Mapping) else {}

    def number(self, key: str) -> Optional[float]:
        return _positive(self._values.get(key))

    def whole(self, key: str) -> Optional[int]:
        return _whole(self.number(key))

    def memory(self, key: str) -> Optional[float]:
        """A number of the device's own memory bank (rocpd keeps banks, CSV does not)."""
        return _positive(self._memory.get(key))

    @property
    def product_name(self) -> Optional[str]:
        name = self._values.get("product_name")
        return name if isinstance(name, str) and name else None

    @property
    def shader_engines(self) -> Optional[int]:
        arrays, per_engine = self.whole("array_count"), self.whole("simd_arrays_per_engine")
        return arrays // per_engine if arrays and per_engine else None


class _Choice:
    """Takes each number from the recording, else from the products it may be, and notes which."""

    def __init__(self, candidates: tuple[Product, ...]) -> None:
        self.candidates = candidates
        self.product = candidates[0] if len(candidates) == 1 else None
        self.origin: dict[str, str] = {}

    def take(self, name: str, recorded: Optional[float]) -> Optional[float]:
        value = self.agreed(name) if recorded is None else recorded
        if value is not None:
            self.origin[name] = TABLE if recorded is None else RECORDED
        return value

    def agreed(self, name: str) -> Optional[float]:
        """The data file's number, when every product that the device may be has the same."""
        values = {product.number(name) for product in self.candidates}
        return values.pop() if len(values) == 1 else None


class _Size(Struct, frozen=True):
    cus: Optional[int]
    xccs: Optional[int]
    partition: Optional[str]
    conflicts: tuple[str, ...]


def _device_size(record: _Record, choice: _Choice) -> _Size:
    product = choice.product
    recorded_xccs = record.whole("num_xcc")
    conflicts = []
    cus = _whole(choice.take("cu_count", record.whole("cu_count")))
    whole = [other for other in choice.candidates if other.cu_count == cus]
    counts = {other.xcc_count for other in whole}
    if len(counts) == 1 and recorded_xccs is not None and recorded_xccs not in counts:
        conflicts.append(
            f"the recording says {recorded_xccs} XCC, but "
            f"{' or '.join(other.name for other in whole)} with {cus} CUs has"
            f" {counts.pop()}; the latter is used"
        )
        recorded_xccs = None
    xccs = _whole(choice.take("xcc_count", recorded_xccs))
    partition = product.partition_mode(cus, xccs) if product and cus else None
    if product and cus and partition is None:
        conflicts.append(
            f"{cus} CUs fit no partition mode of {product.name} ({product.cu_count} CUs)"
        )
    return _Size(cus, xccs, partition, tuple(conflicts))


def _compute_unit_conflicts(target: Target, record: _Record) -> tuple[str, ...]:
    expectations = {
        "simd_per_cu": target.simds_per_cu,
        "max_waves_per_simd": target.max_waves_per_simd,
        "lds_size_in_kb": target.lds_bytes_per_cu // 1024,
    }
    found = []
    for key, expected in expectations.items():
        recorded = record.whole(key)
        if recorded is not None and recorded != expected:
            found.append(f"the recording says {key} {recorded}, {target.name} has {expected}")
    return tuple(found)


def _computed_bandwidth(
    target: Target, bus_bits: Optional[int], clock_mhz: Optional[float]
) -> Optional[float]:
    transfers = target.number("memory.transfers_per_clock")
    if transfers is None or bus_bits is None or clock_mhz is None:
        return None
    return bus_bits / 8 * clock_mhz * 1e6 * transfers


def _positive(value: object) -> Optional[float]:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number > 0 else None


def _whole(value: Optional[float]) -> Optional[int]:
    return None if value is None else int(value)
