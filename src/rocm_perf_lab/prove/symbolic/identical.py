"""Kernels whose IR is the same, line by line: hints and launch bounds change nothing in it."""

from __future__ import annotations

import re
from dataclasses import replace

from rocm_perf_lab.prove.symbolic.ir.model import Block, Function, Instruction, Module

_GLOBAL = re.compile(r"Global\(name='([^']+)'\)")


def is_identical(modules: list[Module], before: Function, after: Function) -> bool:
    """Also what it refers to: variables by their definitions, library functions by their code."""
    if before.parameters != after.parameters or before.entry != after.entry:
        return False
    code = [_without_lines(function) for function in (before, after)]
    if code[0] != code[1]:
        return False
    one, other = modules
    variables = _GLOBAL.findall(repr(code[0]))
    same_variables = all(one.globals.get(name) == other.globals.get(name) for name in variables)
    called = library_calls(before)
    return same_variables and all(one.library.get(n) == other.library.get(n) for n in called)


def library_calls(function: Function) -> set[str]:
    return {one.detail for one in instructions(function) if one.detail.startswith("__ocml_")}


def instructions(function: Function) -> list[Instruction]:
    return [one for block in function.blocks.values() for one in block.body]


def _without_lines(function: Function) -> list[Block]:
    return [
        Block(
            block.name,
            tuple(replace(one, line=None) for one in block.phis),
            tuple(replace(one, line=None) for one in block.body),
            replace(block.end, line=None),
        )
        for block in function.blocks.values()
    ]
