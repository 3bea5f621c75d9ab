"""Which instances of a kernel template a program has, and the one it is read as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from rocm_perf_lab.codeobject import read_code_objects
from rocm_perf_lab.errors import CodeObjectError
from rocm_perf_lab.optimize.rules.rule import Instance
from rocm_perf_lab.optimize.source.instance import described, promise, read_instance
from rocm_perf_lab.optimize.source.kernel_names import template_arguments
from rocm_perf_lab.optimize.source.model import Kernel, TranslationUnit


@dataclass(frozen=True)
class Typed:
    """A kernel, with the types of its only instance if it is a template that has one."""

    kernel: Kernel
    instance: Optional[Instance] = None
    unknown: Optional[str] = None  # why types that depend on a parameter are not known


def typed(
    unit: TranslationUnit,
    kernel: Kernel,
    demangled: str,
    instances: int,
    parse: Callable[[Mapping[str, bytes]], TranslationUnit],
) -> Typed:
    if not kernel.is_template:
        return Typed(kernel)
    if instances != 1:
        many = f"the program has {instances} instances of this template"
        none = "which instances of this template the program has is not known"
        why = f"{many if instances else none}: rules see no types"
        return Typed(kernel, unknown=why)
    arguments = template_arguments(demangled)
    read: Union[Kernel, str] = read_instance(unit, kernel, arguments, parse)
    if isinstance(read, str):
        named = described(kernel, arguments)
        return Typed(kernel, unknown=f"the template cannot be read with {named}: {read}")
    return Typed(read, Instance(kernel, promise(kernel, arguments)))


def instances_of(program: Path, symbol: str, name: str) -> int:
    """In all code of the program, launched or not: symbols that begin as this one does, up to its
    template arguments. 0 where that cannot be told, as with code that is loaded from elsewhere."""
    plain = symbol.partition(".kd")[0]
    word = f"{len(name)}{name}I"
    if word not in plain:
        return 0
    beginning = plain[: plain.index(word) + len(word)]
    try:
        codes = read_code_objects(program)
    except CodeObjectError:
        return 0
    names = {k.name for code in codes for k in code.kernels}
    return sum(one.startswith(beginning) for one in names)
