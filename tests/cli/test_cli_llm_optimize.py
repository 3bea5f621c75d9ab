"""``llm-optimize`` and ``prompt``: what is refused before anything is built, run or sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.filled import bare
from rocm_perf_lab.cli.llm_optimize import _exit_code
from rocm_perf_lab.cli.main import build_parser, main
from rocm_perf_lab.optimize.document import ModelUseModel, OptimizeDocument

WORDS = ("llm-optimize", "k.hip", "--model", "m", "--base-url", "http://localhost:1/v1")


def failed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words, "--", "./app"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (("--max-cost", "1"), "--max-cost needs --price"),
        (("--max-cost", "0", "--price", "1", "2"), "--max-cost 0 is not a valid budget"),
        (("--max-tokens", "-5"), "--max-tokens -5 is not a valid budget"),
        (("--max-cost", "1", "--price", "-1", "2"), "--price must not be below 0"),
        (("--reply-tokens", "0"), "--reply-tokens must be above 0"),
        (("--temperature", "3"), "--temperature 3 is not within 0 and 2"),
        (("--provider", "nobody"), "--provider 'nobody' is none that we know"),
        (("--provider", "transcript:/nowhere"), "the transcript /nowhere cannot be read"),
        (("--engine", "all"), "invalid choice: 'all'"),
        (("--max-iters", "0"), "0 iterations change nothing"),
    ],
)
def test_usage(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], cause: str) -> None:
    assert cause in failed(capsys, *WORDS, *words)


def test_a_key_is_never_an_argument(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["llm-optimize", "--help"])
    options = capsys.readouterr().out
    assert "--key-from" in options
    assert "--api-key" not in options
    assert "unrecognized arguments" in failed(capsys, *WORDS, "--api-key", "k")


def test_without_a_key_nothing_is_begun(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    err = failed(capsys, "llm-optimize", "k.hip", "--model", "m")
    assert "there is no key: the variable OPENAI_API_KEY is not set" in err
    assert "next: export OPENAI_API_KEY" in err


def test_prompt_takes_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert "unrecognized arguments: --model" in failed(capsys, "prompt", "k.hip", "--model", "m")


@pytest.mark.parametrize(
    ("verdict", "requests", "engine", "interrupted", "code"),
    [
        ("accept", 3, "llm", False, 0),
        ("reject", 3, "llm", False, 1),
        ("no_change", 0, "llm", False, 3),
        ("no_change", 0, "both", False, 1),
        ("accept", 3, "llm", True, 130),
    ],
)
def test_exit_codes(verdict: str, requests: int, engine: str, interrupted: bool, code: int) -> None:
    model = bare(ModelUseModel, requests=requests)
    document = bare(
        OptimizeDocument, verdict=verdict, model=model, engine=engine, interrupted=interrupted
    )
    assert _exit_code(document) == code


def test_every_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "llm-optimize.md").read_text()
    for verb in ("llm-optimize", "prompt"):
        with pytest.raises(SystemExit):
            build_parser().parse_args([verb, "--help"])
        own = capsys.readouterr().out
        for option in (
            "--provider",
            "--model",
            "--base-url",
            "--key-from",
            "--temperature",
            "--pass-env",
            "--max-tokens",
            "--max-cost",
            "--price",
            "--reply-tokens",
            "--reply-timeout",
            "--engine",
            "--allow",
            "--compact",
            "--full-source",
        ):
            assert option not in own or option in page
