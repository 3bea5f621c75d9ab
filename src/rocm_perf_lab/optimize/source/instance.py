"""A kernel template with its parameters filled in, as clang reads it then.

libclang shows a template as it is written: types that depend on a parameter are no types yet. So
the definition is read a second time, behind itself and in a namespace of its own that says what its
parameters stand for. Nothing of the file moves, and each place of the copy has its place in the
template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Optional, Union

from rocm_perf_lab.optimize.source.model import (
    Kernel,
    Node,
    Parameter,
    Referent,
    Span,
    Token,
    TranslationUnit,
)

_NAMESPACE = "rocm_perf_instance"
Parse = Callable[[Mapping[str, bytes]], TranslationUnit]


def read_instance(
    unit: TranslationUnit, kernel: Kernel, arguments: Sequence[str], parse: Parse
) -> Union[Kernel, str]:
    """The kernel with the types of this instance, its places those of the template; or why not."""
    file = unit.files[kernel.path]
    start = _behind_header(kernel, file.tokens)
    if start is None:
        return "its template header is not understood"
    declared = _declared(kernel, arguments)
    if declared is None:
        return "its template parameters and arguments do not fit together"
    place = kernel.span.end
    opening = f" namespace {_NAMESPACE} {{ {declared} ".encode()
    copy = opening + file.data[start:place] + b" }"
    text = file.data[:place] + copy + file.data[place:]
    read = parse({kernel.path: text})
    span = Span(place, place + len(copy))
    wrong = [e for e in read.errors if e.path == kernel.path and e.offset in span]
    if wrong:
        return wrong[0].text
    found = [k for k in read.kernels if k.path == kernel.path and k.span.start in span]
    if len(found) != 1:
        return "it is no kernel with these parameters"
    return _moved(kernel, found[0], place + len(opening) - start)


def promise(kernel: Kernel, arguments: Sequence[str]) -> str:
    """What is true for this instance alone, as an expression that the compiler can check."""
    terms = []
    for parameter, value in zip(kernel.template_parameters, arguments):
        if parameter.name:
            is_type = parameter.kind == "TemplateTypeParameter"
            same = f"__is_same({parameter.name}, {value})"
            terms.append(same if is_type else f"{parameter.name} == {value}")
    return " && ".join(terms)


def described(kernel: Kernel, arguments: Sequence[str]) -> str:
    pairs = zip(kernel.template_parameters, arguments)
    return ", ".join(f"{parameter.name} = {value}" for parameter, value in pairs if parameter.name)


def _declared(kernel: Kernel, arguments: Sequence[str]) -> Optional[str]:
    if len(kernel.template_parameters) != len(arguments):
        return None
    lines = []
    for parameter, value in zip(kernel.template_parameters, arguments):
        if not parameter.name:
            continue
        if parameter.kind == "TemplateTypeParameter":
            lines.append(f"using {parameter.name} = {value};")
        elif parameter.kind == "NonTypeTemplateParameter" and "(" not in parameter.type:
            lines.append(f"constexpr {parameter.type} {parameter.name} = {value};")
        else:
            return None
    return " ".join(lines)


def _behind_header(kernel: Kernel, tokens: Sequence[Token]) -> Optional[int]:
    """Where the declaration goes on behind ``template <...>``; None for packs and the like."""
    words = [t for t in tokens if t.span.start in kernel.span and not t.is_comment]
    if len(words) < 2 or words[0].name != "template" or words[1].text != b"<":
        return None
    angles = brackets = 0
    for token in words[1:]:
        if token.text == b"..." or token.span.start >= kernel.body.start:
            return None
        brackets += (token.text in (b"(", b"{", b"[")) - (token.text in (b")", b"}", b"]"))
        if brackets == 0:
            angles += {b"<": 1, b">": -1, b">>": -2}.get(token.text, 0)
            if angles == 0:
                return token.span.end
    return None


def _moved(pattern: Kernel, copy: Kernel, shift: int) -> Kernel:
    def back(span: Span) -> Span:
        return Span(span.start - shift, span.end - shift)

    parameters = tuple(
        Parameter(p.name, p.type, p.canonical_type, back(p.span)) for p in copy.parameters
    )
    return replace(pattern, parameters=parameters, tree=_moved_tree(copy.tree, back))


def _moved_tree(root: Node, back: Callable[[Span], Span]) -> Node:
    """Without recursion: trees can be deep."""
    done: list[list[Node]] = [[]]
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, complete = waiting.pop()
        if complete:
            children = tuple(done.pop())
            done[-1].append(
                replace(
                    node,
                    span=back(node.span),
                    type=node.type.replace(f"{_NAMESPACE}::", ""),
                    referent=_own_name(node.referent),
                    children=children,
                )
            )
            continue
        done.append([])
        waiting.append((node, True))
        waiting.extend((child, False) for child in reversed(node.children))
    return done[0][0]


def _own_name(referent: Optional[Referent]) -> Optional[Referent]:
    """A parameter is called as in the template, without any namespace."""
    if referent is None or f"{_NAMESPACE}::" not in referent.name:
        return referent
    return replace(referent, name=referent.name.rpartition(f"{_NAMESPACE}::")[2])
