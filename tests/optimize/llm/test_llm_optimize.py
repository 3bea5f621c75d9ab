"""End to end: a server with recorded replies, the real gate, the virtual device.

All of it is one search, because building, profiling and capturing the baseline and proving one gain
take most of the time. The kernel's first reply is accepted; whatever follows starts from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import jsonschema
import pytest
from model_server import KEY, Answer, ModelServer

pytest.importorskip("httpx", reason="models over HTTP need the extra [llm]")

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.optimize.providers import retry
from rocm_perf_lab.prove.evidence import read_log, verify_bundle

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HEAD = "__global__ void column_sums(const float* in, float* out, int rows, int columns) {\n"
PLACE = "  int column = blockIdx.x * blockDim.x + threadIdx.x;\n  if (column >= columns) return;\n"
SUM = """\
  float sum = 0.0f;
#pragma unroll 4
  for (int row = 0; row < rows; ++row) {
    sum += in[row * columns + column];
  }
  out[column] = sum;
}
"""
GOOD = HEAD + PLACE + SUM
RACING = (
    HEAD
    + """\
  __shared__ float sums[1024];
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int other = blockDim.x - 1 - threadIdx.x;
  float sum = 0.0f;
#pragma unroll 8
  for (int row = 0; row < rows; ++row) {
    sum += in[row * columns + blockIdx.x * blockDim.x + other];
  }
  sums[other] = sum;
  out[column] = sums[threadIdx.x];
}
"""
)
SLOWER = (
    HEAD
    + PLACE
    + """\
  for (int pass = 0; pass < 3; ++pass) {
    out[column] = 0.0f;
    for (int row = 0; row < rows; ++row) out[column] += in[row * columns + column];
  }
}
"""
)


def block(code: str) -> str:
    return f"This should be faster.\n\n```cpp\n{code}```\n"


@dataclass(frozen=True)
class Case:
    """What the server answers in one turn, and what has to become of it: stage, verdict, reason."""

    name: str
    answers: tuple[Answer, ...]
    attempts: tuple[tuple[str, str, str], ...]


CASES = (
    Case(
        "429, then good",
        (Answer(status=429, headers={"Retry-After": "5"}), Answer(block(GOOD))),
        (("G8", "accept", "; confirmed on "),),
    ),
    Case(
        "prose only",
        (Answer(f"I would unroll it. {KEY}"),),
        (("reply", "reject", "no-block"),),
    ),
    Case(
        "two blocks",
        (Answer(block(GOOD) + block(GOOD)),),
        (("reply", "reject", "several-blocks"),),
    ),
    Case(
        "changed signature",
        (Answer(block(GOOD.replace("int rows", "long rows"))),),
        (("G1", "reject", ""),),
    ),
    Case("empty body", (Answer(block(HEAD + "}\n")),), (("G3", "reject", "no-stores"),)),
    Case(
        "wrong result",
        (Answer(block(GOOD.replace("row < rows", "row < rows - 1"))),),
        (("G5", "reject", "different"),),
    ),
    Case("racing", (Answer(block(RACING)),), (("G5", "reject", ""),)),
    Case("slower", (Answer(block(SLOWER)),), (("G7", "reject", "x by replay"),)),
    Case(
        "does not compile, then repaired, but no faster",
        (
            Answer(block(GOOD.replace("sum += in", "summ += in"))),
            Answer(block(GOOD.replace("sum", "total").replace("column_totals", "column_sums"))),
        ),
        (
            ("build", "reject", "use of undeclared identifier 'summ'"),
            ("G7", "no_change", "by replay, less than 1.020x"),
        ),
    ),
    Case(
        "does what a comment of the source says",
        (Answer(block(GOOD + "int main() { return 0; }\n")),),
        (("G1", "reject", ""),),
    ),
    Case(
        "cut connection",
        (Answer(block(GOOD), cut_after=3),) * 4,
        (("reply", "inconclusive", "(tried 4 times)"),),
    ),
    Case(
        "slow stream",
        (Answer("word " * 4000, pause_s=0.5),),
        (("reply", "inconclusive", "timeout: the reply was not complete after 8 s"),),
    ),
)
HANGS = Answer("never", pause_s=600.0)


@dataclass
class Search:
    code: int
    document: dict[str, Any]
    output: str
    evidence: Path
    server: ModelServer
    waits: list[float]
    before: str
    after: str


def hash_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def interrupt_at(server: ModelServer, requests: int) -> Callable[[], None]:
    """Ctrl-C once the server was asked this often and keeps the client waiting."""
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set() and len(server.requests) < requests:
            time.sleep(0.05)
        if not stop.wait(0.5):
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, daemon=True).start()
    return stop.set


@pytest.fixture(scope="module")
def search(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("search")
    project = folder / "project"
    project.mkdir()
    source = project / "column_sums.hip"
    source.write_bytes((HERE / "column_sums.hip").read_bytes())
    server = ModelServer([*(a for case in CASES for a in case.answers), HANGS])
    waits: list[float] = []
    with pytest.MonkeyPatch.context() as patch, open(folder / "err", "w+") as err:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setattr(retry, "pause", waits.append)
        patch.chdir(project)
        words = [
            "llm-optimize", str(source), "--rocm", str(virtual_rocm), "--json",
            "--base-url", f"{server.url}/v1", "--model", "recorded",
            "--max-iters", str(len(CASES) + 1), "--reply-timeout", "8",
            "--price", "1", "10", "--evidence", str(folder / "evidence"), "--", "./column_sums",
        ]  # fmt: skip
        before = hash_of(project)
        give_up = interrupt_at(server, sum(len(case.answers) for case in CASES) + 1)
        with contextlib.ExitStack() as redirected:
            out = redirected.enter_context(open(folder / "out", "w"))
            redirected.enter_context(contextlib.redirect_stdout(out))
            redirected.enter_context(contextlib.redirect_stderr(err))
            code = main(words)
        give_up()
        output = (folder / "out").read_text()
        err.flush()
        said = output + (folder / "err").read_text()
    assert output, said
    yield Search(
        code, json.loads(output), said, folder / "evidence", server, waits, before, hash_of(project)
    )
    server.close()


pytestmark = [pytest.mark.native, pytest.mark.slow, pytest.mark.timeout(900)]


def test_every_verdict(search: Search) -> None:
    found = [(a["stage"], a["verdict"], a["reason"]) for a in search.document["attempts"]]
    expected = [attempt for case in CASES for attempt in case.attempts]
    named = [case.name for case in CASES for _ in case.attempts]
    assert [(stage, verdict) for stage, verdict, _ in found] == [
        (stage, verdict) for stage, verdict, _ in expected
    ], "\n".join(map(str, zip(named, found)))
    for name, (_, _, reason), (_, _, part) in zip(named, found, expected):
        assert part in reason, f"{name}: {reason}"


def test_the_result_survives_ctrl_c(search: Search) -> None:
    document = search.document
    assert search.code == 130
    assert document["interrupted"]
    assert (document["verdict"], document["engine"]) == ("accept", "llm")
    assert document["speedup"]["kernel_low"] > 1.2
    assert not document["written"]
    kept = Path(document["output"])
    assert search.evidence in kept.parents
    assert "#pragma unroll 4" in kept.read_text()
    schema = json.loads((ROOT / "docs" / "schema" / "optimize-1.0.json").read_text())
    jsonschema.validate(document, schema)


def test_the_source_is_untouched(search: Search) -> None:
    assert search.before == search.after


def test_later_prompts_start_from_the_accepted_code(search: Search) -> None:
    prompts = search.server.prompts()
    assert prompts[0] == prompts[1]  # 429: the same question again
    assert "#pragma unroll 4" not in prompts[1]
    assert "out[column] += in[row * columns + column];" in prompts[1].partition("# Hot lines")[2]
    for prompt in prompts[2:]:
        kernel = prompt.partition("as it is now:")[2].partition("# Repair")[0]
        assert "#pragma unroll 4" in kernel
        assert "accept at stage G8" in prompt
    assert "several-blocks" in prompts[4]
    assert search.waits[0] == 5.0


def test_the_repair_holds_code_and_message(search: Search) -> None:
    repairs = [text for text in search.server.prompts() if "# Repair" in text]
    assert len(repairs) == 1
    repair = repairs[0].partition("# Repair")[2]
    assert "summ += in[row * columns + column];" in repair
    assert "use of undeclared identifier 'summ'" in repair
    assert str(search.evidence.parent) not in repairs[0]


def test_what_it_cost(search: Search) -> None:
    model = search.document["model"]
    answered = sum(a.status == 200 for case in CASES[:-2] for a in case.answers)
    assert (model["requests"], model["counted"], model["ended"]) == (answered, True, None)
    assert model["cost"] == pytest.approx(answered * (1000 * 1 + 100 * 10) / 1e6)


def test_evidence_of_every_attempt_verifies(search: Search) -> None:
    bundles = [
        path for path in sorted(search.evidence.iterdir()) if (path / "manifest.json").exists()
    ]
    asked = [path for path in bundles if path.name.startswith("asked-")]
    assert len(asked) == len([a for case in CASES for a in case.answers]) - 1 - 3 + 1
    for bundle in bundles:
        report = verify_bundle(bundle)
        assert report.intact, (bundle.name, report.problems)
    log = read_log(search.evidence / "search.jsonl")
    assert not log.problems
    assert [line.event for line in log.lines].count("asked") == len(asked)


def test_the_key_is_nowhere(search: Search) -> None:
    assert search.server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in search.output
    files = [path for path in search.evidence.rglob("*") if path.is_file()]
    assert len(files) > 50
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
