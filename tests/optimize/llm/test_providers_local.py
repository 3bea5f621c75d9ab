"""Providers without a network: a command, a transcript; budgets, and what is refused early."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from rocm_perf_lab.errors import ProviderFailed, UsageError
from rocm_perf_lab.optimize.providers import Message, ReplyLimits, Usage
from rocm_perf_lab.optimize.providers.budget import Budget, Ceilings, Prices
from rocm_perf_lab.optimize.providers.choose import ProviderChoice, chosen
from rocm_perf_lab.optimize.providers.command import Command
from rocm_perf_lab.optimize.providers.retry import seconds_of

MESSAGES = (Message("system", "You answer."), Message("user", "Faster, please: ä"))
LIMITS = ReplyLimits(seconds=20.0)


def program(code: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", code)


def test_a_command_reads_the_prompt_and_prints_the_reply() -> None:
    echo = program("import sys; sys.stdout.write(sys.stdin.read().upper())")
    reply = Command(echo).complete(MESSAGES, LIMITS)
    assert reply.text == "YOU ANSWER.\n\nFASTER, PLEASE: Ä"
    assert not reply.usage.counted


def test_a_command_sees_no_variable_that_was_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not for it")
    monkeypatch.setenv("MY_MODEL_KEY", "for it")
    show = program("import json, os; print(json.dumps([dict(os.environ), os.listdir('.')]))")
    command = Command(show, ("MY_MODEL_KEY",))
    variables, files = json.loads(command.complete(MESSAGES, LIMITS).text)
    assert "OPENAI_API_KEY" not in variables
    assert variables["MY_MODEL_KEY"] == "for it"
    assert variables["PATH"] == os.environ["PATH"]
    assert files == []  # an empty folder, not where the sources are
    assert command.secrets == ("for it",)


@pytest.mark.parametrize(
    ("code", "kind", "cause"),
    [
        ("import sys; sys.exit('no credit left')", "refused", "exit code 1: no credit left"),
        ("import time; time.sleep(30)", "timeout", "took more than 1 s"),
        ("print('x' * 100_000)", "too-long", "more than 50000 bytes"),
    ],
)
def test_a_command_that_fails(code: str, kind: str, cause: str) -> None:
    start = time.monotonic()
    with pytest.raises(ProviderFailed) as caught:
        Command(program(code)).complete(MESSAGES, ReplyLimits(1.0, bytes=50_000))
    assert caught.value.kind == kind
    assert cause in caught.value.cause
    assert time.monotonic() - start < 10


def test_a_command_is_found_and_split_without_a_shell() -> None:
    provider = chosen(ProviderChoice("command:cat '/dev/null' ';' exit"))
    assert isinstance(provider, Command)
    assert provider.argv[1:] == ("/dev/null", ";", "exit")
    assert os.path.isabs(provider.argv[0])
    assert provider.name == f"command {provider.argv[0]}"


def test_a_transcript_gives_its_replies_in_order_and_then_none(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"reply": "one"}\n\n{"reply": "two", "note": "kept"}\n')
    provider = chosen(ProviderChoice(f"transcript:{path}"))
    assert [provider.complete(MESSAGES, LIMITS).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ProviderFailed, match="all 2 replies") as caught:
        provider.complete(MESSAGES, LIMITS)
    assert caught.value.kind == "exhausted"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "has no reply"),
        ('{"reply": "one"}\n{"answer": "two"}\n', "line 2 of"),
        ("[1]\n", "line 1 of"),
        ("reply\n", "line 1 of"),
        ('{"reply": 3}\n', "line 1 of"),
    ],
)
def test_a_transcript_that_is_none(tmp_path: Path, text: str, cause: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=cause):
        chosen(ProviderChoice(f"transcript:{path}"))


@pytest.mark.parametrize(
    ("choice", "cause"),
    [
        (ProviderChoice("gpt"), "'gpt' is none that we know"),
        (ProviderChoice("transcript:"), "is none that we know"),
        (ProviderChoice("transcript:/nowhere"), "cannot be read"),
        (ProviderChoice("command: "), "is none that we know"),
        (ProviderChoice("command:/no/such/program"), "there is no program"),
        (ProviderChoice("command:cat '"), "cannot be read"),
        (ProviderChoice("openai", "m", "localhost:8000"), "is no address"),
        (ProviderChoice("openai", None, "http://localhost:1"), "which model"),
        (ProviderChoice("openai", "m", "http://localhost:1", temperature=9.0), "within 0 and 2"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_runs(
    choice: ProviderChoice, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError) as caught:
        chosen(choice)
    assert cause in caught.value.cause


def test_a_budget_without_limits_changes_nothing() -> None:
    budget = Budget(Ceilings())
    budget.charge(Usage(10**9, 10**9, counted=True))
    assert budget.limits(10**9, LIMITS) == LIMITS
    assert budget.cost is None


def test_the_budget_of_tokens_shortens_replies_and_then_ends() -> None:
    budget = Budget(Ceilings(tokens=5000))
    limits = budget.limits(1000, ReplyLimits(tokens=3500))
    assert isinstance(limits, ReplyLimits)
    assert limits.tokens == 3500
    budget.charge(Usage(1000, 2000, counted=True))
    limits = budget.limits(1000, ReplyLimits(tokens=3500))
    assert isinstance(limits, ReplyLimits)
    assert limits.tokens == 1000
    assert budget.limits(1800, ReplyLimits()) == (
        "3000 of 5000 tokens of --max-tokens are used; the next prompt has about 1800 tokens"
    )


def test_the_budget_of_money() -> None:
    budget = Budget(Ceilings(cost=0.01, prices=Prices(prompt=2.0, reply=8.0)))
    limits = budget.limits(1000, ReplyLimits())  # 0.002 for the prompt: 0.008 are 1000 tokens
    assert isinstance(limits, ReplyLimits)
    assert limits.tokens == pytest.approx(1000, abs=1)
    budget.charge(Usage(1000, 900, counted=False))
    assert budget.cost == pytest.approx(0.0092)
    assert not budget.counted
    said = budget.limits(100, ReplyLimits())
    assert isinstance(said, str)
    assert said.startswith("0.0092 of 0.01 of --max-cost are spent")


def test_the_budget_of_time() -> None:
    now = [100.0]
    budget = Budget(Ceilings(seconds=60.0), clock=lambda: now[0])
    now[0] = 140.0
    limits = budget.limits(10, ReplyLimits(seconds=300.0))
    assert isinstance(limits, ReplyLimits)
    assert limits.seconds == 20.0
    now[0] = 160.0
    assert budget.limits(10, ReplyLimits()) == "the 60 s of --budget are over"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 0.0),
        ("12", 12.0),
        (" 3 ", 3.0),
        ("soon", 0.0),
        ("-5", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
    ],
)
def test_retry_after(header: str, seconds: float) -> None:
    assert seconds_of(header, now=lambda: 100.0) == seconds
