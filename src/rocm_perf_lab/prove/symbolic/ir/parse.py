"""Reading a module: the kernel that is asked for, and what it refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rocm_perf_lab.prove.symbolic.ir.instructions import read_instruction
from rocm_perf_lab.prove.symbolic.ir.metadata import Metadata
from rocm_perf_lab.prove.symbolic.ir.model import (
    Block,
    Function,
    GlobalVariable,
    Instruction,
    Module,
    Parameter,
)
from rocm_perf_lab.prove.symbolic.ir.tokens import Tokens
from rocm_perf_lab.prove.symbolic.ir.types import Type
from rocm_perf_lab.prove.symbolic.reasons import NotProven

_HEAD = re.compile(r'^(define|declare)\b.*?(@[-\w.$]+|@"[^"]+")\(')
_LABEL = re.compile(r'^([-\w.$]+|"[^"]+"):')
_GLOBAL = re.compile(r"^(@[^ ]+) = (.*?)\b(global|constant) (.*)$")
_GROUP = re.compile(r"^attributes (#\d+) = \{ (.*) \}$")
_STRUCT = re.compile(r'^(%(?:"[^"]*"|[^ ]+)) = type (.*)$')
_NO_CODE = re.compile(
    r";|#dbg_|(?:tail )?call void @llvm\.(?:dbg\.|experimental\.noalias\.scope\.)"
)
_NUMBERED = re.compile(r",? ?![\w.]+ !\d+| ?#\d+")  # names that another module numbers otherwise
_LIBRARY = "@__ocml_"
_PURE_WORDS = ("memory(none)", "willreturn")
_ENDS = frozenset({"br", "switch", "ret", "unreachable"})


@dataclass
class _Lines:
    """The lines of a module, sorted by what they define."""

    groups: dict[str, str] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, list[str]] = field(default_factory=dict)
    globals: list[str] = field(default_factory=list)
    structs: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)


def parse_module(text: str, kernel: str) -> Module:
    """Only the kernel's body is read: what lies in other functions must not matter."""
    lines = _sorted(text)
    structs = _structs(lines.structs)
    metadata = Metadata(lines.metadata)
    name = kernel_symbol(lines.heads, kernel)
    function = _function(lines, name, structs, metadata)
    pure = frozenset(
        callee[1:]
        for callee, head in lines.heads.items()
        if callee.startswith("@llvm.")
        and all(word in _attributes_text(lines, head) for word in _PURE_WORDS)
        and "convergent" not in _attributes_text(lines, head)
    )
    library = {
        callee[1:]: _NUMBERED.sub("", "\n".join(body))
        for callee, body in lines.bodies.items()
        if callee.startswith(_LIBRARY)
    }
    return Module({name: function}, _globals(lines, structs), pure, library)


def kernel_symbol(heads: Mapping[str, str], kernel: str) -> str:
    """The symbol of a kernel by its symbol or its plain name."""
    kernels = [n for n, head in heads.items() if " amdgpu_kernel " in head.split("@")[0] + " "]
    if f"@{kernel}" in kernels:
        return f"@{kernel}"
    mangled = re.compile(rf"@_Z(?:N.*?)?{len(kernel)}{re.escape(kernel)}(?![a-z_])")
    found = [name for name in kernels if mangled.match(name)]
    if len(found) != 1:
        what = "is not there" if not found else "has several instances"
        raise NotProven(f"the kernel {kernel} {what} in the compiler's IR")
    return found[0]


def _sorted(text: str) -> _Lines:
    found = _Lines()
    current: list[str] = []
    inside = False
    for line in text.splitlines():
        if inside:
            inside = line != "}"
            current.append(line)
            continue
        head = _HEAD.match(line)
        if head:
            found.heads[head.group(2)] = line
            inside = head.group(1) == "define"
            current = found.bodies.setdefault(head.group(2), [])
        elif _GROUP.match(line):
            group = _GROUP.match(line)
            assert group is not None
            found.groups[group.group(1)] = group.group(2)
        elif line.startswith("@"):
            found.globals.append(line)
        elif line.startswith("%"):
            found.structs.append(line)
        elif line.startswith("!"):
            found.metadata.append(line)
    return found


def _structs(lines: list[str]) -> dict[str, Type]:
    """Types that name others may come before them. What stays unknown is said where it is used."""
    found: dict[str, Type] = {}
    matches = [match for match in map(_STRUCT.match, lines) if match]
    for _ in matches:
        missing = [match for match in matches if match.group(1) not in found]
        for match in missing:
            try:
                found[match.group(1)] = Tokens(match.group(2), found).type()
            except NotProven:
                continue
        if len(missing) == len(matches) - len(found):
            break
    return found


def _attributes_text(lines: _Lines, head: str) -> str:
    groups = re.findall(r"#\d+", head[head.rfind(")") :])
    return head[head.rfind(")") :] + " ".join(lines.groups.get(group, "") for group in groups)


def _globals(lines: _Lines, structs: Mapping[str, Type]) -> dict[str, GlobalVariable]:
    found = {}
    for line in lines.globals:
        match = _GLOBAL.match(line)
        if match is None:
            continue
        space = re.search(r"addrspace\((\d+)\)", match.group(2))
        try:
            kind = Tokens(match.group(4), structs).type()
        except NotProven:
            continue  # named by the kernel, it is unknown there
        number = int(space.group(1)) if space else 0
        text = _NUMBERED.sub("", f"{match.group(3)} {match.group(4)}")
        found[match.group(1)] = GlobalVariable(match.group(1), number, kind, text)
    return found


def _function(
    lines: _Lines, name: str, structs: Mapping[str, Type], metadata: Metadata
) -> Function:
    head = lines.heads[name]
    blocks = {}
    for label, texts in _block_lines(lines.bodies[name], head):
        read = [read_instruction(Tokens(text, structs), metadata) for text in texts]
        blocks[label] = _block(label, read)
    attributes = dict(re.findall(r'"([^"]+)"="([^"]*)"', _attributes_text(lines, head)))
    place = re.search(r"!dbg (!\d+)", head)
    line = metadata.line_of(place.group(1)) if place else None
    entry = next(iter(blocks))
    return Function(name, _parameters(head, structs), blocks, entry, attributes, line)


def _block(label: str, read: list[Instruction]) -> Block:
    if not read or read[-1].op not in _ENDS:
        raise NotProven("a block of the compiler's IR has no end")
    phis = tuple(one for one in read if one.op == "phi")
    return Block(label, phis, tuple(read[len(phis) : -1]), read[-1])


def _block_lines(body: list[str], head: str) -> Iterator[tuple[str, list[str]]]:
    label, texts, open_switch = _entry_label(head), [], ""
    for line in body:
        stripped = line.strip()
        if open_switch or (stripped.startswith("switch ") and "]" not in stripped):
            open_switch = f"{open_switch} {stripped}"
            if "]" in stripped:
                texts.append(open_switch)
                open_switch = ""
            continue
        match = _LABEL.match(line)
        if match:
            if texts:
                yield label, texts
            label, texts = "%" + match.group(1), []
        elif stripped and stripped != "}" and not _NO_CODE.match(stripped):
            texts.append(stripped)
    if texts:
        yield label, texts


def _entry_label(head: str) -> str:
    """An entry without a label has the number behind those of unnamed parameters."""
    names = re.findall(r"%(\d+)", head)
    return f"%{max((int(name) for name in names), default=-1) + 1}"


def _parameters(head: str, structs: Mapping[str, Type]) -> tuple[Parameter, ...]:
    tokens = Tokens(head[head.index("(", head.index("@")) :], structs)
    tokens.expect("(")
    found = []
    while not tokens.skip(")"):
        kind = tokens.type()
        attributes = []
        while not tokens.peek().startswith("%"):
            word = tokens.take()
            inner = tokens.parenthesis() if tokens.peek() == "(" else ""
            attributes.append(f"{word}({inner})" if inner else word)
            if word == "align" and not inner:
                attributes[-1] += tokens.take()
        found.append(Parameter(tokens.take(), kind, frozenset(attributes)))
        tokens.skip(",")
    return tuple(found)
