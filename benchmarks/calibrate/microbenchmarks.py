"""The microbenchmarks that the rocprofiler-compute documentation publishes, as our own programs."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from benchmarks.calibrate.program import Bench, Launch, by_name, marginal_counters
from benchmarks.calibrate.quantity import Quantity, Section, figure
from rocm_perf_lab.arch.model import load_timing_model

DOCS = "rocprofiler-compute documentation, MI250"
ALLOWED = 0.02
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
OCCUPANCY = {
    "vgpr_bound": (figure(49.92, DOCS), ""),
    "lds_bound": (figure(12.49, DOCS), ""),
    "sgpr_bound": (figure(98.91, DOCS), ""),
}


def section(bench: Bench) -> Section:
    rows = [*_mix(bench), *_lds(bench), *_occupancy(bench), *_issue(bench), *_memory_kinds(bench)]
    return Section("Published microbenchmarks", TEXT, rows)


def _mix(bench: Bench) -> list[Quantity]:
    (launch,) = bench.run("instruction_mix", counters=True)
    waves = launch.counters["SQ_WAVES"]
    return [
        Quantity(f"mix: {name} per wave", "", figure(1.0, DOCS), launch.counters[name] / waves,
                 ALLOWED)
        for name in MIXED
    ]  # fmt: skip


def _lds(bench: Bench) -> list[Quantity]:
    rows = []
    for launch in bench.run("lds_access", counters=True):
        kind, lanes = launch.name.split("_")[0], int(launch.work)
        active = launch.counters["SQ_LDS_IDX_ACTIVE"]
        conflicts = launch.counters["SQ_LDS_BANK_CONFLICT"]
        if kind == "load":
            moved = (active - conflicts) * LDS_BYTES * BANKS
            expected = figure(256 * ceil(lanes / 64), DOCS)
            rows.append(Quantity(f"LDS load<<<1,{lanes}>>>", "bytes", expected, moved, ALLOWED))
        else:
            name = f"LDS conflicts<<<1,{lanes}>>>"
            rows.append(
                Quantity(f"{name}, active", "cycles", figure(lanes + 1, DOCS), active, ALLOWED)
            )
            rows.append(
                Quantity(
                    f"{name}, conflicts", "cycles", figure(lanes - 1, DOCS), conflicts, ALLOWED
                )
            )
    return rows


def _occupancy(bench: Bench) -> list[Quantity]:
    model = load_timing_model()
    per_unit = model.value("simds_per_unit") * model.value("waves_per_simd")
    slots = per_unit * model.value("units_per_xcd")  # per XCD, as is GRBM_GUI_ACTIVE
    rows = []
    for launch in bench.run("occupancy_limits", counters=True):
        if launch.name not in OCCUPANCY:
            continue
        published, note = OCCUPANCY[launch.name]
        level = launch.counters["accumulate(SQ_LEVEL_WAVES)"] / launch.counters["GRBM_GUI_ACTIVE"]
        rows.append(
            Quantity(f"occupancy: {launch.name}", "% of slots", published, 100 * level / slots,
                     ALLOWED, note)
        )  # fmt: skip
    return rows


def _issue(bench: Bench) -> list[Quantity]:
    groups = by_name(bench.run("issue_rates", counters=True))
    steady = {name: marginal_counters(launches) for name, launches in groups.items()}
    rows = []
    for shape, where in (("row", "1000 in a row"), ("loop", "loop of 64")):
        vmov, snop, smov = (steady[f"{shape}_{kind}"] for kind in ("vmov", "snop", "smov"))
        rows += [
            Quantity(f"IPC of v_mov, {where}", "", figure(1.0, DOCS),
                     _per_cycle(vmov, "SQ_INSTS_VALU"), ALLOWED),
            Quantity(f"VALU utilisation of v_mov, {where}", "%", figure(99.98, DOCS),
                     _utilisation(vmov, "SQ_ACTIVE_INST_VALU"), ALLOWED),
            Quantity(f"SALU utilisation of s_mov, {where}", "%", figure(99.98, DOCS),
                     _utilisation(smov, "SQ_ACTIVE_INST_SCA"), ALLOWED),
            Quantity(f"IPC of s_nop, {where}", "", figure(6.79, DOCS),
                     _per_cycle(snop, "SQ_INSTS"), ALLOWED if shape == "row" else None,
                     "" if shape == "row" else "no published program has this shape"),
        ]  # fmt: skip
    return [
        *rows,
        *_lanes(steady["row_vmov"], steady["row_divergent"]),
        *_mfma(steady["loop_mfma"]),
    ]


def _lanes(full: Mapping[str, float], divergent: Mapping[str, float]) -> list[Quantity]:
    def active(counters: Mapping[str, float]) -> float:
        return counters["SQ_THREAD_CYCLES_VALU"] / counters["SQ_ACTIVE_INST_VALU"]

    return [
        Quantity("VALU active threads of v_mov", "", figure(64, DOCS), active(full), ALLOWED),
        Quantity("VALU active threads, one lane at work", "", figure(1.13, DOCS),
                 active(divergent), ALLOWED),
    ]  # fmt: skip


def _mfma(counters: Mapping[str, float]) -> list[Quantity]:
    return [
        Quantity("IPC of v_mfma, 64 cycles each", "", figure(0.0626, DOCS),
                 _per_cycle(counters, "SQ_INSTS_MFMA"), ALLOWED,
                 "v_mfma_f32_32x32x2_f32 here; the sample's v_mfma_f32_32x32x8_bf16 takes 64 "
                 "on an MI250 and 32 on an MI300X"),
        Quantity("cycles per v_mfma", "", figure(64.0, DOCS),
                 counters["SQ_VALU_MFMA_BUSY_CYCLES"] / counters["SQ_INSTS_MFMA"], ALLOWED),
        Quantity("MFMA utilisation", "%", figure(99.99, DOCS),
                 _utilisation(counters, "SQ_VALU_MFMA_BUSY_CYCLES") / 4, ALLOWED),
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
    name = f"{launch.name}: {counter}"
    return Quantity(name, "", figure(expected, DOCS), launch.counters[counter], ALLOWED)


TEXT = (
    "The figures are those of an MI250; what is compared does not depend on the chip. Occupancy is "
    "the mean number of waves over the whole launch. Rates are differences of two launches: of "
    "two and three rounds of workgroups for a thousand instructions in a row, as in the published "
    "program, and of loops of different length."
)
