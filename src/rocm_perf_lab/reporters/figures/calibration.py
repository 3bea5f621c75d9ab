"""A chip beside the virtual device, as a person reads it: by kind, then the rows that differ."""

from __future__ import annotations

from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.selftest.calibrate.bundle import RowModel
from rocm_perf_lab.selftest.document import CalibrationModel

_KINDS = (
    tt.Column("kind", align_left=True),
    tt.Column("rows"),
    tt.Column("within 25 %"),
    tt.Column("chip / virtual"),
    tt.Column("worst row", align_left=True),
    tt.Column("its ratio"),
)
_ROWS = (
    tt.Column("row", align_left=True),
    tt.Column("chip"),
    tt.Column("spread"),
    tt.Column("virtual"),
    tt.Column("chip / virtual"),
)


def calibration_lines(calibration: CalibrationModel) -> list[str]:
    about = "Times of the chip beside those of the virtual MI300X, medians by kind:"
    lines = [tt.wrap(about), ""]
    lines += [tt.render(_KINDS, _kinds(calibration)), ""]
    differing = [row for row in calibration.rows if _word(row) in calibration.differing]
    if differing:
        about = "More than 25 % apart, and more than the chip differs from itself:"
        lines += [tt.wrap(about), ""]
        lines += [tt.render(_ROWS, [_row(row) for row in differing]), ""]
    for one in calibration.missing:
        side = "the chip" if one.side == "chip" else "the virtual device"
        lines.append(tt.wrap(f"Without a time on {side}: {one.row}: {one.reason}"))
    sent = "It holds times and the kind of the chip, no names of machine or user, no paths."
    return [*lines, tt.wrap(f"The bundle to send is {calibration.bundle}. {sent}")]


def calibration_result(calibration: CalibrationModel) -> str:
    near = sum(round(kind.near * kind.rows) for kind in calibration.kinds)
    told = f"{near} of {len(calibration.rows)} rows within 25 % of the model"
    missing = len(calibration.missing)
    return f"{told}, {missing} without a time" if missing else told


def _kinds(calibration: CalibrationModel) -> list[list[str]]:
    return [
        [
            kind.kind,
            str(kind.rows),
            f"{100 * kind.near:.0f}%",
            f"{kind.ratio:.2f}x",
            kind.worst,
            f"{kind.worst_ratio:.2f}x",
        ]
        for kind in calibration.kinds
    ]


def _row(row: RowModel) -> list[str]:
    return [
        _word(row),
        tt.duration(1000 * row.chip_us),
        tt.percent(row.chip_spread),
        tt.duration(1000 * row.virtual_us),
        f"{row.chip_us / row.virtual_us:.2f}x",
    ]


def _word(row: RowModel) -> str:
    return f"{row.name}={row.parameter}"
