"""In which trials the checks of the device look, and how findings are told."""

from __future__ import annotations

from rocm_perf_lab.prove.oracle.findings import UNWRITTEN, kind_of, worth_checking
from rocm_perf_lab.prove.oracle.outputs import Right
from rocm_perf_lab.prove.oracle.scene import Kind, Scene
from rocm_perf_lab.replay.scenes import Shape


def trial(name: str, kind: Kind = "inputs", block: int = 0, optional: bool = False) -> Right:
    shape = Shape((1024, 1, 1), (block, 1, 1)) if block else None
    return Right(Scene(name, kind, shape=shape), None, None, frozenset(["odd"] if optional else []))  # type: ignore[arg-type]


def test_one_of_each_kind_and_block_and_what_shows_more_is_checked() -> None:
    rights = [
        trial(UNWRITTEN, "poisoned output"),
        trial("poison", "poisoned output"),
        trial("random"),
        trial("shown"),
        trial("large"),
        trial("wide", "launch shapes", 256),
        trial("wider", "launch shapes", 512),
        trial("as many", "launch shapes", 512),
        trial("small", "launch shapes", 32, optional=True),
    ]
    chosen = [right.name for right in worth_checking(rights, {"shown", "small"})]
    assert chosen == [UNWRITTEN, "poison", "shown", "large", "wide", "as many"]


def test_findings_are_told_without_numbers() -> None:
    assert kind_of("race: wave 3 wrote") == kind_of("race: wave 4 read")
    assert kind_of("read 4 bytes outside: x") == "read # bytes outside"
