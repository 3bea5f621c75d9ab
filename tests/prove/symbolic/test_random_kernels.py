"""Kernels made at random: each is proven to be itself, nothing is proven that numbers refute."""

from __future__ import annotations

import random

import pytest
from interpreter import Undefined, run
from random_kernels import NAME, mutated, shape, text

from rocm_perf_lab.prove.symbolic import prove_equal
from rocm_perf_lab.prove.symbolic.ir.parse import parse_module

_A, _B = 0x1000, 0x2000
_INPUTS = ((0, 0), (1, 2), (5, 3), (7, -1), (8, 9), (0x7FFFFFFF, 1), (-5, 12), (100, 7))


def differ(before: str, after: str, restrict: bool, random_: random.Random) -> bool:
    """Whether any input that has a meaning for the first leaves other memory with the second."""
    functions = [parse_module(code, NAME).functions[f"@{NAME}"] for code in (before, after)]
    layouts = [(_A, _B)] if restrict else [(_A, _B), (_A, _A), (_A, _A + 8)]
    for n, m in _INPUTS:
        for a, b in layouts:
            memory = {
                base + 4 * i: random_.randrange(1 << 32) for base in (_A, _B) for i in range(16)
            }
            arguments = [a, b, n % (1 << 32), m % (1 << 32)]
            try:
                wanted = run(functions[0], arguments, memory)
            except Undefined:
                continue
            try:
                if run(functions[1], arguments, memory) != wanted:
                    return True
            except Undefined:
                return True
    return False


@pytest.mark.parametrize("seed", range(40))
def test_a_kernel_is_itself_under_other_names(seed: int) -> None:
    pytest.importorskip("z3")
    random_ = random.Random(seed)
    code = text(shape(random_), restrict=bool(seed % 2))
    report = prove_equal(code, code.replace("%v", "%other"), NAME)
    assert report.proven, (report.reason, code)


def _check_mutation(seed: int) -> tuple[bool, bool]:
    random_ = random.Random(seed)
    made = shape(random_)
    other = mutated(made, random_)
    restrict = bool(seed % 2)
    before, after = text(made, restrict), text(other, restrict)
    different = differ(before, after, restrict, random_)
    proven = prove_equal(before, after, NAME, solver_seconds=2.0).proven
    assert not (proven and different), (before, after)
    return proven, different


def test_no_mutation_that_numbers_refute_is_proven() -> None:
    found = [_check_mutation(1000 + seed) for seed in range(80)]
    assert sum(different for _, different in found) > 20, "the mutations hardly change anything"
    assert any(proven for proven, _ in found), "harmless mutations exist among them"


@pytest.mark.weekly
@pytest.mark.timeout(1800)
def test_no_mutation_of_many_is_proven() -> None:
    for seed in range(3000):
        _check_mutation(100_000 + seed)
