"""The whole of it: every row on the chip, every row on the virtual device, and both compared."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Optional

from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.collect.process import ProcessResult, run_process
from rocm_perf_lab.collect.rocprof.options import Starter, StartOptions
from rocm_perf_lab.errors import NotComparable
from rocm_perf_lab.selftest.calibrate.comparison import Calibration, Chip, Compared, NotMeasured
from rocm_perf_lab.selftest.calibrate.rows import Row, chosen_rows
from rocm_perf_lab.selftest.calibrate.side import Side, Telling
from rocm_perf_lab.selftest.work import first_gpu
from rocm_perf_lab.vrocm.plain import plain_environment
from rocm_perf_lab.vrocm.prefix import ensure_prefix

if TYPE_CHECKING:
    from typing_extensions import Unpack

CHIP, VIRTUAL = "chip", "virtual"
VIRTUAL_TARGET = "gfx942"
REPEATS = 5  # on the chip, whose times vary; the virtual device repeats itself exactly


@dataclass(frozen=True)
class CalibrateRequest:
    rocm: Optional[Path] = None
    only: Sequence[str] = ()


def calibrate(
    request: CalibrateRequest, telling: Telling, building: Callable[[str], None]
) -> Calibration:
    """``building`` hears of the virtual ROCm being built. Raises where one side cannot begin."""
    rows = chosen_rows(request.only)
    prefix = find_prefix(request.rocm)
    target = first_gpu(prefix).target
    if target != VIRTUAL_TARGET:
        raise NotComparable(
            f"the virtual device is a {VIRTUAL_TARGET}, and this one is a {target}",
            "rocm-perf selftest without --calibrate",
        )
    virtual = Prefix(ensure_prefix(building), "virtual", "rocm-perf vrocm path")
    sides = (
        Side("the chip", prefix, REPEATS),
        Side("the virtual device", virtual, 1, plain_starter(virtual.path)),
    )
    for side in sides:
        with tempfile.TemporaryDirectory(prefix="rocm-perf-calibrate-") as space:
            side.measure(target, rows, Path(space), telling)
    return compared(target, rows, *sides)


def plain_starter(prefix: Path) -> Starter:
    """Starts programs on the virtual device as it is. The chip has the user's environment."""

    def start(argv: Sequence[str], **options: Unpack[StartOptions]) -> ProcessResult:
        options["env"] = plain_environment(options.get("env") or {}, prefix)
        return run_process(argv, **options)

    return start


def compared(target: str, rows: Sequence[Row], chip: Side, virtual: Side) -> Calibration:
    facts = chip.device
    return Calibration(
        Chip(
            product=facts.product_name if facts else None,
            target=target,
            compute_units=facts.cu_count if facts else None,
            clock_mhz=facts.engine_clock_mhz if facts else None,
            rocm_version=chip.rocm_version,
            rocm_kind=chip.prefix.kind,
        ),
        tuple(_compared(row, chip, virtual) for row in rows if _is_whole(row, chip, virtual)),
        tuple(
            NotMeasured(row.word, name, reason)
            for name, side in ((CHIP, chip), (VIRTUAL, virtual))
            for row, reason in side.missing.items()
        ),
    )


def _is_whole(row: Row, *sides: Side) -> bool:
    return all(row in side.timed and side.timed[row].median_us > 0 for side in sides)


def _compared(row: Row, chip: Side, virtual: Side) -> Compared:
    timed = chip.timed[row]
    return Compared(
        kind=row.kind,
        name=row.name,
        parameter=row.parameter,
        chip_us=round(timed.median_us, 4),
        chip_spread=round(timed.spread, 5),
        chip_launches=timed.times,
        virtual_us=round(virtual.timed[row].median_us, 4),
    )
