"""Names that nothing else in the file has."""

from __future__ import annotations

from collections.abc import Iterable

from rocm_perf_lab.optimize.source.model import TranslationUnit


class FreshNames:
    """Of one translation unit: a name that is given once is taken from then on."""

    def __init__(self, unit: TranslationUnit, also: Iterable[str] = ()) -> None:
        self._taken = {token.name for file in unit.files.values() for token in file.tokens}
        self._taken.update(word for k in unit.kernels for use in k.macros for word in use.words)
        self._taken.update(also)

    def new(self, wanted: str) -> str:
        """``wanted``, or with the first number behind it that makes it new."""
        name, number = wanted, 2
        while name in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        return name
