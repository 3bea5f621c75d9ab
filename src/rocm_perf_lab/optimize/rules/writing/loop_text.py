"""Writing other statements in place of a loop that counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, for_parts
from rocm_perf_lab.optimize.rules.reading.syntax import parents, statement_span
from rocm_perf_lab.optimize.rules.rule import Edit, Situation
from rocm_perf_lab.optimize.rules.writing.copies import replaced
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indentation, indented
from rocm_perf_lab.optimize.source.model import LOOPS, Node, Span


def loop_span(situation: Situation, loop: CountedLoop) -> Span:
    """With the semicolon of a body without braces."""
    return statement_span(loop.node, situation.unit.files[situation.kernel.path].tokens)


def has_hint(situation: Situation, loop: CountedLoop) -> bool:
    """A pragma stands in front of it."""
    return parents(situation.kernel.tree)[id(loop.node)].kind == "UnexposedStmt"


def first_line(situation: Situation, loop: CountedLoop) -> list[bytes]:
    """What the header does first, as a statement in front of the loop."""
    init = loop.parts.init
    return [init.span.of(situation.data).rstrip(b"; ") + b";"] if init is not None else []


def going_on(
    situation: Situation,
    loop: CountedLoop,
    indent: bytes,
    changes: Optional[Mapping[Span, bytes]] = None,
) -> bytes:
    """The loop from where its variable stands, at ``indent``."""
    data, init = situation.data, loop.parts.init
    at = loop.parts.header.start
    if init is not None:
        at = init.span.end - (1 if init.kind == "DeclStmt" else 0)
    tail = Span(data.index(b";", at), loop_span(situation, loop).end)
    text = replaced(data, tail, changes or {})
    return b"for (" + indented(text, indentation(data, loop.node.span.start), indent)


def indent_of_lines(situation: Situation, loop: CountedLoop, moves_variable: bool = True) -> bytes:
    """Where the lines of ``in_place_of`` will stand."""
    outer = indentation(situation.data, loop.node.span.start)
    step = indent_step(situation.data, situation.kernel)
    return outer + step if _needs_block(situation, loop, moves_variable) else outer


def in_place_of(
    situation: Situation, loop: CountedLoop, lines: Sequence[bytes], moves_variable: bool = True
) -> Edit:
    """The lines instead of the loop, as a block where one statement has to stand or where the name
    of the variable, declared outside of the loop, would hide or meet another one."""
    indent = indent_of_lines(situation, loop, moves_variable)
    text = (b"\n" + indent).join(lines)
    if _needs_block(situation, loop, moves_variable):
        outer = indentation(situation.data, loop.node.span.start)
        text = b"{\n" + indent + text + b"\n" + outer + b"}"
    return Edit(loop_span(situation, loop), text)


def _needs_block(situation: Situation, loop: CountedLoop, moves_variable: bool) -> bool:
    if parents(situation.kernel.tree)[id(loop.node)].kind != "CompoundStmt":
        return True
    tokens, span = situation.unit.files[situation.kernel.path].tokens, loop_span(situation, loop)
    return (
        moves_variable
        and loop.declared_here
        and any(
            token.name == loop.variable
            for token in tokens
            if token.span.start in situation.kernel.span and token.span.start not in span
        )
    )


def goes_on(situation: Situation, node: Node) -> bool:
    """It shares its counter with a loop beside it: one of them does rounds, the other the rest."""
    siblings = parents(situation.kernel.tree)[id(node)].children
    place = next(number for number, child in enumerate(siblings) if child is node)
    beside = [*siblings[max(0, place - 1) : place], *siblings[place + 1 : place + 2]]
    return _starts_nowhere(situation, node) and any(
        _starts_nowhere(situation, inner)
        for other in beside
        for inner in (other, *(other.children[-1].children[-1:] if _is_guarded(other) else ()))
    )


def _starts_nowhere(situation: Situation, node: Node) -> bool:
    parts = for_parts(node, situation.unit.files[situation.kernel.path].tokens)
    return parts is not None and parts.init is None


def _is_guarded(node: Node) -> bool:
    return node.kind == "IfStmt" and len(node.children) == 2


def leaves_early(body: Node) -> bool:
    """``break`` or ``continue`` of this loop, or a jump."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.kind in ("BreakStmt", "ContinueStmt", "GotoStmt", "LabelStmt"):
            return True
        waiting.extend(child for child in node.children if child.kind not in LOOPS)
    return False
