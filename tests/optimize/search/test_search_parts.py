"""The parts of a search that need no device: names, flags, remarks, files, forms of the command."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Optional, cast

import pytest
from search_support import Swap

from rocm_perf_lab.cli.search_options import named, thresholds
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.attempt import NOT_JUDGED, Attempt, AttemptVerdict
from rocm_perf_lab.optimize.deliver import replace_whole
from rocm_perf_lab.optimize.gate.claim import Claim
from rocm_perf_lab.optimize.gate.equality import Proof
from rocm_perf_lab.optimize.gate.kernel_gate import KernelGate
from rocm_perf_lab.optimize.gate.trial import fresh_blocks, judge_plan
from rocm_perf_lab.optimize.project.flags import absolute_flags, database_flags, flags_in_tree
from rocm_perf_lab.optimize.refusal import Stage
from rocm_perf_lab.optimize.rules.rule import Bottleneck, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.apply import edited
from rocm_perf_lab.optimize.rules.writing.remark import remarked
from rocm_perf_lab.optimize.search import search
from rocm_perf_lab.optimize.search.beam import Beam, NotApplied
from rocm_perf_lab.optimize.search.outcome import overall
from rocm_perf_lab.optimize.source.kernel_names import kernel_of, qualified_name
from rocm_perf_lab.optimize.source.model import (
    Kernel,
    Node,
    Parameter,
    SourceFile,
    Span,
    Token,
    TranslationUnit,
)
from rocm_perf_lab.prove.judge import Block, Samples


def kernel(name: str, parameters: int = 0, body: Span = Span(0, 0)) -> Kernel:  # noqa: B008
    made = tuple(Parameter(f"p{n}", "int", "int", Span(0, 0)) for n in range(parameters))
    tree = Node("CompoundStmt", "", "", "", "", body, False, None, ())
    short = name.rpartition("::")[2]
    return Kernel(short, name, "k.hip", body, body, False, (), made, (), tree, None)


@pytest.mark.parametrize(
    ("demangled", "expected"),
    [
        ("scale(float*, float const*, int)", "scale"),
        ("void app::generic<float, 4>(float*, float)", "app::generic"),
        ("(anonymous namespace)::inner(int)", "inner"),
        ("void app::(anonymous namespace)::k<void (*)(int)>(float*) [clone .kd]", "app::k"),
        ("extern_c_kernel", "extern_c_kernel"),
    ],
)
def test_a_demangled_name_leads_to_the_source(demangled: str, expected: str) -> None:
    assert qualified_name(demangled) == expected
    found = kernel_of([kernel("other"), kernel(expected)], demangled)
    assert found is not None
    assert found.qualified_name == expected


def test_overloads_are_told_apart_by_their_parameters() -> None:
    one, two = kernel("k", 1), kernel("k", 2)
    assert kernel_of([one, two], "k(float*, int)") is two
    assert kernel_of([one, two], "void k<std::pair<int, int> >(std::pair<int, int>*)") is one
    assert kernel_of([one, two], "j(int)") is None


def test_flags_keep_their_meaning_elsewhere(tmp_path: Path) -> None:
    flags = ("-O2", "-Iinc", "-isystem", "/sys", "-DX=-Iinc", "-include", "pre.h")
    absolute = absolute_flags(flags, Path("/project"))
    assert absolute == (
        "-O2", "-I/project/inc", "-isystem", "/sys", "-DX=-Iinc", "-include", "/project/pre.h",
    )  # fmt: skip
    (tmp_path / "project" / "inc").mkdir(parents=True)
    moved = flags_in_tree(absolute, tmp_path)
    assert moved[1] == f"-I{tmp_path}/project/inc"
    assert moved[6] == "/project/pre.h", "what was not copied stays where it is"


def test_a_compilation_database_gives_the_flags(tmp_path: Path) -> None:
    source = tmp_path / "src" / "k.hip"
    source.parent.mkdir()
    source.touch()
    command = "hipcc -O1 -I../inc -MD -MF k.d -o k.o -x hip -c ../src/k.hip"
    entry = {"directory": str(tmp_path / "build"), "file": "../src/k.hip", "command": command}
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    assert database_flags(source, tmp_path) == ("-O1", f"-I{tmp_path}/inc")
    assert database_flags(tmp_path / "other.hip", tmp_path) is None
    (tmp_path / "build" / "compile_commands.json").write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        database_flags(source, tmp_path)


TEXT = b"__global__ void k(float* a) {\n    a[0] = 1;\n    a[1] = 2;\n}\n"


def remarked_text(edits: tuple[Edit, ...], reason: str, tokens: tuple[Token, ...] = ()) -> bytes:
    body = Span(TEXT.index(b"{"), len(TEXT) - 1)
    change = Change(edits, "a title", reason)
    made = remarked(SourceFile("k.hip", TEXT, tokens), kernel("k", 1, body), change)
    return edited(TEXT, body, made.edits)


def replacing(old: bytes, new: bytes) -> tuple[Edit, ...]:
    at = TEXT.index(old)
    return (Edit(Span(at, at + len(old)), new),)


def test_a_change_has_one_line_that_says_why() -> None:
    found = remarked_text(replacing(b"a[1]", b"a[2]"), "it is nearer.")
    assert found == b"{\n    a[0] = 1;\n    // It is nearer\n    a[2] = 2;\n}"
    at = TEXT.index(b"\n    a[1]")
    found = remarked_text((Edit(Span(at, at), b"\n    a[5] = 0;"),), "more")
    assert found == b"{\n    a[0] = 1;\n    // More\n    a[5] = 0;\n    a[1] = 2;\n}"


def test_a_remark_cannot_become_code() -> None:
    found = remarked_text(replacing(b"a[1]", b"a[2]"), "first\nsecond \\")
    assert b"    // First second /\n    a[2]" in found
    assert remarked_text(replacing(b"a[1]", b"/* own */ a[2]"), "why").count(b"//") == 0
    within = (
        Token("literal", b"", "", Span(TEXT.index(b"= 1"), TEXT.index(b"= 2")), False, False),
    )
    assert b"//" not in remarked_text(replacing(b"a[1]", b"a[2]"), "why", within)


def test_more_candidates_need_more_blocks() -> None:
    few, many = (judge_plan(count, 0.02, against_original=False) for count in (1, 1000))
    assert few.looks[0].blocks == 12
    assert many.looks[0].blocks > few.looks[0].blocks
    for number, original in itertools.product((1, 7, 48, 1000), (False, True)):
        plan = judge_plan(number, 0.05, against_original=original)
        assert plan.looks[0].blocks >= plan.rule_at(0).least_blocks(number)
        assert plan.rule.min_gain == 0.05


def test_only_against_the_original_may_the_rule_count_on_the_confirmation() -> None:
    """A change that does nothing to an accepted version passes any confirmation against the
    original: it must not get by with the weaker first test."""
    first, later = (judge_plan(20, 0.02, against_original=one) for one in (True, False))
    assert first.rule.confirm
    assert first.rule_at(0).level == pytest.approx(0.002)
    assert not later.rule.confirm
    assert later.rule_at(0).level == pytest.approx(1e-5)
    assert first.looks[0].blocks <= later.looks[0].blocks


def test_where_times_overlap_more_fresh_blocks_confirm() -> None:
    clear = Samples("ns", (Block((102.0,), (101.0,), (90.0,)), Block((99.0,), (98.0,), (91.0,))))
    overlapping = Samples("ns", (*clear.blocks, Block((90.5,), (99.0,), (80.0,))))
    assert (fresh_blocks(clear), fresh_blocks(overlapping)) == (6, 12)


def attempt(verdict: AttemptVerdict, stage: Stage = Stage.JUDGE) -> Attempt:
    return Attempt("k", "p", stage, verdict, "")


def test_the_whole_verdict_follows_from_the_attempts() -> None:
    assert overall([], [])[0] == "no_change"
    slower, refused = attempt("reject"), attempt("reject", Stage.ORACLE)
    assert overall([slower], []) == ("reject", "every proposal was slower")
    assert overall([refused], []) == ("reject", "every proposal was refused")
    assert overall([slower, refused], []) == ("reject", "every proposal was refused or slower")
    assert overall([attempt("reject"), attempt("no_change")], [])[0] == "no_change"
    assert overall([attempt("no_change"), attempt("inconclusive")], [])[0] == "inconclusive"
    aside = [
        replace(attempt("no_change"), reason=f"by replay; {NOT_JUDGED}", speedup=s)
        for s in (1.2, 1.4)
    ]
    assert overall([refused, *aside], []) == (
        "no_change", "a dry run judges nothing; the best is 1.400x by replay",
    )  # fmt: skip
    claim = Claim("k", 1.5, 1.4321, None, None, 1, Proof("equal in 3 trials"))
    assert overall([attempt("accept")], [claim]) == (
        "accept", "k is at least 1.432x faster, proven",
    )  # fmt: skip


def words(
    *command: str, behind: Optional[list[str]] = None, source: tuple[str, ...] = ()
) -> object:
    given = argparse.Namespace(
        command=list(command), application=behind, source=[Path(name) for name in source]
    )
    sources, argv = named(given)
    return [str(path) for path in sources], argv


def test_the_forms_of_the_command() -> None:
    assert words("k.hip", "./app 'a b' 2") == (["k.hip"], ["./app", "a b", "2"])
    assert words("k.hip", behind=["./app", "a b"]) == (["k.hip"], ["./app", "a b"])
    assert words("./app") == ([], ["./app"])
    assert words("./app 1", source=("a.hip", "b.hip")) == (["a.hip", "b.hip"], ["./app", "1"])
    for wrong in (("k.hip",), ()):
        with pytest.raises(UsageError):
            words(*wrong)
    with pytest.raises(UsageError, match="is before --"):
        words("k.hip", "./app", behind=["./app"])


def test_limits_can_be_changed_by_name() -> None:
    found = thresholds(["vgpr=0.5", "lds=off"])
    assert (found.vgpr, found.lds, found.occupancy) == (0.5, None, 0.15)
    for wrong in ("vgpr", "vgpr=-1", "colour=0.1", "lds=much"):
        with pytest.raises(UsageError, match="--limit"):
            thresholds([wrong])


def test_a_killed_writer_leaves_one_whole_version(tmp_path: Path) -> None:
    versions = (b"a" * 300000, b"b" * 300000)
    target = tmp_path / "k.hip"
    target.write_bytes(versions[0])
    target.chmod(0o640)
    for moment in range(20):
        writer = os.fork()
        if writer == 0:
            while True:  # until it is killed
                for version in versions:
                    replace_whole(target, version)
        time.sleep(0.001 * (moment + 1))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        assert target.read_bytes() in versions
        assert target.stat().st_mode & 0o777 == 0o640


class HopefulGate:
    """Everything is proven equal, and nothing is accepted."""

    speedup = 1.0
    workshop = SimpleNamespace(request=SimpleNamespace(min_improvement=0.02))

    def __init__(self, seconds_left: Optional[float]) -> None:
        self._left = seconds_left
        self.judged: list[float] = []
        self.aside: list[str] = []

    def seconds_left(self) -> Optional[float]:
        return self._left

    def prove(self, _screened: object) -> None:
        return None

    def judge(self, screened: SimpleNamespace) -> SimpleNamespace:
        self.judged.append(screened.speedup)
        return SimpleNamespace(accepted=False)

    def set_aside(self, _screened: object, _over: float, why: str) -> None:
        self.aside.append(why)


def test_after_the_budget_one_more_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [SimpleNamespace(speedup=speedup) for speedup in (1.5, 1.4, 1.3, 1.2)]
    beam = SimpleNamespace(explored=lambda: found, not_applied=[])
    monkeypatch.setattr(search, "Beam", lambda _gate, _rules: beam)
    for left, judged in ((None, [1.5, 1.4, 1.3]), (9.0, [1.5, 1.4, 1.3]), (0.0, [1.5])):
        gate = HopefulGate(left)
        assert not search.improve(cast(KernelGate, gate), (), search.RuleSearch())
        assert gate.judged == judged
        assert len(gate.aside) == 4 - len(judged)


def test_a_kernel_for_which_there_is_no_rule_is_named() -> None:
    kernel = SimpleNamespace(body=Span(0, 2), path="k.hip", loops=lambda: ())
    bottleneck = SimpleNamespace(labels=("memory",))
    files = {"k.hip": SourceFile("k.hip", b"{}", ())}
    situation = SimpleNamespace(
        kernel=kernel,
        data=b"{}",
        unit=SimpleNamespace(files=files),
        bottleneck=bottleneck,
        types_unknown=None,
    )
    gate = SimpleNamespace(
        situation=lambda: situation, situation_with=None, speedup=1.0, kernel="app::k"
    )
    beam = Beam(cast(KernelGate, gate), ())
    assert beam.explored() == []
    assert beam.not_applied == [NotApplied("app::k", None, "no rule is about anything in it")]


def situation_of_text(text: bytes) -> Situation:
    whole = Span(0, len(text))
    made = kernel("k", body=whole)
    unit = TranslationUnit("k.hip", {"k.hip": SourceFile("k.hip", text, ())}, (made,), ())
    return Situation(unit, made, bottleneck=Bottleneck(("memory",)))


def test_a_rule_for_another_bottleneck_is_tried_although_one_for_this_gains() -> None:
    """What the first writes, the second does not understand any more: it would never be found."""
    speeds = {b"{ AA }": 1.3, b"{ BB }": 3.0, b"{ CC }": 1.1}

    def screen(body: bytes) -> SimpleNamespace:
        return SimpleNamespace(attempt=None, speedup=speeds[body], unit=body, kernel=body)

    gate = SimpleNamespace(
        kernel="k",
        speedup=1.0,
        situation=lambda: situation_of_text(b"{ a }"),
        situation_of=lambda _unit, body: situation_of_text(body),
        situation_with=None,
        seconds_left=lambda: None,
        candidate=lambda proposal: b"{ %s }" % proposal.body.split()[-2],
        screen=screen,
    )
    rules = (
        Swap("first", "a", "AA", helps=("memory",)),
        Swap("second", "a", "BB", helps=("other",)),
        Swap("third", "a", "CC", helps=("other",)),
    )
    found = Beam(cast(KernelGate, gate), rules).explored()
    assert [one.speedup for one in found] == [3.0, 1.3, 1.1]
