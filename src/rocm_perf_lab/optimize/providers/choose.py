"""From what the user wrote to a provider."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.providers import anthropic, openai
from rocm_perf_lab.optimize.providers.command import Command
from rocm_perf_lab.optimize.providers.endpoint import endpoint
from rocm_perf_lab.optimize.providers.provider import Provider
from rocm_perf_lab.optimize.providers.transcript import read_transcript

KINDS = "openai, anthropic, command:PROGRAM ARGS or transcript:FILE"


@dataclass(frozen=True)
class ProviderChoice:
    provider: str = "openai"
    model: Optional[str] = None
    base_url: Optional[str] = None
    key_from: Optional[str] = None  # a variable of the environment
    temperature: Optional[float] = None
    pass_env: tuple[str, ...] = ()  # variables that a command may see


def chosen(choice: ProviderChoice) -> Provider:
    kind, _, rest = choice.provider.partition(":")
    if choice.temperature is not None and not 0 <= choice.temperature <= 2:
        raise UsageError(f"--temperature {choice.temperature:g} is not within 0 and 2")
    if kind == "transcript" and rest:
        return read_transcript(Path(rest))
    if kind == "command" and rest.strip():
        return _command(rest, choice)
    if kind == "openai" and not rest:
        base = choice.base_url or openai.BASE_URL
        place = endpoint(
            base, choice.key_from or openai.KEY_VARIABLE, needs_key=choice.base_url is None
        )
        return openai.OpenAiCompatible(place, _model(choice), choice.temperature)
    if kind == "anthropic" and not rest:
        base = choice.base_url or anthropic.BASE_URL
        place = endpoint(
            base, choice.key_from or anthropic.KEY_VARIABLE, needs_key=choice.base_url is None
        )
        return anthropic.Anthropic(place, _model(choice), choice.temperature)
    raise UsageError(f"--provider {choice.provider!r} is none that we know", f"one of {KINDS}")


def _model(choice: ProviderChoice) -> str:
    if not choice.model:
        raise UsageError("which model is to be asked?", "name it with --model")
    return choice.model


def _command(line: str, choice: ProviderChoice) -> Command:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--provider command: cannot be read: {error}") from error
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(f"there is no program {words[0]}", "give its path")
    return Command((str(Path(program).absolute()), *words[1:]), choice.pass_env)
