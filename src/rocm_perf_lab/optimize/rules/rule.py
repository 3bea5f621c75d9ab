"""What a rule sees, and what it answers: edits of one body, or why it cannot make any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Optional, Protocol, Union

from rocm_perf_lab.optimize.refusal import Location
from rocm_perf_lab.optimize.source.model import Kernel, Span, TranslationUnit

REASSOCIATE = "reassociate"  # another order of floating-point sums
LAUNCH_BOUNDS = "launch-bounds"  # the one change outside of a body, only when asked
UNSEEN = "unseen"  # code of a change that no trial of the oracle executed


@dataclass(frozen=True)
class Launch:
    """A launch of the kernel that was seen. A rule may choose by it, never rely on it: another
    launch may differ, so what only holds here has to be tested by the code that a rule writes."""

    grid: tuple[int, int, int]  # workgroups
    block: tuple[int, int, int]  # threads
    arguments: Mapping[str, Union[int, float]] = field(default_factory=dict)  # scalars by name


@dataclass(frozen=True)
class Bottleneck:
    """What limits the kernel, as ``explain`` names it, most important first."""

    labels: tuple[str, ...]
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Instance:
    """The one instance of a kernel template that the program has."""

    pattern: Kernel  # as written, where types that depend on a parameter are not known
    promise: str  # "__is_same(T, float)": what holds for it and for no other one


@dataclass(frozen=True)
class Situation:
    """All that a rule may look at."""

    unit: TranslationUnit
    kernel: Kernel
    launch: Optional[Launch] = None
    bottleneck: Bottleneck = Bottleneck(())
    allowed: frozenset[str] = frozenset()  # REASSOCIATE, LAUNCH_BOUNDS
    largest_block: Optional[int] = None  # threads, over all launches of it that were seen
    instance: Optional[Instance] = None  # whose types ``kernel`` has, where it is a template
    types_unknown: Optional[str] = None  # why they are not known

    @property
    def data(self) -> bytes:
        return self.unit.files[self.kernel.path].data


@dataclass(frozen=True)
class Edit:
    """These bytes of the kernel's file become ``text``. Edits of a change never overlap."""

    span: Span
    text: bytes


@dataclass(frozen=True)
class Change:
    edits: tuple[Edit, ...]
    title: str  # "unroll the loop at line 31 by 4"
    reason: str  # one sentence: why it should pay here
    launch_bounds: Optional[int] = None  # to promise besides; only if that is allowed
    relies_on: Optional[str] = None  # what is so for one instance of a template: to be asserted


@dataclass(frozen=True)
class CannotChange:
    """A place where a reader would expect the rule to act, and why it does not."""

    why: str
    location: Optional[Location] = None


class Rule(Protocol):
    """One transformation. Its file says when it is right, which has to follow from the source."""

    @property
    def name(self) -> str: ...

    @property
    def helps(self) -> tuple[str, ...]:
        """The bottleneck labels that it is tried first for; it is tried last for others."""
        ...

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]: ...
