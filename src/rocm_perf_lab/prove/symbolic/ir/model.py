"""A kernel as IR has it: blocks of instructions in SSA form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional, Union

from rocm_perf_lab.prove.symbolic.ir.types import Type


@dataclass(frozen=True)
class Local:
    """``%name``"""

    name: str


@dataclass(frozen=True)
class Global:
    """``@name``"""

    name: str


@dataclass(frozen=True)
class Literal:
    """A constant as it is written: ``7``, ``true``, ``0x3FF0000000000000``, ``null``, ``poison``"""

    text: str


@dataclass(frozen=True)
class Composite:
    """A vector, array or struct of constants."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True)
class ConstantExpression:
    """``getelementptr (...)`` or a cast of a constant."""

    op: str
    flags: tuple[str, ...]
    operands: tuple[Operand, ...]
    kind: Type  # what is indexed, or the target of a cast


@dataclass(frozen=True)
class Operand:
    kind: Type
    value: Union[Local, Global, Literal, Composite, ConstantExpression]


@dataclass(frozen=True)
class Instruction:
    """``detail`` is what an operation has beside operands: a comparison, a callee, a type."""

    op: str
    result: Optional[str]
    kind: Type  # of the result
    operands: tuple[Operand, ...]
    flags: tuple[str, ...] = ()
    detail: str = ""
    indexed: Optional[Type] = None  # of getelementptr and alloca
    labels: tuple[str, ...] = ()  # targets of a branch, sources of a phi
    align: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)  # "tbaa": what it says, "range", ...
    line: Optional[int] = None


@dataclass(frozen=True)
class Block:
    name: str
    phis: tuple[Instruction, ...]
    body: tuple[Instruction, ...]
    end: Instruction


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: Type
    attributes: frozenset[str]


@dataclass(frozen=True)
class GlobalVariable:
    name: str
    space: int
    kind: Type
    text: str  # its definition: two versions have the same variable only if that is the same


@dataclass(frozen=True)
class Function:
    name: str
    parameters: tuple[Parameter, ...]
    blocks: Mapping[str, Block]
    entry: str
    attributes: Mapping[str, str]  # of the function: "amdgpu-flat-work-group-size": "1,1024"
    line: Optional[int] = None


@dataclass(frozen=True)
class Module:
    functions: Mapping[str, Function]
    globals: Mapping[str, GlobalVariable]
    pure: frozenset[str]  # intrinsics without memory of their own, and they return
    library: Mapping[str, str]  # what functions of the device library consist of
