"""Several iterations of a loop written one after the other, as one round of another loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop
from rocm_perf_lab.optimize.rules.reading.purity import root_of
from rocm_perf_lab.optimize.rules.reading.syntax import stripped
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.rules.writing.copies import replaced, uses_of, without_comments
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indentation, indented
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.writing.loop_text import indent_of_lines, loop_span
from rocm_perf_lab.optimize.source.model import Node, Span

Groups = Sequence[Sequence[Node]]  # expressions; those of a group are written in the same words


def step_type(loop: CountedLoop) -> Optional[str]:
    if loop.step_node is None:
        return None
    inner = stripped(loop.step_node)
    if inner.type == "<pseudo-object type>":
        return "unsigned int"
    plain = inner.type[len("const ") :] if inner.type.startswith("const ") else inner.type
    return plain if plain in ("int", "unsigned int", "long", "unsigned long") else None


@dataclass(frozen=True)
class Step:
    """How the variable moves: ``i + 2 * stride``."""

    sign: str
    amount: Optional[int]
    name: str  # of the step when it is not a literal

    def after(self, count: int, is_64_bit: bool = True) -> str:
        """``is_64_bit`` False: the sum has to be, because it may lie beyond what 32 bits hold."""
        wide = "" if is_64_bit else "LL"
        if self.amount is not None:
            return f"{self.sign} {count * self.amount}{wide}"
        if count == 1 and is_64_bit:
            return f"{self.sign} {self.name}"
        return f"{self.sign} {count}{wide} * {self.name}"


def named_step(
    situation: Situation, loop: CountedLoop, names: FreshNames
) -> tuple[Step, list[bytes]]:
    sign = "+" if loop.counts_up else "-"
    if loop.step is not None:
        return Step(sign, abs(loop.step), ""), []
    assert loop.step_node is not None
    inner = stripped(loop.step_node)
    written = loop.step_node.span.of(situation.data).decode()
    if inner.kind in ("DeclRefExpr", "MemberRefExpr"):
        return Step(sign, None, written), []
    name = names.new("stride")
    return Step(sign, None, name), [f"const {step_type(loop)} {name} = {written};".encode()]


def round_lines(
    situation: Situation,
    loop: CountedLoop,
    factor: int,
    step: Step,
    names: FreshNames,
    guard: str = "",
    early: Groups = (),
) -> list[bytes]:
    """The loop of the rounds, without the indentation of its place. It is only entered when
    ``guard`` holds; the expressions of ``early`` are read before anything else of a round."""
    variable, deeper = loop.variable, indent_step(situation.data, situation.kernel)
    indent = indent_of_lines(situation, loop)
    ahead = step.after(factor - 1, loop.type not in ("int", "unsigned int"))
    bound = loop.bound.span.of(situation.data).decode()
    tokens = situation.unit.files[situation.kernel.path].tokens
    uses = uses_of(variable, loop.body, tokens) or []
    counters = [variable]
    if uses:
        counters += [names.new(f"{variable}{number}") for number in range(1, factor)]
    else:
        counters *= factor
    changes = [dict.fromkeys(uses, counter.encode()) for counter in counters]
    declared = []
    if uses:
        values = [f"{name} = {variable} {step.after(n)}" for n, name in enumerate(counters) if n]
        head = f"const {_type_written(situation, loop)} "
        declared = _wrapped(head, values, len(indent + deeper))
    declared += _read_first(situation, early, changes, names, len(indent + deeper))
    lines = [
        f"for (; {guard}{variable} {ahead} {loop.comparison} {bound}; "
        f"{variable} {step.sign}= {step.after(factor)[2:]}) {{".encode(),
        *(deeper + line for line in declared),
    ]
    for number, changed in enumerate(changes):
        if number:
            changed.update(without_comments(situation.data, loop.body.span, tokens))
        lines += _copy(situation, loop, changed, indent)
    return [*lines, b"}"]


def _read_first(
    situation: Situation,
    early: Groups,
    changes: Sequence[dict[Span, bytes]],
    names: FreshNames,
    depth: int,
) -> list[bytes]:
    """Declarations of what is read first; ``changes`` then name them."""
    lines = []
    for group in early:
        root = root_of(group[0]) or "value"
        values = []
        for number, changed in enumerate(changes):
            name = names.new(f"{root}{number}")
            text = replaced(situation.data, group[0].span, changed).decode()
            values.append(f"{name} = {' '.join(text.split())}")
            changed.update(dict.fromkeys([node.span for node in group], name.encode()))
        head = f"const {group[0].type.replace('const ', '')} "
        lines += _wrapped(head, values, depth)
    return lines


def _type_written(situation: Situation, loop: CountedLoop) -> str:
    """As in the declaration: a reader expects size_t where it stands."""
    init = loop.parts.init
    if loop.declared_here and init is not None:
        tokens = situation.unit.files[situation.kernel.path].tokens
        inside = [t for t in tokens if t.span.start in init.span and not t.is_comment]
        before = [t.name for t in inside[: [t.name for t in inside].index(loop.variable)]]
        if all(before) and "auto" not in before:
            return " ".join(before)
    return loop.type


def _wrapped(head: str, values: list[str], depth: int) -> list[bytes]:
    """One declaration, broken where it would be longer than a line of 100 columns."""
    lines = [head]
    for number, value in enumerate(values):
        piece = value + (", " if number + 1 < len(values) else ";")
        if number and depth + len(lines[-1]) + len(piece) > 100:
            lines.append(" " * len(head))
        lines[-1] += piece
    return [line.rstrip().encode() for line in lines]


def _copy(
    situation: Situation, loop: CountedLoop, changes: dict[Span, bytes], indent: bytes
) -> list[bytes]:
    data, deeper = situation.data, indent_step(situation.data, situation.kernel)
    body = loop.body
    if body.kind != "CompoundStmt":
        span = Span(body.span.start, loop_span(situation, loop).end)
        text = replaced(data, span, changes)
        return [deeper + indented(text, indentation(data, body.span.start), indent + deeper)]
    text = replaced(data, Span(body.span.start + 1, body.span.end - 1), changes).strip()
    has_names = any(child.kind == "DeclStmt" for child in body.children)
    depth = deeper * 2 if has_names else deeper
    first = body.children[0].span.start
    inner = indented(text, indentation(data, first), indent + depth)
    if has_names:
        return [deeper + b"{", depth + inner, deeper + b"}"]
    return [deeper + inner]
