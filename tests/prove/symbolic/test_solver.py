"""What the solver says follows from facts does so for every value that was tried."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_terms import Made, value_of

from rocm_perf_lab.prove.symbolic.solver import Solver
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

pytest.importorskip("z3")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_follows_holds(data: st.DataObject) -> None:
    """The numbers of a draw refute what does not follow."""
    made = Made(data)
    for _ in range(data.draw(st.integers(4, 14))):
        made.grow()
    (fact, holds), (goal, follows) = made.pick(1), made.pick(1)
    solver = Solver(made.build, 0.5)
    if solver.implies([fact], goal):
        assert not holds or follows, (fact, goal)
    if solver.contradicts([fact, goal]):
        assert not (holds and follows), (fact, goal)
    assert value_of(fact, made.values) == holds


@pytest.mark.parametrize("times", [1, 2, 5, 7])
def test_an_earlier_iteration_is_in_bounds_if_a_later_one_is(times: int) -> None:
    """The test of an unrolled loop: i + 7 * stride < n in 64 bits."""
    build = Builder()
    i, stride, n = (build.plain("symbol", "i32", data=name) for name in ("i", "stride", "n"))
    seven = build.mul(build.const("i64", 7), build.extended("zext", stride, "i64"))
    ahead = build.add(build.extended("sext", i, "i64"), seven)
    fact = build.compared("slt", ahead, build.extended("sext", n, "i64"))
    goal = build.compared("slt", build.add(i, build.mul(build.const("i32", times), stride)), n)
    solver = Solver(build, 10)
    assert solver.implies([fact], goal)
    beyond = build.compared("slt", build.add(i, build.mul(build.const("i32", 8), stride)), n)
    assert not solver.implies([fact], beyond)


def test_wrapping_is_not_forgotten() -> None:
    build = Builder()
    i, n = (build.plain("symbol", "i32", data=name) for name in "in")
    one = build.const("i32", 1)
    fact = build.compared("slt", build.add(i, one), n)
    goal = build.compared("slt", i, n)
    solver = Solver(build, 10)
    assert not solver.implies([fact], goal), "i may be the largest number"
    fits = build.plain("fits", "i1", (i, one), ("nsw", "add"))
    assert solver.implies([fact, fits], goal)


def test_a_budget_that_is_used_up_is_named() -> None:
    build = Builder()
    a, b = (build.plain("symbol", "i32", data=name) for name in "ab")
    solver = Solver(build, 0.0)
    assert not solver.implies([build.compared("ult", a, b)], build.compared("ule", a, b))
    assert solver.lacking is not None


def test_an_attempt_that_used_its_budget_up_leaves_the_next_one_its_own() -> None:
    build = Builder()
    a, b = (build.plain("symbol", "i64", data=name) for name in "ab")

    def below(number: int) -> Term:
        return build.compared("ult", a, build.const("i64", number))

    solver = Solver(build, 0.01)
    asked = 2
    while solver.lacking is None:
        solver.implies([below(asked), build.compared("ult", b, a)], below(asked + 1))
        asked += 1
        assert asked < 1000
    easy = [build.compared("ult", a, b)], build.compared("ule", a, b)
    assert not solver.implies(*easy)
    solver.begin()
    assert solver.implies(*easy), "an answer for lack of time is none for the next attempt"
    assert solver.lacking is None


def test_what_others_ask_in_this_process_is_not_charged() -> None:
    z3 = pytest.importorskip("z3")
    factors = z3.BitVecs("x y", 64)
    other = z3.Solver()
    other.set("rlimit", 200_000)
    other.add(factors[0] * factors[1] == 123456789123457, *(z3.ULT(f, 1 << 30) for f in factors))
    other.add(*(z3.UGT(f, 1) for f in factors))
    assert other.check() == z3.unknown  # it used its budget up
    build = Builder()
    a, b = (build.plain("symbol", "i32", data=name) for name in "ab")
    solver = Solver(build, 0.1)  # half of that
    for fact in ("ult", "ugt"):
        assert solver.implies([build.compared(fact, a, b)], build.negated(build.equal(a, b)))
    assert solver.lacking is None


def test_what_other_threads_compute_is_not_charged() -> None:
    build = Builder()
    a, b = (build.plain("symbol", "i32", data=name) for name in "ab")
    solver = Solver(build, 0.1)
    over = threading.Event()

    def busy() -> None:
        while not over.is_set():
            sum(range(1000))

    other = threading.Thread(target=busy)
    begin = time.process_time()
    other.start()
    while time.process_time() - begin < 0.4:  # more than the solver has
        time.sleep(0.02)
    over.set()
    other.join()
    assert solver.implies([build.compared("ult", a, b)], build.compared("ule", a, b))
    assert solver.lacking is None
