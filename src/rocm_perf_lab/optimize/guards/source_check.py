"""The guards that read text only, G1 and G2, one after the other, and whether it compiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.guards.address_uses import uses_addresses
from rocm_perf_lab.optimize.guards.denylist import Allowances, check_denylist
from rocm_perf_lab.optimize.guards.scope import check_scope
from rocm_perf_lab.optimize.refusal import Location, Refusal, Stage
from rocm_perf_lab.optimize.source.model import Kernel, TranslationUnit
from rocm_perf_lab.optimize.source.tokens import inside

ADDRESSES = "addresses"  # the oracle has to run it at other addresses


@dataclass(frozen=True)
class SourceVerdict:
    """``kernel`` is the changed kernel where its text is in order. All that G2 found is listed.
    ``obligations`` is what the proof owes it."""

    kernel: Optional[Kernel]
    refusals: tuple[Refusal, ...]
    changed: bool  # false: the kernel has the same tokens, there is nothing to measure
    obligations: tuple[str, ...] = ()


def check_source(
    before: TranslationUnit,
    kernel: Kernel,
    after: TranslationUnit,
    allowed: Allowances = Allowances(),  # noqa: B008 (it is frozen)
) -> SourceVerdict:
    scope = check_scope(before, kernel, after, allowed.launch_bounds)
    if scope.kernel is None:
        return SourceVerdict(None, tuple(r for r in (scope.refusal,) if r), True)
    refusals = check_denylist(before, kernel, after, scope.kernel, allowed) or _compiles(after)
    changed = _words(before, kernel) != _words(after, scope.kernel)
    owed = (ADDRESSES,) if uses_addresses(scope.kernel.tree.walk()) else ()
    return SourceVerdict(None if refusals else scope.kernel, refusals, changed, owed)


def _compiles(after: TranslationUnit) -> tuple[Refusal, ...]:
    """Last, because a refusal by name says more than what the compiler stumbled over."""
    for error in after.errors:
        file = after.files.get(error.path or "")
        where = Location.of(file.path, file.data, error.offset) if file else None
        return (Refusal(Stage.BUILD, "does-not-compile", error.text, where),)
    return ()


def _words(unit: TranslationUnit, kernel: Kernel) -> list[bytes]:
    """Line ends count only around preprocessor lines, which are among the guarded ones."""
    tokens = inside(unit.files[kernel.path].tokens, kernel.span)
    return [token.text for token in tokens if not token.is_comment]
