"""The loops of a kernel: where they begin, what is in them, and where lanes meet in between."""

from __future__ import annotations

from rocm_perf_lab.prove.symbolic.ir.model import Function, Module

# Of AMDGPU's own operations these concern a lane alone, or all threads through memory.
_ALONE = (
    "llvm.amdgcn.s.barrier",
    "llvm.amdgcn.workitem",
    "llvm.amdgcn.workgroup",
    "llvm.amdgcn.implicitarg",
    "llvm.amdgcn.dispatch",
)


def is_exchange(module: Module, callee: str) -> bool:
    """Whether its result depends on which lanes are active."""
    is_own = callee.startswith("llvm.amdgcn.") and not callee.startswith(_ALONE)
    return is_own and callee not in module.pure


def exchanging_blocks(module: Module, function: Function) -> frozenset[str]:
    return frozenset(
        name
        for name, block in function.blocks.items()
        if any(one.op == "call" and is_exchange(module, one.detail) for one in block.body)
    )


def back_edges(function: Function) -> list[tuple[str, str]]:
    """Edges to a block that a walk in depth is still in: every circle has at least one."""
    found: list[tuple[str, str]] = []
    done: set[str] = set()
    inside: set[str] = set()
    stack = [(function.entry, False)]
    while stack:
        name, leaving = stack.pop()
        if leaving:
            inside.discard(name)
            done.add(name)
            continue
        if name in done or name in inside:
            continue
        inside.add(name)
        stack.append((name, True))
        for target in function.blocks[name].end.labels:
            if target in inside:
                found.append((name, target))
            elif target not in done:
                stack.append((target, False))
    return found


def loop_heads(function: Function) -> frozenset[str]:
    return frozenset(head for _, head in back_edges(function))


def quiet_blocks(module: Module, function: Function) -> frozenset[str]:
    """Blocks of loops in which lanes do not meet and that are left to one place only: lanes may
    leave them at different times, and are together again behind them."""
    meeting = exchanging_blocks(module, function)
    found: set[str] = set()
    for body in loop_bodies(function).values():
        exits = {
            target
            for name in body
            for target in function.blocks[name].end.labels
            if target not in body
        }
        if not (body & meeting) and len(exits) == 1 and function.entry not in body:
            found |= body
    return frozenset(found)


def loop_bodies(function: Function) -> dict[str, set[str]]:
    """Of each head, the blocks from which it is reached again without passing it."""
    sources: dict[str, list[str]] = {}
    for name, block in function.blocks.items():
        for target in block.end.labels:
            sources.setdefault(target, []).append(name)
    bodies: dict[str, set[str]] = {}
    for tail, head in back_edges(function):
        body = bodies.setdefault(head, {head})
        todo = [tail]
        while todo:
            name = todo.pop()
            if name not in body:
                body.add(name)
                todo += sources.get(name, [])
    return bodies
