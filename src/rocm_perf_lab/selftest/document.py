"""What ``rocm-perf selftest --json`` prints, version 1.0."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.selftest.calibrate.bundle import RowModel, bundle_of
from rocm_perf_lab.selftest.calibrate.comparison import (
    Calibration,
    KindFigures,
    NotMeasured,
    by_kind,
)
from rocm_perf_lab.selftest.result import Selftest, StepResult
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class CalibrationModel(Strict):
    bundle: Annotated[str, says("the file that was written")]
    kinds: tuple[KindFigures, ...]
    rows: tuple[RowModel, ...]
    differing: Annotated[
        tuple[str, ...], says("rows further off than 25 % and than the chip differs from itself")
    ]
    missing: Annotated[tuple[NotMeasured, ...], says("rows without a time")]


class SelftestDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    prefix: str
    rocm_kind: Annotated[str, says("rocm, or virtual for a device that does not exist")]
    device: str
    target: Annotated[str, says("of LLVM, for example gfx942")]
    holds: Annotated[bool, says("no step fails, and no row of a calibration is without a time")]
    folder: Annotated[Optional[str], says("of work, where it was kept: --keep, or a step fails")]
    steps: tuple[StepResult, ...]
    calibration: Annotated[Optional[CalibrationModel], says("only with --calibrate")] = None


def calibration_model(calibration: Calibration, bundle: Path) -> CalibrationModel:
    return CalibrationModel(
        bundle=str(bundle),
        kinds=by_kind(calibration.rows),
        rows=bundle_of(calibration).rows,
        differing=tuple(row.word for row in calibration.differing),
        missing=calibration.missing,
    )


def selftest_document(
    found: Selftest, calibration: Optional[CalibrationModel] = None
) -> SelftestDocument:
    measured = calibration is None or (bool(calibration.rows) and not calibration.missing)
    return SelftestDocument(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        prefix=found.prefix,
        rocm_kind=found.rocm_kind,
        device=found.device,
        target=found.target,
        holds=found.holds and measured,
        folder=found.folder,
        steps=found.steps,
        calibration=calibration,
    )
