"""Small kernels in IR, made at random, and the same with one thing changed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

OPERATIONS = ("add", "sub", "mul", "and", "or", "xor", "add nsw")
PREDICATES = ("slt", "ult", "sle", "ule", "eq", "ne", "sgt", "ugt")
NAME = "kernel"


@dataclass(frozen=True)
class Step:
    """One operation on earlier values, which are named by number; or a load or a store."""

    op: str
    first: int
    second: int
    constant: int = 0  # in place of the second value where ``second`` is -1
    predicate: str = "slt"


@dataclass(frozen=True)
class Shape:
    front: tuple[Step, ...]
    body: tuple[Step, ...]
    behind: tuple[Step, ...]
    bound: int  # iterations at most, so that the tests end
    step: int
    loops: bool


def shape(random_: random.Random) -> Shape:
    def steps(count: int) -> tuple[Step, ...]:
        return tuple(_step(random_) for _ in range(random_.randrange(1, count)))

    return Shape(
        steps(4), steps(5), steps(4), random_.choice((3, 5, 8)), random_.choice((1, 1, 2)),
        random_.random() < 0.7,
    )  # fmt: skip


def _step(random_: random.Random) -> Step:
    kind = random_.random()
    if kind < 0.2:
        op = "load"
    elif kind < 0.45:
        op = "store"
    elif kind < 0.55:
        op = "select"
    else:
        op = random_.choice(OPERATIONS)
    second = random_.choice((-1, random_.randrange(8)))
    constant = random_.choice((0, 1, 2, 3, 4, 7, -1))
    return Step(op, random_.randrange(8), second, constant, random_.choice(PREDICATES))


def mutated(made: Shape, random_: random.Random) -> Shape:
    where = random_.choice(("front", "body", "behind", "step", "bound"))
    if where == "step":
        return replace(made, step=made.step + 1)
    if where == "bound":
        return replace(made, bound=made.bound + random_.choice((-1, 1)))
    steps = list(getattr(made, where))
    at = random_.randrange(len(steps))
    how = random_.randrange(5)
    if how == 0 and len(steps) > 1:
        del steps[at]
    elif how == 1:
        steps[at] = replace(steps[at], constant=steps[at].constant + 1, second=-1)
    elif how == 2:
        steps[at] = replace(steps[at], predicate=random_.choice(PREDICATES))
    elif how == 3:
        steps[at] = replace(steps[at], first=(steps[at].first + 1) % 8)
    else:
        steps.insert(random_.randrange(len(steps) + 1), steps[at])
    return replace(made, **{where: tuple(steps)})


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def address(self, pointer: str, index: str) -> str:
        small = self.add(f"and i32 {index}, 7")
        wide = self.add(f"zext i32 {small} to i64")
        return self.add(f"getelementptr i32, ptr addrspace(1) {pointer}, i64 {wide}")

    def steps(self, steps: tuple[Step, ...], values: list[str]) -> None:
        for one in steps:
            first = values[one.first % len(values)]
            second = str(one.constant) if one.second < 0 else values[one.second % len(values)]
            if one.op == "load":
                place = self.address("%a", first)
                values.append(self.add(f"load i32, ptr addrspace(1) {place}, align 4"))
            elif one.op == "store":
                place = self.address("%b", first)
                self.lines.append(f"  store i32 {second}, ptr addrspace(1) {place}, align 4")
            elif one.op == "select":
                holds = self.add(f"icmp {one.predicate} i32 {first}, {second}")
                values.append(self.add(f"select i1 {holds}, i32 {first}, i32 {second}"))
            else:
                values.append(self.add(f"{one.op} i32 {first}, {second}"))


def text(made: Shape, restrict: bool) -> str:
    how = "noalias noundef" if restrict else "noundef"
    writer = _Writer()
    writer.lines += [
        f"define amdgpu_kernel void @{NAME}(ptr addrspace(1) {how} %a, ptr addrspace(1) {how} %b, "
        "i32 noundef %n, i32 noundef %m) {",
        "entry:",
    ]
    values = ["%n", "%m"]
    writer.steps(made.front, values)
    if made.loops:
        _loop(writer, made, values)
    writer.steps(made.behind, values)
    last = writer.address("%b", values[0])
    writer.lines += [
        f"  store i32 {values[-1]}, ptr addrspace(1) {last}, align 4",
        "  ret void",
        "}",
    ]
    return "\n".join(writer.lines) + "\n"


def _loop(writer: _Writer, made: Shape, values: list[str]) -> None:
    start = values[-1]
    limit = writer.add(f"and i32 %n, {made.bound}")
    writer.lines += [
        "  br label %head",
        "head:",
        "  %i = phi i32 [ 0, %entry ], [ %next, %body ]",
        f"  %s = phi i32 [ {start}, %entry ], [ %carried, %body ]",
        f"  %on = icmp slt i32 %i, {limit}",
        "  br i1 %on, label %body, label %out",
        "body:",
    ]
    inner = [*values, "%i", "%s"]
    writer.steps(made.body, inner)
    writer.lines += [
        f"  %carried = add i32 {inner[-1]}, %s",
        f"  %next = add nsw i32 %i, {made.step}",
        "  br label %head",
        "out:",
    ]
    values.append("%s")
