"""The file that a person can send: what was measured, on what kind of chip, and nothing of the
machine. Names of host and user, paths, serial numbers and places on the bus have no field.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.selftest.calibrate.comparison import Calibration, Compared
from rocm_perf_lab.strict_json import NotStrict, Strict, read_strict, says

SCHEMA_VERSION: Final = "1.0"


class ChipModel(Strict):
    product: Annotated[Optional[str], says("as the runtime calls it")]
    target: Annotated[str, says("of LLVM, for example gfx942")]
    compute_units: Optional[int]
    clock_mhz: Annotated[Optional[float], says("the highest, as the runtime says")]
    rocm_version: Optional[str]
    rocm_kind: Annotated[str, says("rocm, or virtual for a device that does not exist")]


class RowModel(Strict):
    kind: str
    name: str
    parameter: int
    chip_us: Annotated[float, says("median of the timed launches")]
    chip_spread: Annotated[float, says("of the middle half of the times, as a share of chip_us")]
    chip_launches: Annotated[int, says("that were timed")]
    virtual_us: Annotated[float, says("of the virtual device of this version of the tool")]


class CalibrationBundle(Strict):
    schema_version: Literal["1.0"]
    content: Annotated[Literal["rocm-perf calibration"], says("what tells this document")]
    tool_version: str
    chip: ChipModel
    rows: tuple[RowModel, ...]


def bundle_of(calibration: Calibration) -> CalibrationBundle:
    chip = calibration.chip
    return CalibrationBundle(
        schema_version=SCHEMA_VERSION,
        content="rocm-perf calibration",
        tool_version=__version__,
        chip=ChipModel(
            product=chip.product,
            target=chip.target,
            compute_units=chip.compute_units,
            clock_mhz=chip.clock_mhz,
            rocm_version=chip.rocm_version,
            rocm_kind=chip.rocm_kind,
        ),
        rows=tuple(_row(row) for row in calibration.rows),
    )


def read_bundle(path: Path) -> CalibrationBundle:
    """Raises ``RecordingError`` for what is not a bundle."""
    try:
        return read_strict(CalibrationBundle, path.read_bytes())
    except (OSError, NotStrict) as error:
        raise RecordingError(f"{path} is not a bundle of a calibration: {error}") from error


def _row(row: Compared) -> RowModel:
    return RowModel(
        kind=row.kind,
        name=row.name,
        parameter=row.parameter,
        chip_us=row.chip_us,
        chip_spread=row.chip_spread,
        chip_launches=row.chip_launches,
        virtual_us=row.virtual_us,
    )
