"""One knob with the values it can take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.errors import UsageError

Value = Union[bool, int, float, str]
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Parameter:
    """``values`` in the order of the file; the first one is the default unless one is stated."""

    name: str
    values: tuple[Value, ...]
    stated: Optional[Value] = None

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise UsageError(
                f"'{self.name}' is not a name for a parameter", "use letters, digits, _"
            )
        if not self.values:
            raise UsageError(f"parameter {self.name} has no values", "give it at least one")
        if len(set(map(_exact, self.values))) < len(self.values):
            raise UsageError(f"parameter {self.name} has a value twice", "leave one of them out")
        self.code_of(self.default)

    @property
    def default(self) -> Value:
        return self.values[0] if self.stated is None else self.stated

    @cached_property
    def column(self) -> Array:
        """The values as an array; mixed types stay what they are."""
        if self.is_numeric:
            return np.array(self.values)
        found = np.empty(len(self.values), dtype=object)
        found[:] = self.values
        return found

    @cached_property
    def is_numeric(self) -> bool:
        return all(isinstance(value, (int, float)) for value in self.values)

    @cached_property
    def _codes(self) -> dict[tuple[type, Value], int]:
        return {_exact(value): code for code, value in enumerate(self.values)}

    def code_of(self, value: Value) -> int:
        try:
            return self._codes[_exact(value)]
        except KeyError:
            raise UsageError(
                f"parameter {self.name} cannot be {value!r}",
                f"its values are {', '.join(map(repr, self.values[:8]))}",
            ) from None


def _exact(value: Value) -> tuple[type, Value]:
    """True and 1 are equal for Python, and different on a command line; 1 and 1.0 too."""
    return type(value), value
