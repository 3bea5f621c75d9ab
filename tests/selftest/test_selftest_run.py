"""Steps are run, looked at, held back and told; nothing here needs a device."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, Optional

import pytest

from rocm_perf_lab.cli.main import VERBS
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.selftest import looks
from rocm_perf_lab.selftest.result import StepResult
from rocm_perf_lab.selftest.run import Runner
from rocm_perf_lab.selftest.seen import Document, Lacks, NotHere, Seen
from rocm_perf_lab.selftest.steps import BUILD, LEFT_OUT, STEPS, Step, chosen, verbs
from rocm_perf_lab.selftest.work import SILENT


def step(name: str, code: str, look: Any = None, **how: Any) -> Step:
    """A step that is a line of Python."""
    words = (sys.executable, "-c", code.replace("{", "{{").replace("}", "}}"))
    return Step(name, BUILD, words, "it holds", look or (lambda _seen: None), **how)


def tried(folder: Path, *steps: Step) -> tuple[StepResult, ...]:
    prefix = Prefix(folder / "rocm", "rocm", "a test")
    return Runner(prefix, "gfx942", folder, SILENT).run(steps)


def one(folder: Path, *steps: Step) -> StepResult:
    (result,) = tried(folder, *steps)
    return result


def seen(content: object, folder: Optional[Path] = None, **earlier: object) -> Seen:
    before = {name: json.dumps(text) for name, text in earlier.items()}
    return Seen(folder or Path(), json.dumps(content), before)


def test_what_holds_has_no_reason_and_no_log(tmp_path: Path) -> None:
    result = one(tmp_path, step("a", "print(1)"))
    assert (result.status, result.reason, result.log, result.next_step) == ("holds",) + 3 * (None,)


def test_what_fails_has_a_log_and_a_command_to_run_again(tmp_path: Path) -> None:
    result = one(tmp_path, step("a b", "import sys; sys.exit('error: no luck')"))
    assert result.status == "fails"
    assert result.reason == "exit code 1: error: no luck"
    assert Path(result.log or "").read_text() == "error: no luck\n"
    assert (result.next_step or "").startswith(f"cd {tmp_path} && ")


def test_the_error_of_a_verb_is_its_reason_and_its_next_step(tmp_path: Path) -> None:
    error = {"error": {"cause": "no counters", "next_step": "rocm-perf doctor"}}
    result = one(tmp_path, step("a", f"print({json.dumps(error)!r}); raise SystemExit(5)"))
    assert (result.reason, result.next_step) == ("no counters (exit code 5)", "rocm-perf doctor")


def test_another_exit_code_than_expected_fails(tmp_path: Path) -> None:
    result = one(tmp_path, step("a", "pass", exit_code=1))
    assert result.status == "fails"
    assert "exit code 0, 1 was expected" in (result.reason or "")


def test_a_killed_child_is_told_by_its_signal(tmp_path: Path) -> None:
    result = one(tmp_path, step("a", "import os; os.kill(os.getpid(), 9)"))
    assert (result.status, result.reason) == ("fails", "it was ended by signal 9 (SIGKILL)")


def test_a_hanging_step_ends_with_all_that_it_started(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open('pid', 'w').write(str(child.pid)); time.sleep(600)"
    )
    result = one(tmp_path, step("a", code, seconds=1.5))
    assert (result.status, result.reason) == ("fails", "it did not end within 1.5 s")
    assert result.seconds < 20
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not Path(f"/proc/{pid}/cmdline").exists() or not _runs(pid):
            return
        time.sleep(0.05)
    os.kill(pid, 9)
    pytest.fail("the child of a hanging step lives on")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""  # a zombie has none
    except OSError:
        return False


def test_what_cannot_be_started_fails(tmp_path: Path) -> None:
    gone = Step("a", BUILD, ("./nowhere",), "it holds", lambda _seen: None)
    result = one(tmp_path, gone)
    assert result.reason == "it cannot be started: No such file or directory"


def test_a_document_that_lacks_a_field_is_named(tmp_path: Path) -> None:
    result = one(tmp_path, step("a", "print('{\"verdict\": null}')", looks.roofs))
    assert (result.status, result.reason) == ("fails", "the document has no bandwidth")
    result = one(tmp_path, step("a", "print('words')", looks.roofs))
    assert result.reason == "the document is not JSON"
    result = one(tmp_path, step("a", "pass", looks.roofs))
    assert result.reason == "the document is empty"


def test_who_needs_what_failed_does_not_run(tmp_path: Path) -> None:
    bad = step("bad", "raise SystemExit(3)")
    later = step("later", "open('ran', 'w')", needs=("bad",))
    last = step("last", "open('ran', 'w')", needs=("later",))
    other = step("other", "pass")
    results = tried(tmp_path, bad, later, last, other)
    assert [r.status for r in results] == ["fails", "not run", "not run", "holds"]
    assert [r.reason for r in results[1:3]] == [
        "it needs the step 'bad'",
        "it needs the step 'later'",
    ]
    assert not (tmp_path / "ran").exists()


def test_what_is_not_here_takes_its_followers_along(tmp_path: Path) -> None:
    def absent(_seen: Seen) -> Optional[str]:
        raise NotHere("no decoder", "install it")

    first, second = tried(
        tmp_path, step("a", "pass", absent), step("b", "raise SystemExit(1)", needs=("a",))
    )
    assert (first.status, first.reason, first.next_step) == ("not here", "no decoder", "install it")
    assert second.status == "not here"


def test_a_missing_package_is_not_here(tmp_path: Path) -> None:
    words = 'error: needs shtab\\n  next: pip install "rocm-perf-lab[terminal]"'
    code = f"import sys; print('{words}', file=sys.stderr); sys.exit(3)"
    result = one(tmp_path, step("a", code))
    assert result.status == "not here"
    assert result.next_step == "pip install 'rocm-perf-lab[terminal]'"
    assert one(tmp_path, step("a", code.replace("exit(3)", "exit(1)"))).status == "fails"


def test_every_verb_is_tried_or_left_out_for_a_reason() -> None:
    assert set(verbs()) | set(LEFT_OUT) == set(VERBS)
    assert set(verbs()) & set(LEFT_OUT) == set()


def test_needs_stand_before_who_needs_them() -> None:
    before: set[str] = set()
    for one_step in STEPS:
        assert set(one_step.needs) <= before, one_step.name
        assert one_step.name not in before
        before.add(one_step.name)


def test_a_verb_comes_with_what_it_needs() -> None:
    names = [one_step.name for one_step in chosen(["replay"])]
    assert names == ["examples", "build vector_add", "isolate", "replay"]
    assert chosen([]) == STEPS
    with pytest.raises(UsageError, match="no step is about mcp: it serves a client"):
        chosen(["mcp"])
    with pytest.raises(UsageError, match="no step is about profiel") as error:
        chosen(["profiel"])
    assert "profile" in (error.value.next_step or "")


def row(name: str, dispatches: int = 4, total: int = 10) -> dict[str, Any]:
    return {
        "name": f"{name}(float*)",
        "dispatches": dispatches,
        "total_ns": total,
        "runtime_internal": False,
    }


def profile(**changes: Any) -> dict[str, Any]:
    kernels = [row("smooth"), row("series"), row("combine")]
    return {"kernels": kernels, "stability": {"runs": 2}, "unavailable": [], **changes}


ANSWERS = [
    (looks.launches, profile(), None),
    (looks.launches, profile(kernels=[row("series")]), "launches recorded: series 4; expected: "),
    (looks.launches, profile(stability={"runs": 1}), "1 runs recorded, 2 were made"),
    (
        looks.launches,
        profile(kernels=[row("smooth"), row("series", total=0), row("combine")]),
        r"no time for series\(float\*\)",
    ),
    (looks.additions, {"roofline": {"flops": 65536, "bytes": 8}}, None),
    (looks.additions, {"roofline": {"flops": 0, "bytes": 8}}, "0 operations counted"),
    (looks.verdict("equal"), {"verdict": "equal"}, None),
    (looks.verdict("equal"), {"verdict": "different", "reason": "r"}, "different, not equal: r"),
    (looks.captured, {"memory_bytes": 786432, "changed_bytes": 1}, None),
    (looks.captured, {"memory_bytes": 786432, "changed_bytes": 0}, "changed no memory"),
    (looks.captured, {"memory_bytes": 5, "changed_bytes": 1}, "5 bytes captured"),
    (
        looks.replayed,
        {"verification": {"verdict": "different", "reason": "3 bytes"}, "timing": {}},
        "different: 3 bytes",
    ),
    (looks.attempted, {"attempts": [], "reason": "nothing"}, "nothing was tried: nothing"),
    (looks.attempted, {"attempts": [{"proposal": "p", "reason": ""}]}, "no reason for: p"),
    (looks.kept, {"entries": []}, "0 entries, one was added"),
    (
        looks.explained,
        {
            "limit": "x",
            "time": dict.fromkeys(["kernels", "copies", "launching", "host", "other"], 0.1),
        },
        "sum to 0.5",
    ),
    (
        looks.can_profile,
        {"findings": [{"name": "GPU", "status": "fail", "detail": "gone"}]},
        "GPU: gone",
    ),
]


@pytest.mark.parametrize(("look", "content", "reason"), ANSWERS)
def test_what_a_look_says(look: Any, content: object, reason: Optional[str]) -> None:
    answer = look(seen(content))
    if reason is None:
        assert answer is None
    else:
        assert re.search(reason, answer or ""), answer


def test_a_field_that_is_absent_for_a_reason_is_not_here() -> None:
    entry = {"field": "att", "reason": "rocprofv3 has no decoder", "next": "install one"}
    with pytest.raises(NotHere, match="no decoder"):
        looks.thread_trace(seen({"att": None, "unavailable": [entry]}))
    entry["reason"] = "the application failed: exit code 1"
    with pytest.raises(Lacks, match="has no att: the application failed"):
        looks.thread_trace(seen({"att": None, "unavailable": [entry]}))
    with pytest.raises(Lacks, match="has no att, and does not say why"):
        looks.thread_trace(seen({"att": None, "unavailable": []}))


def test_a_recording_must_tell_the_same_again() -> None:
    assert looks.same_profile(seen(profile(), profile=profile())) is None
    changed = profile(kernels=[row("smooth", total=11)])
    assert "read: smooth 11" in (looks.same_profile(seen(changed, profile=profile())) or "")


def test_what_a_document_lacks_is_named_by_its_way() -> None:
    document = Document({"a": [{"b": "text"}]})
    with pytest.raises(Lacks, match=r"the document has no a\[1\]"):
        document.at("a", 1, "b")
    with pytest.raises(Lacks, match=r"no number for a\.0\.b: 'text'"):
        document.number("a", 0, "b")
    with pytest.raises(Lacks, match=r"the document: a\[0\] has no c"):
        document.rows("a")[0].at("c")
