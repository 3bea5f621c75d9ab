"""One mechanism free: a kernel that it limits gains what arithmetic says, another one does not
change. Tolerances are for what loops and first instructions add, and for the next wall."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from exec_support import Buffer, build, needs_harness
from ideal_support import CLOCK_GHZ, CUS, FLOOR_NS, NAMES, ROUNDS, Device, free
from phase_kernel import MEMORY_BYTES, Launch

from rocm_perf_lab.arch.model import load_timing_model

pytestmark = needs_harness

VALUE = load_timing_model().value
FULL = 8 * CUS  # workgroups
LONE = Launch((("fma", 1),))
REST_NS = 300  # first instructions, ends of loops


def at(constant: str) -> float:
    return VALUE(constant)


@dataclass(frozen=True)
class Gain:
    """``saved``: cycles. ``beside``: free in both runs, because it would be the next wall."""

    launch: Launch
    saved: float
    tolerance: float = 0.1
    beside: tuple[str, ...] = field(default=())


def phase(kind: str, rounds: int, groups: int, waves: int, **more: int) -> Launch:
    return Launch(((kind, rounds),), groups=groups, waves=waves, **more)


ONCE = 1024  # workgroups that touch each byte of the memory once in eight rounds
GAINS = {
    "launch": Gain(LONE, FLOOR_NS * CLOCK_GHZ, 0),
    "wave-launch": Gain(
        Launch((), groups=20000, waves=4),
        2500 * at("wave_launch_cycles"),
        0.35,
        ("memory-latency",),
    ),
    "infinity-cache": Gain(
        phase("stream", 8, ONCE, 8, step=MEMORY_BYTES // 8),
        MEMORY_BYTES / at("mall_bytes_per_ns") * CLOCK_GHZ,
        0.25,
        ("l1", "l2", "memory-latency"),
    ),
    "l2": Gain(
        phase("stream", 40, FULL, 4, memory_bytes=1 << 20),
        FULL * 4 * 40 * 1024 / 8 / (16 * at("l2_bytes_per_cycle") * at("l2_efficiency")),
        0.25,
        ("l1", "memory-latency"),
    ),
    "l1": Gain(
        phase("load_same", 40, FULL, 4),
        FULL
        * 4
        * 40
        * 2
        * 1024
        / at("vector_bytes_per_cycle")
        / at("vector_cache_efficiency")
        / CUS,
        0.15,
    ),
    "memory-latency": Gain(phase("load_wait", 100, 8, 1), 100 * at("mall_latency"), 0.15),
    "coalescing": Gain(
        phase("gather", 16, FULL, 8),
        FULL * 8 * 16 * 64 / at("vector_cache_efficiency") / CUS,
        0.2,
    ),
    "lds": Gain(phase("lds_wait", 100, 1, 1), 100 * (at("lds_latency") + 4), 0.2),
    "atomics": Gain(
        phase("atomic", 8, CUS, 4), CUS * 4 * 8 * 64 * at("atomic_same_line_cycles"), 0.02
    ),
    "barriers": Gain(phase("barrier", 400, CUS, 8), 400 * (at("barrier_cycles") + 4), 0.4),
    "valu": Gain(phase("exp", 400, 76, 1), 400 * (4 * at("transcendental_cycles") - 16), 0.2),
    # The last one of a round passes while scalar instructions do.
    "transcendental": Gain(
        phase("exp", 200, 76, 4), 200 * 3 * (at("transcendental_cycles") - at("issue_cycles")), 0.1
    ),
    "mfma": Gain(phase("matrix", 200, 76, 4), 200 * (4 * 16 - 16), 0.2),
    "scalar": Gain(phase("scalar", 400, 1, 1), 400 * (8 + 3) * 4 + 400 * at("branch_cycles"), 0.1),
    "instruction-cache": Gain(
        phase("fma", 20, FULL, 4),
        20 * 32 * 3 * 64 / at("fetch_bytes_per_cycle"),
        0.25,
        ("valu", "scalar"),
    ),
}

# Kernels of assembly: groups, waves, the same saved cycles, tolerance.
OWN_GAINS = {
    "lds-conflicts": ("conflicts", CUS, 4, ROUNDS * 4 * 4 * (64 - 2), 0.1),
    "dependencies": ("hand_over", 1, 1, ROUNDS * 4 * at("vector_to_scalar_cycles"), 0.1),
    "atomics": ("lds_atomics", CUS, 4, ROUNDS * 4 * 4 * (64 - 2), 0.1),
    "occupancy": ("filled", 4 * CUS, 1, 3 * ROUNDS * 8 * 64, 0.15),
}


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Device:
    return Device(tmp_path_factory.mktemp("ideal"))


def saved_ns(device: Device, name: str, gain: Gain) -> float:
    beside = gain.beside
    return device.time(gain.launch, *beside) - device.time(gain.launch, *beside, name)


@pytest.mark.parametrize("name", GAINS)
def test_what_limits_a_kernel_is_worth_what_arithmetic_says(device: Device, name: str) -> None:
    gain = GAINS[name]
    expected = gain.saved / CLOCK_GHZ
    slack = gain.tolerance * expected + (REST_NS if gain.tolerance else 0)
    assert saved_ns(device, name, gain) == pytest.approx(expected, abs=slack)


@pytest.mark.parametrize("name", OWN_GAINS)
def test_so_for_what_the_phases_have_not(device: Device, name: str) -> None:
    kernel, groups, waves, saved, tolerance = OWN_GAINS[name]
    found = device.time_of(kernel, groups, waves) - device.time_of(kernel, groups, waves, name)
    assert found == pytest.approx(saved / CLOCK_GHZ, rel=tolerance, abs=REST_NS)


def test_pages_that_nobody_has_touched_before(device: Device) -> None:
    launch = phase("load_wait", 64, 1, 1, step=int(at("page_bytes")))
    found = []
    for names in ((), ("tlb",)):
        memory = Buffer.unwritten(MEMORY_BYTES + 65536, "new")
        with free(*names):
            launch.run(device.code, memory, "phases", device.arguments)  # code and arguments
            cold = Buffer.unwritten(MEMORY_BYTES + 65536, "newer")
            found.append(launch.run(device.code, cold, "phases", device.arguments).duration_ns)
        cold.free()
        memory.free()
    expected = 64 * (at("cold_page_cycles") + at("translation_miss_cycles")) / CLOCK_GHZ
    assert found[0] - found[1] == pytest.approx(expected, rel=0.2)


def test_memory_behind_the_infinity_cache(device: Device) -> None:
    size = 1 << 29
    memory = Buffer.unwritten(size + 65536, "large")
    launch = phase("stream", 64, 1024, 8, step=1 << 23, memory_bytes=size)
    found = {}
    for names in ((), ("hbm",)):
        with free(*names):
            for _ in range(2):
                result = launch.run(device.code, memory, "phases", device.arguments)
            found[names] = result.duration_ns
    memory.free()
    assert found[()] == pytest.approx(size / at("memory_read_bytes_per_ns"), rel=0.15)
    assert found["hbm",] == pytest.approx(size / at("mall_bytes_per_ns"), rel=0.15)


SPILLS = """
kernel void spills(global int *out, int rounds) {
  volatile int kept[8];
  kept[0] = rounds;
  for (int n = 0; n < rounds; ++n) kept[n & 7] = kept[(n + 1) & 7] + n;
  *out = kept[0];
}
"""


def test_private_memory(tmp_path: Path) -> None:
    """A lone wave waits for a load of it in each round, and nothing else."""
    code, out = build(SPILLS, tmp_path), Buffer.unwritten(4096, "out")
    found = {}
    for names in ((), ("spills",)):
        for rounds in (100, 1100):
            with free(*names):
                found[names, rounds] = code.run("spills", 64, 64, [out, rounds]).duration_ns
    out.free()
    each, without = (found[names, 1100] - found[names, 100] for names in ((), ("spills",)))
    assert each - without >= 1000 * at("vector_hit_latency") / CLOCK_GHZ
    assert without < 0.4 * each


# Nothing of the kind is in the kernel: a wave that waits, or one that fills its port.
OTHERS = {
    "launch": None,  # is in every dispatch
    "scalar": None,  # loops and waits are
    "grid": phase("exp", 30, CUS, 4),
    "occupancy": phase("exp", 30, CUS, 4),
    # Every loop has a little of them, but nobody sees it behind atomics on one line.
    "instruction-cache": phase("atomic", 8, CUS, 4),
    "dependencies": phase("atomic", 8, CUS, 4),
}


@pytest.mark.parametrize("name", [name for name in NAMES if OTHERS.get(name, LONE)])
def test_what_does_not_limit_a_kernel_is_worth_nothing(device: Device, name: str) -> None:
    launch = OTHERS.get(name) or phase("idle", 1000, CUS, 1)
    usual = device.time(launch)
    assert usual - device.time(launch, name) <= 0.01 * usual + REST_NS


def test_a_lone_wave_on_all_cus(device: Device) -> None:
    launch = phase("idle", 400, 1, 1)
    usual = device.time(launch)
    saved = (usual - FLOOR_NS) * (1 - 1 / CUS)
    assert usual - device.time(launch, "grid") == pytest.approx(saved, rel=0.01)


def test_nothing_is_to_be_had_by_the_wrong_kernel_of_scalars(device: Device) -> None:
    launch = phase("lds", 60, 2 * CUS, 8)
    usual = device.time(launch)
    assert usual - device.time(launch, "scalar") <= 0.01 * usual + REST_NS
