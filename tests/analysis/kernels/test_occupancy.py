"""Occupancy: a golden table, a dispatcher that places workgroups one by one, and properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.analysis.kernels.occupancy import Occupancy, occupancy
from rocm_perf_lab.arch import Target, device_facts, known_targets, load_target
from rocm_perf_lab.errors import UsageError


@dataclass(frozen=True)
class Launch:
    target: str
    wave: int
    wgp: bool
    arch: int
    accum: int
    sgpr: Optional[int]
    lds: int
    size: int

    def occupancy(self) -> Occupancy:
        return occupancy(
            load_target(self.target),
            arch_vgpr=self.arch,
            accum_vgpr=self.accum,
            sgpr=self.sgpr,
            lds_bytes=self.lds,
            workgroup_size=self.size,
            wave_size=self.wave,
            wgp_mode=self.wgp,
        )


# target, wave, WGP mode, arch, accum, SGPR, LDS, workgroup size
# -> LLVM 19, LLVM main, workgroups per CU, waves per SIMD, limiter
GOLDEN = [
    ("gfx90a", 64, False, 64, 0, 34, 0, 256, 8, 8, 8, 8, "slots"),
    ("gfx90a", 64, False, 65, 0, 34, 0, 256, 7, 7, 7, 7, "vgpr"),  # 72 allocated
    ("gfx90a", 64, False, 96, 32, 34, 0, 256, 4, 4, 4, 4, "vgpr"),  # one file for both kinds
    ("gfx90a", 64, False, 128, 128, 34, 0, 256, 2, 2, 2, 2, "vgpr"),
    ("gfx942", 64, False, 97, 3, 36, 0, 256, 4, 4, 4, 4, "vgpr"),  # 97 -> 100, + 3 -> 104
    ("gfx942", 64, False, 84, 0, 36, 16384, 256, 4, 4, 4, 4, "lds"),
    ("gfx942", 64, False, 128, 0, 36, 33000, 512, 2, 2, 1, 2, "lds"),
    ("gfx942", 64, False, 256, 256, 36, 65536, 256, 1, 1, 1, 1, "vgpr"),
    ("gfx942", 64, False, 32, 0, 98, 0, 64, 8, 6, 28, 7, "sgpr"),  # three rules, three results
    ("gfx942", 64, False, 32, 0, 102, 0, 64, 7, 6, 28, 7, "sgpr"),
    ("gfx942", 64, False, 32, 0, 36, 0, 128, 8, 8, 16, 8, "slots"),  # 16 barriers, 16 x 2 waves
    ("gfx942", 64, False, 48, 0, 36, 0, 1024, 8, 8, 2, 8, "slots"),
    ("gfx950", 64, False, 128, 0, 36, 65536, 256, 2, 2, 2, 2, "lds"),  # 65536 -> 66560
    ("gfx950", 64, False, 128, 128, 36, 163840, 512, 2, 2, 1, 2, "vgpr"),
    ("gfx950", 64, False, 64, 0, 36, 10300, 128, 8, 7, 14, 7, "lds"),  # 15 without the granule
    ("gfx1030", 32, True, 72, 0, 30, 0, 256, 12, 12, 6, 12, "vgpr"),
    ("gfx1030", 32, True, 65, 0, 30, 43009, 256, 6, 6, 2, 4, "lds"),  # hardware rounds to 1024
    ("gfx1030", 64, True, 128, 0, 30, 0, 256, 4, 4, 4, 4, "vgpr"),
    ("gfx1030", 32, False, 64, 0, 30, 0, 64, 16, 16, 16, 16, "slots"),
    ("gfx1100", 32, True, 97, 0, 30, 0, 256, 12, 12, 6, 12, "vgpr"),
    ("gfx1100", 64, False, 84, 0, 30, 0, 256, 9, 9, 4, 8, "vgpr"),  # 9 x 2 / 4 = 4.5
    ("gfx1100", 32, True, 256, 0, 30, 32768, 1024, 5, 5, 0, 0, "launch_impossible"),
    ("gfx1201", 32, False, 192, 0, 30, 16385, 128, 6, 6, 3, 6, "lds"),
    ("gfx1201", 32, True, 256, 0, 30, 65536, 512, 5, 5, 1, 4, "vgpr"),  # 5 x 4 / 16 = 1.25
    # gfx908: ten slots, steps of 4 of 256, and as many accumulation registers in their own file
    ("gfx908", 64, False, 24, 0, 34, 0, 256, 10, 10, 10, 10, "slots"),
    ("gfx908", 64, False, 25, 0, 34, 0, 256, 9, 9, 9, 9, "vgpr"),
    ("gfx908", 64, False, 8, 25, 34, 0, 256, 9, 9, 9, 9, "vgpr"),
    ("gfx908", 64, False, 84, 84, 34, 0, 256, 3, 3, 3, 3, "vgpr"),
    ("gfx908", 64, False, 128, 129, 34, 0, 256, 1, 1, 1, 1, "vgpr"),
    # 512 of 512 registers: one wave per SIMD
    ("gfx90a", 64, False, 256, 256, 34, 0, 256, 1, 1, 1, 1, "vgpr"),
    # 512 / 72 = 7 waves, 28 on 4 SIMDs, only one workgroup of 16 waves fits
    ("gfx90a", 64, False, 72, 0, 34, 0, 1024, 7, 7, 1, 4, "vgpr"),
    # 512 / 80 = 6 waves, 24 on 4 SIMDs = 3 workgroups of 8
    ("gfx90a", 64, False, 80, 0, 34, 0, 512, 6, 6, 3, 6, "vgpr"),
    # 2049 -> 2560 bytes: 25 workgroups; LLVM 19 divides by 2049: 31 -> ceil(31 / 4) = 8
    ("gfx90a", 64, False, 24, 0, 34, 2049, 64, 8, 7, 25, 6.25, "lds"),
    # 3 waves each: 10 workgroups leave 2 of 32 slots empty; LLVM rounds 30 / 4 up
    ("gfx942", 64, False, 32, 0, 36, 0, 192, 8, 8, 10, 7.5, "workgroup_size"),
    # 65 work-items take 2 waves: 16 workgroups
    ("gfx942", 64, False, 16, 0, 36, 0, 65, 8, 8, 16, 8, "slots"),
    # 168 is the largest count for 3 waves, 169 -> 176 leaves 2
    ("gfx942", 64, False, 168, 0, 36, 0, 256, 3, 3, 3, 3, "vgpr"),
    ("gfx942", 64, False, 169, 0, 36, 0, 256, 2, 2, 2, 2, "vgpr"),
    # 100 + 28 = 128 -> 4 waves; 101 -> 104, + 28 = 132 -> 136 -> 3 waves
    ("gfx942", 64, False, 100, 28, 36, 0, 256, 4, 4, 4, 4, "vgpr"),
    ("gfx942", 64, False, 101, 28, 36, 0, 256, 3, 3, 3, 3, "vgpr"),
    # nothing used: one wave workgroups take no barrier and fill all 32 slots
    ("gfx942", 64, False, 0, 0, 0, 0, 1, 8, 8, 32, 8, "slots"),
    # the recorded batched GEMM of an MI300X: 128 + 384 registers and all of the LDS
    ("gfx942", 64, False, 128, 384, 112, 65536, 256, 1, 1, 1, 1, "vgpr"),
    # 2 workgroups of one wave by LDS: half a wave per SIMD
    ("gfx942", 64, False, 32, 0, 36, 32768, 64, 1, 1, 2, 0.5, "lds"),
    # 1281 -> 2560: 64 workgroups by LDS, so the 32 slots bind
    ("gfx950", 64, False, 64, 0, 36, 1281, 64, 8, 8, 32, 8, "slots"),
    # 81920 = 64 granules fits twice, one byte more only once
    ("gfx950", 64, False, 64, 0, 36, 81920, 256, 2, 2, 2, 2, "lds"),
    ("gfx950", 64, False, 64, 0, 36, 81921, 256, 1, 1, 1, 1, "lds"),
    # 1024 / 256 = 4 waves, 16 on a WGP; a workgroup of 32 waves never fits
    ("gfx1030", 32, True, 256, 0, 30, 0, 1024, 4, 4, 0, 0, "launch_impossible"),
    # CU mode: 12 waves x 2 SIMDs = 24 = 8 workgroups of 3
    ("gfx1030", 32, False, 80, 0, 30, 0, 96, 12, 12, 8, 12, "vgpr"),
    # wave64: 768 / 96 = 8 waves, 32 one-wave workgroups on 4 SIMDs
    ("gfx1100", 64, True, 96, 0, 30, 0, 64, 8, 8, 32, 8, "vgpr"),
    # 1025 -> 2048 bytes: exactly the 64 slots of a WGP
    ("gfx1100", 32, True, 32, 0, 30, 1025, 32, 16, 16, 64, 16, "slots"),
    # the narrow register file: 97 -> 112, 1024 / 112 = 9, 36 waves = 4 workgroups of 8
    ("gfx1102", 32, True, 97, 0, 30, 0, 256, 9, 9, 4, 8, "vgpr"),
    # 1536 / 192 = 8 waves, 32 on a WGP = 8 workgroups of 4
    ("gfx1151", 32, True, 192, 0, 30, 0, 128, 8, 8, 8, 8, "vgpr"),
    # wave64 in CU mode: 768 / 132 = 5 waves, 10 on 2 SIMDs = 5 workgroups of 2
    ("gfx1201", 64, False, 132, 0, 30, 0, 128, 5, 5, 5, 5, "vgpr"),
    # 64 -> 72 registers allow 21 waves, the 16 slots bind; 32 barriers hold 32 workgroups
    ("gfx1201", 32, True, 64, 0, 30, 0, 64, 16, 16, 32, 16, "slots"),
]


@pytest.mark.parametrize("row", GOLDEN, ids=[f"{n:02}-{row[0]}" for n, row in enumerate(GOLDEN, 1)])
def test_golden(row: tuple[object, ...]) -> None:
    *launch, llvm19, llvm_main, workgroups, waves, limiter = row
    result = Launch(*launch).occupancy()  # type: ignore[arg-type]
    assert result.compiler.llvm19 == llvm19
    assert result.compiler.llvm_main == llvm_main
    assert result.workgroups_per_cu == workgroups
    assert result.waves_per_simd == waves
    assert result.limiter == limiter
    assert result.theoretical == result.waves_per_simd / result.max_waves_per_simd


def test_golden_table_is_broad() -> None:
    assert len(GOLDEN) >= 40
    assert len({row[0] for row in GOLDEN}) >= 6


# ---- a dispatcher that really places workgroups -------------------------------------------------


def place_until_full(launch: Launch) -> int:
    """Places workgroups, wave by wave on the emptiest SIMD, until one does not fit."""
    target = load_target(launch.target)
    cus = 2 if launch.wgp else 1
    waves = -(-launch.size // launch.wave)
    registers, scalars = wave_registers(target, launch)
    lds_left = target.lds_bytes_per_cu * cus
    barriers_left = target.count("barriers_per_cu") * cus
    vector_left = [target.vgpr_file(launch.wave).total] * (target.simds_per_cu * cus)
    scalar_left = [target.optional_count("sgpr.total") or 10**9] * len(vector_left)
    slots_left = [target.max_waves_per_simd] * len(vector_left)
    granule = target.count("lds.granule")
    placed = 0
    while True:
        lds_left -= -(-launch.lds // granule) * granule
        barriers_left -= waves > 1
        for _ in range(waves):
            simd = max(range(len(slots_left)), key=slots_left.__getitem__)
            slots_left[simd] -= 1
            vector_left[simd] -= registers
            scalar_left[simd] -= scalars
        if min(lds_left, barriers_left, *vector_left, *scalar_left, *slots_left) < 0:
            return placed
        placed += 1


def wave_registers(target: Target, launch: Launch) -> tuple[int, int]:
    granule = target.vgpr_file(launch.wave).granule
    vector = launch.arch
    if target.unified_vgprs and launch.accum:
        vector = (launch.arch + 3) // 4 * 4 + launch.accum
    vector = max((vector + granule - 1) // granule, 1) * granule
    if launch.sgpr is None or target.optional_count("sgpr.total") is None:
        return vector, 0
    return vector, max((launch.sgpr + 15) // 16, 1) * 16


@st.composite
def launches(draw: st.DrawFn) -> Launch:
    target = load_target(draw(st.sampled_from(known_targets())))
    most = 256
    accum = draw(st.integers(0, 256)) if target.unified_vgprs else 0
    return Launch(
        target=target.name,
        wave=draw(st.sampled_from(target.wave_sizes)),
        wgp=target.has_wgp_mode and draw(st.booleans()),
        arch=draw(st.integers(0, most)),
        accum=accum,
        sgpr=draw(st.none() | st.integers(0, 112)),
        lds=draw(st.just(0) | st.integers(0, target.count("lds.max_bytes_per_workgroup"))),
        size=draw(st.integers(1, 1024)),
    )


@settings(max_examples=300, deadline=None, derandomize=True)
@given(launches())
def test_agrees_with_placing_workgroups_one_by_one(launch: Launch) -> None:
    result = launch.occupancy()
    assert result.workgroups_per_cu == place_until_full(launch)
    assert 0 <= result.theoretical <= 1
    assert (result.workgroups_per_cu == 0) == (result.limiter == "launch_impossible")
    assert (result.reason is None) == (result.workgroups_per_cu > 0)


def changed(launch: Launch, bounds: dict[str, int]) -> Launch:
    values = dict(launch.__dict__)
    if "vgpr" in bounds:  # a bound speaks of all registers of a wave
        values.update(arch=bounds["vgpr"], accum=0)
    if "lds" in bounds:
        values.update(lds=bounds["lds"])
    if "sgpr" in bounds:
        values.update(sgpr=bounds["sgpr"])
    return Launch(**values)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(launches())
def test_next_up_is_the_loosest_change_that_lets_a_workgroup_in(launch: Launch) -> None:
    now = launch.occupancy()
    step = now.next_up
    if step is None:
        least = changed(launch, {"vgpr": 0, "lds": 0})
        least = Launch(**{**least.__dict__, "sgpr": None})
        assert least.occupancy().workgroups_per_cu == now.workgroups_per_cu
        return
    assert step.raises
    bounds = dict(step.bounds)
    better = changed(launch, bounds).occupancy()
    assert better.workgroups_per_cu == step.workgroups_per_cu > now.workgroups_per_cu
    assert better.theoretical == step.theoretical
    assert better.waves_per_simd == step.waves_per_simd
    for resource in bounds:
        looser = changed(launch, {**bounds, resource: bounds[resource] + 1}).occupancy()
        assert looser.workgroups_per_cu <= now.workgroups_per_cu


@settings(max_examples=300, deadline=None, derandomize=True)
@given(launches(), st.data())
def test_next_down_is_the_first_value_that_costs_a_workgroup(
    launch: Launch, data: st.DataObject
) -> None:
    now = launch.occupancy()
    if now.workgroups_per_cu == 0:
        assert now.next_down == ()
    for step in now.next_down:
        ((resource, bound),) = step.bounds.items()
        worse = changed(launch, {resource: bound}).occupancy()
        assert worse.workgroups_per_cu == step.workgroups_per_cu < now.workgroups_per_cu
        current = {"vgpr": launch.arch, "lds": launch.lds, "sgpr": launch.sgpr or 0}[resource]
        harmless = data.draw(st.integers(min(current, bound - 1), bound - 1))
        same = changed(launch, {resource: harmless}).occupancy()
        assert same.workgroups_per_cu >= now.workgroups_per_cu
        last_harmless = changed(launch, {resource: bound - 1}).occupancy()
        assert last_harmless.workgroups_per_cu == now.workgroups_per_cu


@settings(max_examples=200, deadline=None, derandomize=True)
@given(launches(), st.integers(0, 64), st.integers(0, 16), st.integers(0, 8192))
def test_asking_for_more_never_raises_occupancy(
    launch: Launch, vgprs: int, sgprs: int, lds: int
) -> None:
    more = Launch(
        **{
            **launch.__dict__,
            "arch": launch.arch + vgprs,
            "sgpr": None if launch.sgpr is None else launch.sgpr + sgprs,
            "lds": launch.lds + lds,
        }
    )
    assert more.occupancy().theoretical <= launch.occupancy().theoretical


# ---- what users were told wrongly, and what hardware showed -------------------------------------


@pytest.mark.parametrize(
    ("arch", "accum", "lds", "size", "expected"),
    [(128, 0, 0, 256, 0.5), (32, 0, 32768, 64, 0.0625), (128, 384, 65536, 256, 0.125)],
)
def test_required_values(arch: int, accum: int, lds: int, size: int, expected: float) -> None:
    assert Launch("gfx942", 64, False, arch, accum, None, lds, size).occupancy().theoretical == (
        expected
    )


@pytest.mark.parametrize(
    ("name", "launch", "measured_percent"),
    [
        ("vgprbound", Launch("gfx90a", 64, False, 124, 4, 80, 0, 1024), 49.92),
        ("ldsbound", Launch("gfx90a", 64, False, 96, 0, 80, 65536, 256), 12.49),
        ("sgprbound", Launch("gfx90a", 64, False, 64, 0, 80, 0, 1024), 98.91),
    ],
)
def test_measured_occupancy_stays_just_below_the_bound(
    name: str, launch: Launch, measured_percent: float
) -> None:
    """AMD's published microbenchmarks on an MI250 die fill what the model allows, and no more."""
    bound = launch.occupancy().theoretical * 100
    assert measured_percent <= bound
    assert measured_percent == pytest.approx(bound, abs=1.2)


def test_device_facts_and_target_give_the_same() -> None:
    facts = device_facts("gfx942", {"cu_count": 304})
    assert occupancy(facts, arch_vgpr=100, workgroup_size=256) == occupancy(
        facts.target, arch_vgpr=100, workgroup_size=256
    )


def test_steps_read_as_advice() -> None:
    result = occupancy(load_target("gfx942"), arch_vgpr=128, workgroup_size=256)
    assert str(result.next_up) == "VGPR <= 96 gives 5 waves per SIMD (62.5%)"
    assert str(result.next_down[0]) == "VGPR >= 129 gives 3 waves per SIMD (37.5%)"
    both = Launch("gfx942", 64, False, 128, 384, 112, 65536, 256).occupancy()
    assert both.limiters == ("vgpr", "lds")
    assert str(both.next_up) == ("VGPR <= 256 and LDS bytes <= 32768 give 2 waves per SIMD (25.0%)")


@pytest.mark.parametrize(
    ("launch", "part"),
    [
        (Launch("gfx942", 64, False, 8, 0, None, 0, 1025), "workgroup size 1025"),
        (Launch("gfx942", 64, False, 8, 0, None, 65537, 64), "LDS of a workgroup 65537"),
        (Launch("gfx942", 64, False, 256, 260, None, 0, 64), "VGPR count 516"),
        (Launch("gfx1100", 32, True, 257, 0, None, 0, 64), "VGPR count 257"),
        (Launch("gfx1100", 32, True, 256, 0, None, 0, 1024), "32 waves does not fit"),
    ],
)
def test_impossible_launches_say_why(launch: Launch, part: str) -> None:
    result = launch.occupancy()
    assert (result.theoretical, result.limiter) == (0.0, "launch_impossible")
    assert part in (result.reason or "")


@pytest.mark.parametrize(
    "launch",
    [
        Launch("gfx942", 64, False, -1, 0, None, 0, 64),
        Launch("gfx942", 64, False, 8, -4, None, 0, 64),
        Launch("gfx942", 64, False, 8, 0, -1, 0, 64),
        Launch("gfx942", 64, False, 8, 0, None, -1, 64),
        Launch("gfx942", 64, False, 8, 0, None, 0, 0),
        Launch("gfx942", 32, False, 8, 0, None, 0, 64),
        Launch("gfx942", 64, True, 8, 0, None, 0, 64),
    ],
)
def test_values_that_make_no_sense_are_refused(launch: Launch) -> None:
    with pytest.raises(UsageError):
        launch.occupancy()
