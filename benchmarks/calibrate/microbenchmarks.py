"""The microbenchmarks that the rocprofiler-compute documentation publishes, as our own programs."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, Launch, by_name, marginal_counters
from benchmarks.calibrate.quantity import Quantity, Section, figure
from rocm_perf_lab.arch.model import load_timing_model

DOCS = "rocprofiler-compute documentation, MI250"
MIXED = (
    "SQ_INSTS_VALU_INT32", "SQ_INSTS_VALU_INT64", "SQ_INSTS_VALU_CVT",
    *(f"SQ_INSTS_VALU_{kind}_{size}"
      for size in ("F16", "F32", "F64") for kind in ("ADD", "MUL", "FMA", "TRANS")),
)  # fmt: skip
BANKS, LDS_BYTES = 32, 4
# Kernel -> counter that has it once, and whether it also counts as an LDS instruction.
MEMORY_KINDS = {
    "global_read": ("TA_FLAT_READ_WAVEFRONTS", False),
    "global_write": ("TA_FLAT_WRITE_WAVEFRONTS", False),
    "global_atomic": ("TA_FLAT_ATOMIC_WAVEFRONTS", False),
    "generic_read": ("TA_FLAT_READ_WAVEFRONTS", False),
    "generic_write": ("TA_FLAT_WRITE_WAVEFRONTS", True),
    "generic_atomic": ("TA_FLAT_ATOMIC_WAVEFRONTS", True),
}
OCCUPANCY = {"vgpr_bound": 49.92, "lds_bound": 12.49, "sgpr_bound": 98.91}


def section(bench: Bench) -> Section:
    rows = [*_mix(bench), *_lds(bench), *_occupancy(bench), *_issue(bench), *_memory_kinds(bench)]
    return Section("Published microbenchmarks", TEXT, rows)


def _count(name: str, unit: str, expected: float, counted: float) -> Quantity:
    return Quantity(name, unit, figure(expected, DOCS), counted, Group.BY_CONSTRUCTION, Kind.COUNT)


def _rate(name: str, unit: str, published: float, modelled: float, note: str = "",
          counts_as: str = "") -> Quantity:  # fmt: skip
    return Quantity(
        name, unit, figure(published, DOCS), modelled, Group.REPRODUCED, Kind.RATE, note,
        counts_as=counts_as,
    )  # fmt: skip


def _mix(bench: Bench) -> list[Quantity]:
    (launch,) = bench.run("instruction_mix", counters=True)
    waves = launch.counters["SQ_WAVES"]
    return [
        _count(f"mix: {name} per wave", "", 1.0, launch.counters[name] / waves) for name in MIXED
    ]


def _lds(bench: Bench) -> list[Quantity]:
    rows = []
    for launch in bench.run("lds_access", counters=True):
        kind, lanes = launch.name.split("_")[0], int(launch.work)
        active = launch.counters["SQ_LDS_IDX_ACTIVE"]
        conflicts = launch.counters["SQ_LDS_BANK_CONFLICT"]
        if kind == "load":
            moved = (active - conflicts) * LDS_BYTES * BANKS
            expected = 256 * ceil(lanes / 64)
            rows.append(_count(f"LDS load<<<1,{lanes}>>>", "bytes", expected, moved))
        else:
            name = f"LDS conflicts<<<1,{lanes}>>>"
            rows.append(_count(f"{name}, active", "cycles", lanes + 1, active))
            rows.append(_count(f"{name}, conflicts", "cycles", lanes - 1, conflicts))
    return rows


def _occupancy(bench: Bench) -> list[Quantity]:
    model = load_timing_model()
    per_unit = model.value("simds_per_unit") * model.value("waves_per_simd")
    slots = per_unit * model.value("units_per_xcd")  # per XCD, as is GRBM_GUI_ACTIVE
    launches = {launch.name: launch for launch in bench.run("occupancy_limits", counters=True)}
    rows = []
    for name, published in OCCUPANCY.items():
        counters = launches[name].counters
        level = counters["accumulate(SQ_LEVEL_WAVES)"] / counters["GRBM_GUI_ACTIVE"]
        rows.append(_rate(f"occupancy: {name}", "% of slots", published, 100 * level / slots))
    return rows


def _issue(bench: Bench) -> list[Quantity]:
    groups = by_name(bench.run("issue_rates", counters=True))
    steady = {name: marginal_counters(launches) for name, launches in groups.items()}
    vmov, snop, smov = (steady[f"row_{kind}"] for kind in ("vmov", "snop", "smov"))
    return [
        _rate("IPC of v_mov", "", 1.0, _per_cycle(vmov, "SQ_INSTS_VALU")),
        _rate("VALU utilisation of v_mov", "%", 99.98, _utilisation(vmov, "SQ_ACTIVE_INST_VALU"),
              counts_as="IPC of v_mov"),
        _rate("SALU utilisation of s_mov", "%", 99.98, _utilisation(smov, "SQ_ACTIVE_INST_SCA")),
        _rate("IPC of s_nop", "", 6.79, _per_cycle(snop, "SQ_INSTS")),
        *_lanes(vmov, steady["row_divergent"]),
        *_mfma(steady["loop_mfma"]),
    ]  # fmt: skip


def _lanes(full: Mapping[str, float], divergent: Mapping[str, float]) -> list[Quantity]:
    published = {"of v_mov": (64, full), "when one lane is at work": (1.13, divergent)}
    return [
        Quantity(f"VALU active threads {which}", "", figure(threads, DOCS),
                 counters["SQ_THREAD_CYCLES_VALU"] / counters["SQ_ACTIVE_INST_VALU"],
                 Group.BY_CONSTRUCTION, Kind.IDENTITY)
        for which, (threads, counters) in published.items()
    ]  # fmt: skip


def _mfma(counters: Mapping[str, float]) -> list[Quantity]:
    ipc = "IPC of v_mfma, 64 cycles each"
    return [
        _rate(ipc, "", 0.0626, _per_cycle(counters, "SQ_INSTS_MFMA"),
              "v_mfma_f32_32x32x2_f32 here; the sample's v_mfma_f32_32x32x8_bf16 takes 64 "
              "on an MI250 and 32 on an MI300X"),
        _rate("cycles per v_mfma", "", 64.0,
              counters["SQ_VALU_MFMA_BUSY_CYCLES"] / counters["SQ_INSTS_MFMA"]),
        _rate("MFMA utilisation", "%", 99.99,
              _utilisation(counters, "SQ_VALU_MFMA_BUSY_CYCLES") / 4, counts_as=ipc),
    ]  # fmt: skip


def _per_cycle(counters: Mapping[str, float], instructions: str) -> float:
    """Of the kind that the loop repeats: its own two or three instructions are not counted."""
    return counters[instructions] / counters["SQ_BUSY_CU_CYCLES"]


def _utilisation(counters: Mapping[str, float], active: str) -> float:
    """Percent of the cycles of all CUs; SQ_ACTIVE_* count a quarter of the cycles of four SIMDs."""
    units = load_timing_model().value("units_per_xcd")
    return 100 * counters[active] / (counters["GRBM_GUI_ACTIVE"] * units)


def _memory_kinds(bench: Bench) -> list[Quantity]:
    rows = []
    for launch in bench.run("vector_memory_kinds", counters=True):
        counter, lds_too = MEMORY_KINDS[launch.name]
        rows.append(_once(launch, counter, 1))
        rows.append(_once(launch, "SQ_INSTS_LDS", int(lds_too)))
    return rows


def _once(launch: Launch, counter: str, expected: int) -> Quantity:
    return _count(f"{launch.name}: {counter}", "", expected, launch.counters[counter])


TEXT = (
    "The figures are those of an MI250; what is compared does not depend on the chip. Occupancy is "
    "the mean number of waves over the whole launch. Rates are differences of two launches, of "
    "two and three rounds of workgroups for a thousand instructions in a row, as in the published "
    "program. IPC and utilisation of one kind are one figure."
)
