"""Architectural regression: what a candidate pays, from the profiles of both versions.

A candidate can be faster here and now and still be worse: registers and LDS that the next GPU or
the next kernel beside it do not have. Every limit is a share of the baseline and can be changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel, ProfileDocument
from rocm_perf_lab.optimize.refusal import Refusal, Stage


@dataclass(frozen=True)
class Thresholds:
    """How much worse a value may be; None switches the check off."""

    runtime: Optional[float] = 0.05  # of the whole application
    vgpr: Optional[float] = 0.20
    occupancy: Optional[float] = 0.15
    lds: Optional[float] = 0.30
    dram_bytes: Optional[float] = 0.10
    dram_waiver: float = 0.02  # more traffic is fine when the kernel is faster by this
    spills: bool = True  # scratch memory that was not there
    # More registers and LDS are fine as long as they cost no occupancy beyond its own limit, and
    # the kernel is faster by ``dram_waiver``. A search wants that, a comparison of releases not.
    growth_waiver: bool = False


@dataclass(frozen=True)
class _Pair:
    """A value before and now, where both are known."""

    name: str
    before: Optional[float]
    now: Optional[float]
    limit: Optional[float]
    rises: bool = True  # worse is more

    @property
    def worsening(self) -> Optional[float]:
        """A share of the baseline; a first unit of something is endlessly worse."""
        if self.before is None or self.now is None:
            return None
        change = self.now - self.before if self.rises else self.before - self.now
        if change <= 0:
            return 0.0
        return change / self.before if self.before else float("inf")


@dataclass(frozen=True)
class RegressionVerdict:
    refusals: tuple[Refusal, ...]
    unknown: tuple[str, ...]  # what could not be compared


def check_regression(
    before: ProfileDocument,
    after: ProfileDocument,
    kernel: str,
    thresholds: Thresholds = Thresholds(),
) -> RegressionVerdict:
    """``kernel`` by its name in both profiles."""
    old, new = _row(before, kernel), _row(after, kernel)
    if old is None or new is None:
        where = "baseline" if old is None else "candidate"
        refusal = Refusal(
            Stage.REGRESSION, "kernel-missing", f"{kernel} is not in the {where}'s profile"
        )
        return RegressionVerdict((refusal,), ())
    pairs = _pairs(_values(before, old), _values(after, new), thresholds)
    worse = [pair for pair in pairs if _is_worse(pair, old, new, thresholds)]
    if thresholds.growth_waiver and _is_free(worse, pairs, old, new, thresholds):
        worse = [pair for pair in worse if pair.name not in _GROWTH]
    refusals = tuple(_refused(pair, old, new, thresholds) for pair in worse)
    unknown = tuple(p.name for p in pairs if p.limit is not None and p.worsening is None)
    return RegressionVerdict(refusals, unknown)


def _row(profile: ProfileDocument, kernel: str) -> Optional[KernelRowModel]:
    return next((row for row in profile.kernels if kernel in (row.name, row.symbol)), None)


@dataclass(frozen=True)
class _Values:
    """What is compared, of one version; None is not known."""

    runtime: float
    vgpr: Optional[int]
    occupancy: Optional[float]
    lds: Optional[int]
    dram_bytes: Optional[float]
    scratch: Optional[int]


def _values(profile: ProfileDocument, row: KernelRowModel) -> _Values:
    resources, occupancy = row.resources, row.occupancy
    return _Values(
        runtime=profile.runtime_ms,
        vgpr=None if resources is None else resources.vgpr_per_thread,
        occupancy=None if occupancy is None else occupancy.theoretical,
        lds=None if resources is None else resources.lds_bytes,
        dram_bytes=_dram(profile, row.name),
        scratch=None if resources is None else resources.scratch_bytes,
    )


def _pairs(was: _Values, now: _Values, limits: Thresholds) -> tuple[_Pair, ...]:
    return (
        _Pair("runtime", was.runtime, now.runtime, limits.runtime),
        _Pair("vgpr", was.vgpr, now.vgpr, limits.vgpr),
        _Pair("occupancy", was.occupancy, now.occupancy, limits.occupancy, rises=False),
        _Pair("lds", was.lds, now.lds, limits.lds),
        _Pair("dram_bytes", was.dram_bytes, now.dram_bytes, limits.dram_bytes),
        _Pair("spills", was.scratch, now.scratch, 0.0 if limits.spills else None),
    )


def _dram(profile: ProfileDocument, kernel: str) -> Optional[float]:
    """What leaves the L2, per launch; on the way to memory the Infinity Cache may answer."""
    for roofline in profile.rooflines.kernels if profile.rooflines else ():
        if roofline.kernel == kernel:
            return next((level.bytes for level in roofline.levels if level.level == "fabric"), None)
    return None


def _is_worse(pair: _Pair, old: KernelRowModel, new: KernelRowModel, limits: Thresholds) -> bool:
    worse = pair.worsening
    if worse is None or pair.limit is None or worse <= pair.limit:
        return False
    if pair.name == "dram_bytes":
        return old.median_ns < (1 + limits.dram_waiver) * new.median_ns
    return True


_GROWTH = ("vgpr", "lds")


def _is_free(
    worse: list[_Pair],
    pairs: tuple[_Pair, ...],
    old: KernelRowModel,
    new: KernelRowModel,
    limits: Thresholds,
) -> bool:
    """Occupancy is known and within its limit, and the kernel is faster."""
    known = next(pair for pair in pairs if pair.name == "occupancy").worsening is not None
    lost = any(pair.name == "occupancy" for pair in worse)
    return known and not lost and old.median_ns >= (1 + limits.dram_waiver) * new.median_ns


def _refused(pair: _Pair, old: KernelRowModel, new: KernelRowModel, limits: Thresholds) -> Refusal:
    worse, limit = pair.worsening or 0.0, pair.limit or 0.0
    sign = "+" if pair.rises else "-"
    share = "from nothing" if worse == float("inf") else f"{sign}{worse:.1%}"
    values = f"{pair.before:g} became {pair.now:g}"
    message = f"{pair.name.replace('_', ' ')} {values} ({share}, {limit:.0%} allowed)"
    if pair.name == "dram_bytes":
        gain = old.median_ns / new.median_ns - 1
        message += f"; the kernel is {gain:+.1%} faster, {limits.dram_waiver:.0%} would do"
    return Refusal(Stage.REGRESSION, pair.name, message)
