"""Quotient and remainder of a counter advance by fixed amounts instead of being divided again.

``i / width`` and ``i % width`` with a width that only the launch knows are some twenty instructions
each. A counter that moves by a fixed step moves them by a fixed amount, with at most one carry.
That holds for a counter from zero upwards and a width above zero, which the code asks for; the
original loop stands in for the rest. A width that the compiler knows is left to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import COMPUTE, LATENCY
from rocm_perf_lab.optimize.rules.loops.unroll import lanes_meet
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.syntax import stripped, variable_named
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.writing.copies import has_directive
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indentation
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.writing.loop_text import (
    first_line,
    goes_on,
    going_on,
    has_hint,
    in_place_of,
    indent_of_lines,
    leaves_early,
    loop_span,
)
from rocm_perf_lab.optimize.rules.writing.rounds import step_type
from rocm_perf_lab.optimize.source.model import Node, Span

_TYPES = frozenset({"int", "unsigned int"})


class StrengthReduction:
    name = "strength-reduction"
    helps = (COMPUTE, LATENCY)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange) or goes_on(situation, node):
                continue
            for width, divisions in _by_width(loop).items():
                why = _why_not(situation, loop, width)
                if why is not None:
                    yield cannot(situation, divisions[0], why)
                else:
                    yield _change(situation, loop, width, divisions)


def _by_width(loop: CountedLoop) -> dict[str, list[Node]]:
    """Divisions of the counter by a variable of the kernel."""
    found: dict[str, list[Node]] = {}
    for node in loop.body.walk():
        if node.kind != "BinaryOperator" or node.operator not in ("/", "%") or node.in_macro:
            continue
        left, right = (stripped(child) for child in node.children)
        name = variable_named(right)
        known = right.referent is None or right.referent.at_namespace_scope
        if variable_named(left) == loop.variable and name is not None and not known:
            found.setdefault(name, []).append(node)
    return found


def _why_not(situation: Situation, loop: CountedLoop, width: str) -> Optional[str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    types = {
        stripped(node).type.replace("const ", "")
        for node in loop.body.walk()
        if node.kind == "DeclRefExpr" and node.name == width
    }
    meets = lanes_meet(situation, loop)
    if width in loop.inside.writes:
        return f"{width} is changed in the loop"
    if types != {loop.type} or loop.type not in _TYPES:
        return f"{loop.variable} and {width} are not of one type of 32 bits"
    if not loop.counts_up or loop.comparison not in ("<", "<="):
        return f"{loop.variable} does not count up to a bound"
    if loop.step is None and step_type(loop) not in ("int", "unsigned int"):
        return "the type of the step is not clear"
    if leaves_early(loop.body):
        return "break or continue leaves an iteration before its end"
    if meets is not None:
        return meets
    if has_hint(situation, loop) or has_directive(loop.node.span, tokens):
        return "there are preprocessor lines in or before the loop"
    return None


def _change(situation: Situation, loop: CountedLoop, width: str, divisions: list[Node]) -> Change:
    names, variable = FreshNames(situation.unit), loop.variable
    step = "1" if loop.step_node is None else loop.step_node.span.of(situation.data).decode()
    amount = step if loop.step_node is None or _is_simple(loop.step_node) else f"({step})"
    deeper = indent_step(situation.data, situation.kernel).decode()
    changes, steps, starts, after = {}, [], [], []
    words = {"/": names.new("quotient"), "%": names.new("remainder")}
    for operator in ("/", "%"):
        divided = [node.span for node in divisions if node.operator == operator]
        if divided or operator == "%":
            name, change = words[operator], names.new(f"{words[operator]}_step")
            steps.append(f"{deeper}const {loop.type} {change} = {amount} {operator} {width};")
            starts.append(f"{deeper}{loop.type} {name} = {variable} {operator} {width};")
            after.append(f"{name} += {change};")
            changes.update(dict.fromkeys(divided, name.encode()))
    has_quotient = len(steps) == 2
    carry = [f"{deeper}++{words['/']};"] if has_quotient else []
    remainder = words["%"]
    after += [f"if ({remainder} >= {width}) {{", f"{deeper}{remainder} -= {width};", *carry, "}"]
    indent = indent_of_lines(situation, loop)
    condition = loop.parts.condition.span if loop.parts.condition else Span(0, 0)
    asked = [condition.of(situation.data).decode(), *_asked(loop, width, amount)]
    what = " and ".join(f"{variable} {op} {width}" for op in ("/%" if has_quotient else "%"))
    lines = [
        f"// {what} {'go' if has_quotient else 'goes'} on by a fixed amount.".encode(),
        *first_line(situation, loop),
        f"if ({' && '.join(asked)}) {{".encode(),
        *(text.encode() for text in (*steps, *starts)),
        *_with_steps(situation, loop, changes, after, indent + deeper.encode()),
        b"}",
        going_on(situation, loop, indent),
    ]
    line = line_of(situation, divisions[0])
    return Change(
        (in_place_of(situation, loop, lines),),
        f"replace the division by {width} at line {line} by additions",
        "a division by a value of the launch takes some twenty instructions in every iteration",
    )


def _is_simple(node: Node) -> bool:
    return stripped(node).kind in ("DeclRefExpr", "IntegerLiteral", "MemberRefExpr")


def _asked(loop: CountedLoop, width: str, amount: str) -> list[str]:
    """What the additions need: nothing negative, and no carry beyond 32 bits."""
    asked = [f"{width} > 0", f"{width} <= 1 << 30"]
    if loop.type == "int":
        asked.insert(0, f"{loop.variable} >= 0")
        if loop.step is None and step_type(loop) == "int":
            asked.append(f"{amount} > 0")
    return asked


def _with_steps(
    situation: Situation,
    loop: CountedLoop,
    changes: dict[Span, bytes],
    after: list[str],
    indent: bytes,
) -> Iterator[bytes]:
    """The loop with more lines at the end of its body."""
    data, deeper = situation.data, indent_step(situation.data, situation.kernel)
    before = indentation(data, loop.node.span.start)  # ``going_on`` moves all to ``indent``
    lines = b"".join(b"\n" + before + deeper + line.encode() for line in after)
    end = loop_span(situation, loop).end
    if loop.body.kind == "CompoundStmt":
        start = end - 1
        while data[start - 1 : start].isspace():
            start -= 1
        changes = {**changes, Span(start, end - 1): lines + b"\n" + before}
        yield deeper + going_on(situation, loop, indent, changes)
    else:
        head = Span(loop.parts.header.end, loop.body.span.start)
        changes = {**changes, head: b" {\n" + before + deeper}
        tail = lines.replace(b"\n" + before, b"\n" + indent) + b"\n" + indent + b"}"
        yield deeper + going_on(situation, loop, indent, changes) + tail
